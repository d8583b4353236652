// Which row of one embedding is which row of another: the same place where both have as many rows, else the same
// label. Pure.

export interface RowMap {
  /** For each row here, the row there; -1: none. */
  readonly there: Int32Array;
  readonly back: Int32Array;
}

/** Labels that several rows have mean the first of them. */
export function mapByLabel(here: readonly (string | null)[], there: readonly (string | null)[]): RowMap {
  const find = (from: readonly (string | null)[], to: readonly (string | null)[]): Int32Array => {
    const first = new Map<string, number>();
    to.forEach((label, row) => label !== null && !first.has(label) && first.set(label, row));
    return Int32Array.from(from, (label) => (label === null ? -1 : (first.get(label) ?? -1)));
  };
  return { there: find(here, there), back: find(there, here) };
}

/** What rows here have, for the rows there. `missing`: of those that are not here. */
export function carry<T extends Uint8Array | Uint32Array>(values: T, map: RowMap | null, missing: number): T {
  if (!map) return values;
  const carried = values.slice(0, 0).constructor as new (length: number) => T;
  const result = new carried(map.back.length);
  map.back.forEach((row, at) => (result[at] = row < 0 ? missing : (values[row] ?? missing)));
  return result;
}

/** A mask of rows there, for the rows here: all that mean one of them. */
export function carryBack(mask: Uint8Array, map: RowMap | null): Uint8Array {
  return map ? Uint8Array.from(map.there, (row) => (row < 0 ? 0 : (mask[row] ?? 0))) : mask;
}

export function carryRows(rows: ArrayLike<number>, map: RowMap | null): Int32Array {
  if (!map) return Int32Array.from(rows);
  return Int32Array.from(rows, (row) => map.there[row] ?? -1).filter((row) => row >= 0);
}
