// The order of points in the table. Pure.

import type { Column } from "../answer";

/** Rows without a value are last in either direction; equal ones keep their order. */
export function sortRows(rows: Int32Array, column: Column | null, isDescending: boolean): Int32Array {
  if (!column) return rows;
  const keys = sortKeys(column);
  const sign = isDescending ? -1 : 1;
  return rows.slice().sort((a, b) => {
    const [x, y] = [keys[a] as number, keys[b] as number];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return (x - y) * sign || a - b;
  });
}

/** Texts by the rank of their level, so that a million rows compare numbers. */
function sortKeys(column: Column): Float64Array {
  if (column.type === "number") return column.numbers;
  const { codes, levels } = column;
  const order = Array.from(levels, (_, code) => code).sort((a, b) =>
    (levels[a] as string) < (levels[b] as string) ? -1 : 1,
  );
  const ranks = new Float64Array(levels.length);
  order.forEach((code, rank) => (ranks[code] = rank));
  return Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : (ranks[code] as number)));
}
