// Sets of rows: as masks with one byte per row, as ascending lists, and as short text for the address. Pure.

export function maskOf(rows: ArrayLike<number>, count: number): Uint8Array {
  const mask = new Uint8Array(count);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (row < count) mask[row] = 1;
  }
  return mask;
}

export function rowsOf(mask: Uint8Array): Int32Array<ArrayBuffer> {
  let count = 0;
  for (const is of mask) count += is ? 1 : 0;
  const rows = new Int32Array(count);
  for (let row = 0, at = 0; row < mask.length; row++) if (mask[row]) rows[at++] = row;
  return rows;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUE_OF: ReadonlyMap<string, number> = new Map([...DIGITS].map((digit, value) => [digit, value]));
/** Longer texts make addresses that cannot be shared. */
const MAX_LENGTH = 12_000;

// Numbers in groups of five bits; the sixth says that more follow.
function writeNumber(number: number): string {
  let text = "";
  let rest = number;
  while (rest > 31) {
    text += DIGITS[32 + (rest % 32)] as string;
    rest = Math.floor(rest / 32);
  }
  return text + (DIGITS[rest] as string);
}

/**
 * Ascending rows as gaps and lengths of runs without a gap: a lasso takes neighbours in the picture, not in the file,
 * but categories are often sorted. Null: too long for an address.
 */
export function writeRows(rows: ArrayLike<number>): string | null {
  let text = "";
  let next = 0;
  for (let i = 0; i < rows.length;) {
    const first = rows[i] as number;
    let length = 1;
    while (i + length < rows.length && rows[i + length] === first + length) length++;
    // The lowest bit says whether a length follows.
    text += writeNumber((first - next) * 2 + (length > 1 ? 1 : 0));
    if (length > 1) text += writeNumber(length - 2);
    if (text.length > MAX_LENGTH) return null;
    next = first + length;
    i += length;
  }
  return text;
}

/** Null: not written by `writeRows`. */
export function readRows(text: string, count: number): Int32Array<ArrayBuffer> | null {
  const numbers: number[] = [];
  let number = 0;
  let scale = 1;
  for (const digit of text) {
    const value = VALUE_OF.get(digit);
    if (value === undefined || scale > 2 ** 40) return null;
    number += (value % 32) * scale;
    if (value >= 32) scale *= 32;
    else {
      numbers.push(number);
      number = 0;
      scale = 1;
    }
  }
  if (scale !== 1) return null;
  const rows: number[] = [];
  let next = 0;
  for (let i = 0; i < numbers.length; i++) {
    const gap = numbers[i] as number;
    const first = next + Math.floor(gap / 2);
    const length = gap % 2 === 1 ? (numbers[++i] ?? 0) + 2 : 1;
    for (let row = first; row < Math.min(first + length, count); row++) rows.push(row);
    next = first + length;
  }
  return Int32Array.from(rows);
}
