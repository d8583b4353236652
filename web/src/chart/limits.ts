// Limits of an axis as they are typed.

import { editText, parseX } from "./fobs";
import type { Range, XKind } from "./model";

/**
 * The range that two texts mean: null for automatic when both are empty, an end as it is now when one is, swapped when
 * they are the wrong way round. Undefined when they mean none.
 */
export function readLimits(lowText: string, highText: string, kind: XKind, now: Range): Range | null | undefined {
  if (lowText.trim() === "" && highText.trim() === "") return null;
  const read = (text: string, empty: number): number | null => (text.trim() === "" ? empty : parseX(text, kind));
  const [a, b] = [read(lowText, now[0]), read(highText, now[1])];
  if (a === null || b === null || a === b) return undefined;
  return a < b ? [a, b] : [b, a];
}

/** What stands in the fields at first: what was set, or nothing where the axis follows the data. */
export const writeLimits = (set: Range | null, kind: XKind): readonly [string, string] =>
  set ? [editText(set[0], kind), editText(set[1], kind)] : ["", ""];

/** What an empty field stands for, with as many digits as help. */
export const hintLimit = (value: number, kind: XKind): string =>
  kind === "wall" ? editText(value, kind) : String(Number(value.toPrecision(6)));
