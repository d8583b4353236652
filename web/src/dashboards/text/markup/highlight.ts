// Syntax highlighting for languages that are common in logs. Loads with the first text that contains such code.

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import diff from "highlight.js/lib/languages/diff";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

for (const [name, language] of Object.entries({
  bash,
  cpp,
  diff,
  ini,
  javascript,
  json,
  python,
  sql,
  typescript,
  xml,
  yaml,
}))
  hljs.registerLanguage(name, language);
hljs.registerAliases(["shell", "console"], { languageName: "bash" });

const LONGEST = 60_000;

/** Returns markup with escaped text, or null if the language is not supported. */
export function highlight(code: string, language: string): string | null {
  if (code.length > LONGEST || !hljs.getLanguage(language)) return null;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
