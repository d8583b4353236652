// Configures how to build the page, serve it during development, and test it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { HtmlTagDescriptor, Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The code that every address needs; the page preloads it. Everything else that an address needs is in its dashboard's
 * folder.
 */
const ALWAYS = /\/src\/main\.ts$/;

/**
 * Code shared by all dashboards, by those with axes, and by those that draw lines. Code that other dashboards share is
 * bundled with them; what dialogs share loads with the first of them.
 */
const SHARED = /\/src\/(base|api|state|ui|cards|run_table|frame)\/(?!dialogs\/)|\/node_modules\/(svelte|d3-format)/;
/** Shared too, but loaded when something needs it: a job, a query, a window. */
const LATER = new RegExp(
  [
    "/src/(api/jobs|state/(job_runner|runs/run_query|cursor/step_marks)|ui/(Keys|SearchField))",
    "/src/run_table/(column_filter|Health|health_|Query|query_)",
  ].join("|"),
);
/** The query language and its field: for the run table when somebody asks for them, and for HParams. */
const QUERY = /\/src\/(state\/runs\/run_query|run_table\/(QueryField|query_))/;
/** Shared by dashboards of samples and by dialogs; the first page of Scalars does without it. */
const SAMPLES = new RegExp(
  [
    "/src/cards/(CardFrame|CardsPage|CardMenu|CursorBar|CursorTrack|CursorSlider|LazyCard|Step|step_)",
    "/src/cards/(card_cursor|card_actions|runs_cursor|copy_text)",
    "/src/(base/time_input|ui/(Dialog|TextDialog|TextField|Tip|Legend|JobProgress|RangeSlider)|frame/HowTo|lines/LineLegend)\\.",
  ].join("|"),
);
const AXES = /\/src\/chart\/axes\/|\/node_modules\/d3-/;
const CHARTS = /\/src\/(chart|lines)\//;

/**
 * The files directly in a dashboard's folder, and all their imports, form one file. Code that loads on demand is in a
 * subfolder, or in `how_to`.
 */
const DASHBOARD = /\/src\/dashboards\/(\w+)\/(?!how_to\.)[^/]+$/;

/** What several dashboards share: otherwise one of them would have it, and the others would load all of that one. */
const OF_DASHBOARDS = /\/src\/(dashboards\/[^/]+$|ui\/SearchField\.)/;

/** Links to the code of the first dashboards in the page's head, so that the browser loads it at once. */
function preloadFirst(): Plugin {
  return {
    name: "preload-first",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }): HtmlTagDescriptor[] {
        const chunks = Object.values(bundle ?? {}).flatMap((file) =>
          file.type === "chunk" && ALWAYS.test(file.facadeModuleId ?? "") ? file : [],
        );
        const names = new Set(chunks.map(({ fileName }) => fileName));
        // A set goes on to what is added while it is walked: imports of imports too.
        for (const name of names) {
          const file = bundle?.[name];
          if (file?.type === "chunk") for (const each of file.imports) names.add(each);
        }
        const missing = [...names].filter((name) => !html.includes(name));
        return missing.map((name) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` },
          injectTo: "head",
        }));
      },
    },
  };
}

/** The start page of a server with projects: the same first code, which sees by the attribute which page it is. */
function projectsPage(): Plugin {
  return {
    name: "projects-page",
    writeBundle({ dir = "." }, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      const html = String(page.source)
        .replace("<html ", '<html data-page="projects" ')
        .replaceAll(/\s*<link rel="modulepreload"[^>]*>/g, "");
      writeFileSync(join(dir, "projects.html"), html);
    },
  };
}

/**
 * Escapes non-ASCII characters, because browsers take longer to parse code with characters beyond Latin-1. Skips files
 * where an escape could change the meaning: after a backslash, or in names with characters that need two escapes. The
 * page never loads such a file first.
 */
function inAscii(): Plugin {
  const letters = /[^\0-\x7f]/g;
  const isDelicate = (code: string): boolean => /[\ud800-\udfff]|\\[^\0-\x7f]/.test(code);
  const escape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return {
    name: "in-ascii",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === "chunk" && !isDelicate(file.code)) file.code = file.code.replace(letters, escape);
    },
  };
}

/**
 * Runs the test files that request a document one after the other. A thread goes on to the next file only if that file
 * runs in the same environment; it ends otherwise, and another one loads everything anew.
 */
class ByEnvironment extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const named = new Map(
      sorted.map((file) => [file, readFileSync(file.moduleId, "utf8").includes("@vitest-environment")]),
    );
    return sorted.toSorted((a, b) => Number(named.get(b)) - Number(named.get(a)));
  }
}

export default defineConfig(({ mode }) => ({
  // Relative, so that the page works under any path prefix of a proxy.
  base: "./",
  plugins: [svelte(), preloadFirst(), projectsPage(), inAscii()],
  build: {
    outDir: "../src/runglass/server/page",
    emptyOutDir: true,
    target: "es2022",
    // No inlined files: the content security policy allows data: URLs for images, but not for fonts or workers.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A browser opens six connections to a server, and the first page should not have to queue for them. So there is
    // one style sheet, one file for the frame, and one for the code that windows and dashboards share.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // The first code names the files of all that may be loaded later: shorter hashes make it smaller.
        entryFileNames: "assets/[name]-[hash:7].js",
        chunkFileNames: "assets/[name]-[hash:7].js",
        codeSplitting: {
          groups: [
            // CommonJS code pulls in the bundler's runtime. Without its own file, every page would load it.
            { name: "highlight", test: /\/node_modules\/highlight\.js\//, priority: 3 },
            { name: "start", tags: ["$initial"], priority: 2 },
            {
              name: "shared",
              minShareCount: 2,
              test: (id) => SHARED.test(id) && !LATER.test(id) && !SAMPLES.test(id),
              priority: 1,
            },
            { name: "axes", minShareCount: 2, test: AXES, priority: 1 },
            { name: "query", minShareCount: 2, test: QUERY },
            { name: "samples", minShareCount: 2, test: SAMPLES },
            { name: "charts", minShareCount: 2, test: CHARTS },
            { name: "dashboards", minShareCount: 2, test: OF_DASHBOARDS },
            { name: (id) => DASHBOARD.exec(id)?.[1] ?? null, test: DASHBOARD },
          ],
        },
      },
    },
  },
  worker: { format: "es", plugins: () => [inAscii()] },
  server: { proxy: { "/api": "http://127.0.0.1:6006" } },
  // Svelte's state works as in a browser. Only the few files that request a document get one, because creating it takes
  // a second each. So does isolating a file, so all files share one context and clean up after themselves.
  ...(mode === "test" && { resolve: { conditions: ["browser"] } }),
  test: {
    environment: "node",
    pool: "threads",
    isolate: false,
    sequence: { sequencer: ByEnvironment },
    include: ["src/**/*.test.ts"],
  },
}));
