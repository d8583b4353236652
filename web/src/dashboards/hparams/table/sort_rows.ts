// The order of rows by several columns. Pure.

import { compareNatural, sortNatural } from "../../../base/natural";
import { type Column, MINUS_INFINITY, PLUS_INFINITY, type SessionTable, VALUE } from "../columns";
import type { SortKey } from "../options";

const MAX_NAMES_COMPARED = 500;

/** A number for each row that sorts like its cells; NaN for missing values and NaN, which come last. */
export function sortNumbers({ numbers, state, levels }: Column): Float64Array {
  const rank = levels && naturalRanks(levels);
  return numbers.map((number, row) =>
    state[row] === VALUE
      ? rank
        ? (rank[number] as number)
        : number
      : state[row] === PLUS_INFINITY
        ? Infinity
        : state[row] === MINUS_INFINITY
          ? -Infinity
          : Number.NaN,
  );
}

/** The place of every text in natural order. */
export function naturalRanks(texts: readonly string[]): Float64Array {
  const place = new Map(sortNatural(texts).map((text, i) => [text, i]));
  return Float64Array.from(texts, (text) => place.get(text) ?? 0);
}

/** Compares two indices by several keys; missing values are last in both directions. 0: equal by all keys. */
export function comparer(
  keys: readonly { readonly numbers: Float64Array; readonly isDescending: boolean }[],
): (a: number, b: number) => number {
  return (a, b) => {
    for (const { numbers, isDescending } of keys) {
      const [x, y] = [numbers[a] as number, numbers[b] as number];
      if (x === y) continue;
      const [isLastX, isLastY] = [Number.isNaN(x), Number.isNaN(y)];
      if (isLastX && isLastY) continue;
      if (isLastX || isLastY) return isLastX ? 1 : -1;
      return x < y === isDescending ? 1 : -1;
    }
    return 0;
  };
}

/** `nameRanks`: places of the runs' names in natural order, asked for only if needed. Equal rows are in that order. */
export function sortRows(
  table: SessionTable,
  rows: readonly number[],
  keys: readonly SortKey[],
  nameRanks: () => Float64Array,
): number[] {
  const used = keys.flatMap(({ column: id, isDescending }) => {
    if (id === "name") return [{ numbers: nameRanks(), isDescending }];
    const column = table.byId.get(id);
    return column ? [{ numbers: sortNumbers(column), isDescending }] : [];
  });
  const compare = comparer(used);
  // Ranking all names takes longer than the sort itself, and few measured values are equal.
  let ties = 0;
  let ranks: Float64Array | null = null;
  return [...rows].sort((a, b) => {
    const order = compare(a, b);
    if (order !== 0) return order;
    if (ranks === null && ++ties <= MAX_NAMES_COMPARED)
      return compareNatural(table.runs[a] as string, table.runs[b] as string);
    ranks ??= nameRanks();
    return (ranks[a] as number) - (ranks[b] as number);
  });
}

/**
 * The keys after a click on a head: ascending, descending, not at all; a metric starts with its best. `isAdded` keeps
 * the other keys.
 */
export function nextKeys(keys: readonly SortKey[], id: string, startsDescending: boolean, isAdded: boolean): SortKey[] {
  const at = keys.findIndex(({ column }) => column === id);
  const old = keys[at];
  const next: SortKey | null = !old
    ? { column: id, isDescending: startsDescending }
    : old.isDescending === startsDescending
      ? { column: id, isDescending: !startsDescending }
      : null;
  if (!isAdded) return next ? [next] : [];
  if (at < 0) return next ? [...keys, next] : [...keys];
  return [...keys.slice(0, at), ...(next ? [next] : []), ...keys.slice(at + 1)];
}
