// How the page is built, served while developing, and tested.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { HtmlTagDescriptor, Plugin } from "vite";
import { defineConfig } from "vitest/config";

/**
 * The code that every address needs, fetched along with the first of it. What an address needs besides is in its
 * dashboard's folder.
 */
const ALWAYS = /\/src\/main\.ts$/;

/**
 * What all dashboards share, what those that have axes share, and what those that draw lines share; what others share
 * with each other comes with them.
 */
const SHARED = /\/src\/(base|api|state|ui|cards|run_table|frame)\/|\/node_modules\/(svelte|d3-format)/;
const AXES = /\/src\/chart\/axes\/|\/node_modules\/d3-/;
const CHARTS = /\/src\/(chart|lines)\//;

/**
 * What lies in a dashboard's folder itself is one file, with all that it imports. What is fetched only once somebody
 * asks for it lies in a folder within, or says how to log.
 */
const DASHBOARD = /\/src\/dashboards\/(\w+)\/(?!how_to\.)[^/]+$/;

/** Links to the code of the first dashboards in the page's head: the browser begins with it at once. */
function preloadFirst(): Plugin {
  return {
    name: "preload-first",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }): HtmlTagDescriptor[] {
        const chunks = Object.values(bundle ?? {}).flatMap((file) =>
          file.type === "chunk" && ALWAYS.test(file.facadeModuleId ?? "") ? file : [],
        );
        const names = new Set(
          chunks.flatMap(({ fileName, imports }) => [fileName, ...imports]).filter((name) => !html.includes(name)),
        );
        return [...names].map((name) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` },
          injectTo: "head",
        }));
      },
    },
  };
}

/**
 * Browsers take longer to read code that holds a letter beyond Latin-1, so none is left in it; but not where its escape
 * could mean something else: after a backslash, and in names with letters that need two. Such code is never the first.
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

export default defineConfig(({ mode }) => ({
  // Relative, so that the page works under whatever path prefix a proxy puts it.
  base: "./",
  plugins: [svelte(), preloadFirst(), inAscii()],
  build: {
    outDir: "../src/runglass/server/page",
    emptyOutDir: true,
    target: "es2022",
    // A data: URL would be an image or font that the content-security policy does not know.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A browser has six connections to a server, and the first page should not have to queue for them: one style sheet,
    // and one file for the frame and one for what windows and dashboards share with each other.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // CommonJS, which takes the bundler's runtime along: without a file of its own, everybody would fetch it.
            { name: "highlight", test: /\/node_modules\/highlight\.js\//, priority: 3 },
            { name: "start", tags: ["$initial"], priority: 2 },
            { name: "shared", minShareCount: 2, test: SHARED, priority: 1 },
            { name: "axes", minShareCount: 2, test: AXES, priority: 1 },
            { name: "charts", minShareCount: 2, test: CHARTS },
            { name: (id) => DASHBOARD.exec(id)?.[1] ?? null, test: DASHBOARD },
          ],
        },
      },
    },
  },
  worker: { format: "es", plugins: () => [inAscii()] },
  server: { proxy: { "/api": "http://127.0.0.1:6006" } },
  // Svelte's state as in a browser; a document is made for the few files that ask for one, because that takes a second
  // each. So does a world of its own for every file: they share one, and leave nothing behind.
  ...(mode === "test" && { resolve: { conditions: ["browser"] } }),
  test: { environment: "node", pool: "threads", isolate: false, include: ["src/**/*.test.ts"] },
}));
