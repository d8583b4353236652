// Names as they are shown: characters that draw nothing, or turn the text around them, become visible marks. Pure.

// Not the joiners U+200C and U+200D, which scripts and emoji need.
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const DELETE = 0x7f;
const FIRST_PICTURE = 0x2400;
const DELETE_PICTURE = "\u2421";

/** "a\nb" becomes "a␊b"; U+202E, which would reverse the text after it, becomes "⟨202E⟩". */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (char) => {
    const code = char.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(FIRST_PICTURE + code);
    return code === DELETE ? DELETE_PICTURE : `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
