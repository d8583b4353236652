// Highlights a word everywhere in a part of the page, without changing the DOM.

const NAME = "text-search";
const MOST = 500;

/** Returns a function that removes the highlights. */
export function markMatches(root: Element, word: string, isCaseSensitive: boolean): () => void {
  // Older browsers can search too, but do not highlight matches.
  if (!word || typeof Highlight === "undefined") return () => {};
  const marks = CSS.highlights.get(NAME) ?? new Highlight();
  CSS.highlights.set(NAME, marks);
  const ranges: Range[] = [];
  const fold = (text: string): string => (isCaseSensitive ? text : text.toLowerCase());
  const wanted = fold(word);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
    const text = fold(node.textContent ?? "");
    // A few letters change length with case, which would shift the positions.
    if (text.length !== node.textContent?.length) continue;
    for (
      let at = text.indexOf(wanted);
      at >= 0 && ranges.length < MOST;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
      marks.add(range);
    }
  }
  return () => {
    for (const range of ranges) marks.delete(range);
  };
}
