// What the linter looks at on the page; prettier has the say in how code is laid out.

import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["src/api/types.gen.ts", "node_modules/"] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  ...svelte.configs.prettier,
  { languageOptions: { globals: { ...globals.browser, ...globals.worker, ...globals.node } } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig, extraFileExtensions: [".svelte"] } },
  },
  {
    rules: {
      // A message stays in one piece, so that it can be searched for.
      "max-len": [
        "error",
        {
          code: 120,
          ignoreUrls: true,
          ignoreRegExpLiterals: true,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignorePattern: '^\\s*(<[A-Z]\\w* )?[\\w-]+="|svelte-ignore',
        },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      // The compiler checks names, and knows types.
      "no-undef": "off",
      // Data is replaced whole and never edited in place, so plain Maps, Sets and Dates are what we want.
      "svelte/prefer-svelte-reactivity": "off",
      // Takes the reason that follows the code of a svelte-ignore comment for more codes; svelte-check knows better.
      "svelte/no-unused-svelte-ignore": "off",
    },
  },
);
