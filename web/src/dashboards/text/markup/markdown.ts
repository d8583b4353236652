// Renders Markdown as safe HTML, with GitHub tables, highlighted code and formulas. Logs are untrusted: all markup goes
// through the sanitiser, nothing loads from other sites, and tags that are not allowed appear as written.

import createPurifier from "dompurify";
import { Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from "marked";
import { parseJson } from "../cells";

const FORMATTING =
  "b|i|u|s|em|strong|del|ins|mark|small|sub|sup|kbd|code|pre|samp|br|hr|p|div|span|blockquote|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|th|td|caption|details|summary";
// A formatting tag, or the start of anything else.
const TAG = new RegExp(`<(/?)(${FORMATTING})(\\s[^<>]*)?/?>|<`, "gi");
const PLAIN_ATTRIBUTE = /(?<=\s)(?:open|(?:colspan|rowspan|align|start)=(?:"\w+"|'\w+'|\w+))(?=[\s/]|$)/gi;
const HTML_TAGS = [...FORMATTING.replace("h[1-6]", "h1|h2|h3|h4|h5|h6").split("|"), "a", "img"];
const MATH_TAGS =
  "math|mi|mn|mo|ms|mtext|mspace|mrow|mfrac|msqrt|mroot|mstyle|merror|mpadded|mphantom|menclose|msub|msup|msubsup|munder|mover|munderover|mmultiscripts|mprescripts|mtable|mtr|mtd".split(
    "|",
  );
const HTML_ATTRIBUTES = ["href", "title", "src", "alt", "colspan", "rowspan", "align", "start", "open", "class"];
const MATH_ATTRIBUTES =
  "display|displaystyle|scriptlevel|mathvariant|mathcolor|mathbackground|mathsize|stretchy|symmetric|fence|separator|form|largeop|movablelimits|accent|accentunder|lspace|rspace|minsize|maxsize|width|height|depth|voffset|linethickness|columnalign|columnspacing|columnlines|rowspacing|rowlines|columnspan|rowspan|notation|style|dir".split(
    "|",
  );
const MATHML = "http://www.w3.org/1998/Math/MathML";
const OUTWARD = /^(?:https?:|mailto:)/i;
const PICTURE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

interface Maths extends Tokens.Generic {
  readonly type: "maths";
  readonly tex: string;
  readonly isBlock: boolean;
}

// Loaded when a text needs them.
let renderMaths: ((tex: string, isBlock: boolean) => string | null) | null = null;
let highlight: ((code: string, language: string) => string | null) | null = null;

const escape = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const renderToken = ({ tex, isBlock }: Maths): string => renderMaths?.(tex, isBlock) ?? `<code>${escape(tex)}</code>`;

/** `$$ … $$` and `\[ … \]` on separate lines. */
const blockMaths: TokenizerAndRendererExtension = {
  name: "maths",
  level: "block",
  start: (text) => text.match(/(?:^|\n)(?:\$\$|\\\[)/)?.index,
  tokenizer(text) {
    const found = /^ {0,3}(?:\$\$([^]+?)\$\$|\\\[([^]+?)\\\])[ \t]*(?:\n|$)/.exec(text);
    return found
      ? { type: "maths", raw: found[0], tex: (found[1] ?? found[2] ?? "").trim(), isBlock: true }
      : undefined;
  },
  renderer: (token) => `<div>${renderToken(token as Maths)}</div>`,
};

/** `$x$` as on GitHub: no space inside the dollar signs and no digit after them, so that prices are not formulas. */
const inlineMaths: TokenizerAndRendererExtension = {
  name: "inlineMaths",
  level: "inline",
  start: (text) => text.match(/\$|\\[([]/)?.index,
  tokenizer(text) {
    const found =
      /^(?:\$\$([^$]+?)\$\$|\$(?!\s)((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\d)|\\\(([^]+?)\\\)|\\\[([^]+?)\\\])/.exec(text);
    if (!found) return undefined;
    const tex = found[1] ?? found[2] ?? found[3] ?? found[4] ?? "";
    return {
      type: "inlineMaths",
      raw: found[0],
      tex: tex.trim(),
      isBlock: found[1] !== undefined || found[4] !== undefined,
    };
  },
  renderer: (token) => renderToken(token as unknown as Maths),
};

const marked = new Marked({
  gfm: true,
  // Differs from TensorBoard: keeps the log's line breaks, because output of models and programs relies on them.
  breaks: true,
  extensions: [blockMaths, inlineMaths],
  renderer: {
    // Handles both HTML blocks and inline tags.
    html: ({ text }) =>
      text.replace(TAG, (_, slash: string, name: string | undefined, attributes = "") =>
        name === undefined
          ? "&lt;"
          : `<${[slash + name, ...(String(attributes).match(PLAIN_ATTRIBUTE) ?? [])].join(" ")}>`,
      ),
    code: ({ text, lang }) => renderCode(text, lang),
    // Do not request the picture's address from any server: show it as a link.
    image({ href, title, text, tokens }) {
      const words = escape(text || this.parser.parseInline(tokens ?? [], this.parser.textRenderer) || "picture");
      const hint = title ? ` title="${escape(title)}"` : "";
      return PICTURE_DATA.test(href)
        ? `<img src="${escape(href)}" alt="${words}"${hint}>`
        : `<a href="${escape(href)}"${hint}>🖼 ${words}</a> <small>${escape(href)}</small>`;
    },
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

function renderCode(code: string, language = ""): string {
  const name = /^[\w+#-]*/.exec(language)?.[0].toLowerCase() ?? "";
  return `<pre><code>${(name && highlight?.(code, name)) || escape(code)}\n</code></pre>`;
}

const purifier = createPurifier(window);
purifier.addHook("uponSanitizeAttribute", (node, attribute) => {
  // Formulas need styles for their layout. Elsewhere, styles would let a log imitate the surrounding page.
  if (attribute.attrName === "style" && node.namespaceURI !== MATHML) attribute.keepAttr = false;
  if (
    attribute.attrName === "class" &&
    node.namespaceURI !== MATHML &&
    !/^(?:hljs-[\w-]+(?: |$)|(?:\w+_+ ?))+$/.test(attribute.attrValue)
  )
    attribute.keepAttr = false;
});
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.localName === "a") {
    // An address without a host would link into the page itself.
    if (!OUTWARD.test(node.getAttribute("href") ?? "")) node.removeAttribute("href");
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  } else if (node.localName === "img" && !PICTURE_DATA.test(node.getAttribute("src") ?? "")) {
    node.remove();
  }
});

function sanitize(html: string): string {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: [...HTML_TAGS, ...MATH_TAGS],
    ALLOWED_ATTR: [...HTML_ATTRIBUTES, ...MATH_ATTRIBUTES],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

async function loadParts(hasMaths: boolean, hasCode: boolean): Promise<void> {
  const [maths, code] = await Promise.all([
    hasMaths && !renderMaths ? import("./maths") : null,
    hasCode && !highlight ? import("./highlight") : null,
  ]);
  renderMaths ??= maths?.renderMaths ?? null;
  highlight ??= code?.highlight ?? null;
}

/** Loads the code that a text seems to need, before it is laid out. */
export const prepareFor = (text: string): Promise<void> =>
  loadParts(/\$[^$]+\$|\\[([]/.test(text), /^ *(?:```|~~~) *\w/m.test(text));

/** Returns markup that is safe to insert into the page. */
export async function renderMarkdown(text: string): Promise<string> {
  // Differs from TensorBoard: shows a JSON object or list as code. Markdown would join its lines.
  const tokens: Token[] =
    parseJson(text) === undefined ? marked.lexer(text) : [{ type: "code", raw: text, text: text.trim(), lang: "json" }];
  let hasMaths = false;
  let hasCode = false;
  marked.walkTokens(tokens, (token) => {
    if (token.type === "maths" || token.type === "inlineMaths") hasMaths = true;
    if (token.type === "code" && token.lang) hasCode = true;
  });
  await loadParts(hasMaths, hasCode);
  return sanitize(marked.parser(tokens));
}
