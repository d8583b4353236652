// The order people expect: layer2 before layer10, lr_1e-4 before lr_0.01, folders before longer words, ignoring case;
// missing values come last. Pure.

export type Cell = number | string | boolean | null;

const NUMBER = /\d+(?:\.\d+)?(?:e[-+]?\d+)?/g;
const EXPONENT_SHIFT = 400;

/**
 * Sorting these keys sorts the names in natural order, so that ten thousand names are parsed once and not per
 * comparison.
 */
export function naturalKey(name: string): string {
  return name.toLowerCase().replaceAll("/", "\u0001").replace(NUMBER, sortableNumber);
}

/**
 * Exponent first, with the same number of digits for every number; ends with a character that sorts before any digit.
 */
function sortableNumber(digits: string): string {
  const value = Number(digits);
  if (value === 0) return "000\0";
  if (!Number.isFinite(value)) return "999\0";
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  return `${Number(exponent) + EXPONENT_SHIFT}.${mantissa.replace(".", "")}\0`;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Names that differ only in case still have a fixed order. */
export function compareNatural(a: string, b: string): number {
  return compareText(naturalKey(a), naturalKey(b)) || compareText(a, b);
}

/** Sorts like compareNatural, for ten thousand names at once. */
export function sortNatural(names: Iterable<string>): string[] {
  return Array.from(names, (name) => ({ name, key: naturalKey(name) }))
    .sort((a, b) => compareText(a.key, b.key) || compareText(a.name, b.name))
    .map(({ name }) => name);
}

const isMissing = (cell: Cell): boolean =>
  cell === null || cell === "" || (typeof cell === "number" && Number.isNaN(cell));

/** Missing values and NaN are last in both directions; numbers come before texts. */
export function compareCells(a: Cell, b: Cell, isDescending: boolean): number {
  const [isMissingA, isMissingB] = [isMissing(a), isMissing(b)];
  if (isMissingA || isMissingB) return Number(isMissingA) - Number(isMissingB);
  const order = compareKnown(a, b);
  return isDescending ? -order : order;
}

function compareKnown(a: Cell, b: Cell): number {
  if (typeof a === "string" && typeof b === "string") return compareNatural(a, b);
  if (typeof a === "string" || typeof b === "string") return typeof a === "string" ? 1 : -1;
  return Number(a) < Number(b) ? -1 : Number(a) > Number(b) ? 1 : 0;
}

/** The n names with the highest or lowest numbers, best first; names without a number are never among them. */
export function pickExtremes(
  names: readonly string[],
  valueOf: (name: string) => Cell,
  n: number,
  isHighest: boolean,
): string[] {
  return names
    .map((name) => ({ name, value: valueOf(name) }))
    .filter(({ value }) => typeof value === "number" && !Number.isNaN(value))
    .sort((a, b) => compareCells(a.value, b.value, isHighest) || compareNatural(a.name, b.name))
    .slice(0, Math.max(0, n))
    .map(({ name }) => name);
}
