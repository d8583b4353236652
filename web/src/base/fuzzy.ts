// Finds names by some of their letters, best first: "vlo" finds val/loss. Pure; fast enough for tens of thousands of
// names, in slices if the page must stay responsive.

export interface Match {
  readonly score: number;
  /** The matched characters of the text, ascending. */
  readonly marks: readonly number[];
}

export interface Ranked<T> extends Match {
  readonly item: T;
}

const NOTHING_ASKED: Match = { score: 0, marks: [] };
// A name can have kilobytes; nobody types that far.
const MAX_LENGTH = 400;
const SLICE = 2_000;

/**
 * Null: the text does not contain the letters of all words in order. Words are separated by blanks and may come in any
 * order.
 */
export function fuzzyMatch(query: string, text: string): Match | null {
  return matchWords(wordsOf(query), text);
}

/** The best `limit` items, best first; equals keep their order. */
export function rank<T>(query: string, items: readonly T[], textOf: (item: T) => string, limit: number): Ranked<T>[] {
  let best: Ranked<T>[] = [];
  for (const soFar of rankSlices(query, items, textOf, limit)) best = soFar;
  return best;
}

/** Like `rank`, but yields the results so far after every slice of items, so that the caller can pause. */
export function* rankSlices<T>(
  query: string,
  items: readonly T[],
  textOf: (item: T) => string,
  limit: number,
): Generator<Ranked<T>[]> {
  const words = wordsOf(query);
  let best: Ranked<T>[] = [];
  for (let from = 0; from === 0 || from < items.length; from += SLICE) {
    const found: Ranked<T>[] = [];
    for (const item of items.slice(from, from + SLICE)) {
      const match = matchWords(words, textOf(item));
      if (match) found.push({ item, ...match });
    }
    best = [...best, ...found].sort((a, b) => b.score - a.score).slice(0, limit);
    yield best;
  }
}

const wordsOf = (query: string): string[] => query.toLowerCase().split(/\s+/).filter(Boolean);

function matchWords(words: readonly string[], text: string): Match | null {
  if (words.length === 0) return NOTHING_ASKED;
  const cut = text.slice(0, MAX_LENGTH);
  const lower = cut.toLowerCase();
  // A few letters become longer in lower case; then the positions would be wrong.
  const plain = lower.length === cut.length ? lower : cut;
  let score = 0;
  const marks = new Set<number>();
  for (const word of words) {
    const places = findWhole(word, plain, cut) ?? findScattered(word, plain);
    if (!places) return null;
    score += scoreOf(places, cut);
    for (const place of places) marks.add(place);
  }
  // Of two equal matches the shorter name wins.
  return { score: score - text.length / 100, marks: [...marks].sort((a, b) => a - b) };
}

/** The word in one piece, preferably at the start of a part of the name. */
function findWhole(word: string, text: string, written: string): number[] | null {
  let at = text.indexOf(word);
  if (at < 0) return null;
  for (let next = at; next >= 0; next = text.indexOf(word, next + 1)) {
    if (isStart(written, next)) {
      at = next;
      break;
    }
  }
  return Array.from(word, (_, i) => at + i);
}

/** The letters in order with others in between: the earliest end, then as close together as possible. */
function findScattered(word: string, text: string): number[] | null {
  let at = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return null;
  }
  const places: number[] = [];
  for (let i = word.length - 1; i >= 0; i--) {
    at = text.lastIndexOf(word[i] as string, at);
    places.unshift(at--);
  }
  return places;
}

function scoreOf(places: readonly number[], text: string): number {
  let score = 0;
  let last = -2;
  for (const place of places) {
    if (place === last + 1) score += 7;
    else score -= last < 0 ? 0 : Math.min(3, (place - last) / 4);
    if (isStart(text, place)) score += 5;
    score += 1;
    last = place;
  }
  return score;
}

/** The first letter of a part: after a separator, or a capital after a small letter. */
function isStart(text: string, place: number): boolean {
  if (place === 0) return true;
  const before = text[place - 1] as string;
  const here = text[place] as string;
  if (/[^\p{L}\p{N}]/u.test(before)) return true;
  return before === before.toLowerCase() && before !== before.toUpperCase() && here !== here.toLowerCase();
}
