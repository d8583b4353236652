// Sums of a range as a table shows them: one unit for a column, and two ranges side by side. Pure.

import type { Sum, Sums } from "../answer";

const TIMES = [
  { per: 1e12, name: "s" },
  { per: 1e9, name: "ms" },
  { per: 1e6, name: "µs" },
  { per: 1e3, name: "ns" },
  { per: 1, name: "ps" },
] as const;
const BYTES = [
  { per: 2 ** 30, name: "GiB" },
  { per: 2 ** 20, name: "MiB" },
  { per: 2 ** 10, name: "KiB" },
  { per: 1, name: "B" },
] as const;

export interface ColumnUnit {
  readonly name: string;
  readonly text: (ps: number) => string;
}

/** The unit of a column whose largest number is this; all numbers get the same decimals, so that they align. */
export function columnUnit(largest: number, unit: string): ColumnUnit {
  const units = unit === "bytes" ? BYTES : TIMES;
  const { per, name } = units.find((each) => largest >= each.per) ?? (units.at(-1) as (typeof units)[number]);
  const decimals = per === 1 ? 0 : largest / per >= 100 ? 1 : 2;
  return {
    name,
    text: (ps) => {
      const text = Math.abs(ps / per).toFixed(decimals);
      const grouped = text.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");
      return ps < 0 && Number(text) !== 0 ? `−${grouped}` : grouped;
    },
  };
}

export interface ComparedRow {
  readonly row: Sum;
  readonly first: number;
  readonly second: number;
  readonly change: number;
}

/** Rows of two ranges by their names, the largest change first; what one range lacks is 0 there. */
export function compareSums(first: Sums, second: Sums): readonly ComparedRow[] {
  const other = new Map(second.rows.map((row) => [row.label, row]));
  const rows: ComparedRow[] = first.rows.map((row) => {
    const same = other.get(row.label);
    other.delete(row.label);
    const there = same?.self_ps ?? 0;
    return { row, first: row.self_ps, second: there, change: there - row.self_ps };
  });
  for (const row of other.values()) rows.push({ row, first: 0, second: row.self_ps, change: row.self_ps });
  return rows.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
}
