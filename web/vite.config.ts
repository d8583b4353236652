// How the page is built, served while developing, and tested.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { HtmlTagDescriptor, Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** What most pages show first, so that its code comes along with the frame's and not after it. */
const FIRST_CHUNKS = /\/dashboards\/(overview\/Overview|scalars\/(Scalars|LooseCard))\.svelte$/;

/** What the first page and others share; what only later dashboards share with each other comes with them. */
const OURS = /\/src\/(api|state|chart|ui|lines|frame)\/|\/dashboards\/(overview|scalars)\/|\/node_modules\/(svelte|d3-)/;

/** Links to the code of the first dashboards in the page's head: the browser begins with it at once. */
function preloadFirst(): Plugin {
  return {
    name: "preload-first",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }): HtmlTagDescriptor[] {
        const chunks = Object.values(bundle ?? {}).flatMap((file) => (file.type === "chunk" && FIRST_CHUNKS.test(file.facadeModuleId ?? "") ? file : []));
        const names = new Set(chunks.flatMap(({ fileName, imports }) => [fileName, ...imports]).filter((name) => !html.includes(name)));
        return [...names].map((name) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `./${name}` }, injectTo: "head" }));
      },
    },
  };
}

export default defineConfig(({ mode }) => ({
  // Relative, so that the page works under whatever path prefix a proxy puts it.
  base: "./",
  plugins: [svelte(), preloadFirst()],
  build: {
    outDir: "../src/runglass/server/page",
    emptyOutDir: true,
    target: "es2022",
    // A data: URL would be an image or font that the content-security policy does not know.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A browser has six connections to a server, and the first page should not have to queue for them: one style sheet, and
    // one file for the frame and one for what windows and dashboards share with each other.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "frame", tags: ["$initial"], priority: 1 },
            { name: "shared", minShareCount: 2, test: OURS },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:6006" } },
  // Svelte's state as in a browser; a document is made for the few files that ask for one, because that takes a second each.
  ...(mode === "test" && { resolve: { conditions: ["browser"] } }),
  test: { environment: "node", include: ["src/**/*.test.ts"] },
}));
