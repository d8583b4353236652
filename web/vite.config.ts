// How the page is built, served while developing, and tested.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Relative, so that the page works under whatever path prefix a proxy puts it.
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../src/runglass/server/page",
    emptyOutDir: true,
    target: "es2022",
    // A data: URL would be an image or font that the content-security policy does not know.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:6006" } },
  test: { environment: "jsdom", include: ["src/**/*.test.ts"] },
});
