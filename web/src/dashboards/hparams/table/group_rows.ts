// Rows that belong together: by declared group, by equal settings but for the seed, or by any column; and what a column
// says of a group as a whole. Pure.

import { isSeedName } from "../../../state/runs/groups";
import { type Column, cellText, isConstant, MISSING, type SessionTable, VALUE } from "../columns";
import type { Aggregate } from "../options";
import { quantile } from "../scales";

export interface RowGroup {
  readonly key: string;
  readonly label: string;
  readonly rows: readonly number[];
}

/** `by`: "declared", "config" or the id of a column. In the order of their first row. */
export function groupRows(table: SessionTable, rows: readonly number[], by: string): readonly RowGroup[] {
  const columns = groupColumns(table, by);
  const groups = new Map<string, { label: string; rows: number[] }>();
  for (const row of rows) {
    // Numbers and states instead of texts: a text may round.
    const key = columns.map(({ numbers, state }) => (state[row] === VALUE ? numbers[row] : `s${state[row]}`)).join("|");
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { label: groupLabel(columns, row, by), rows: [row] });
  }
  return [...groups].map(([key, group]) => ({ key, ...group }));
}

function groupColumns(table: SessionTable, by: string): readonly Column[] {
  if (by === "config")
    return table.columns.filter(
      (column) => column.kind === "hparam" && !isSeedName(column.id.slice(2)) && !isConstant(column),
    );
  const column = table.byId.get(by === "declared" ? "s:group" : by);
  return column ? [column] : [];
}

const MAX_PARTS = 4;

function groupLabel(columns: readonly Column[], row: number, by: string): string {
  const texts = columns.map((column) => {
    const text = cellText(column, row) || "missing";
    return by === "declared" ? (text === "missing" ? "no group" : text) : `${column.name} ${text}`;
  });
  if (texts.length === 0) return "all runs";
  return texts.length > MAX_PARTS ? `${texts.slice(0, MAX_PARTS).join(" · ")} …` : texts.join(" · ");
}

/** What a group has in one column. */
export interface Summary {
  /** NaN without numbers. */
  readonly value: number;
  /** How many rows have a number; with levels, how many different ones there are. */
  readonly count: number;
  /** The row that stands for all, if they are equal. */
  readonly common: number | null;
}

export function summarize(column: Column, rows: readonly number[], how: Aggregate): Summary {
  const { numbers, state, levels } = column;
  const [first = -1] = rows;
  const isCommon =
    rows.length > 0 && rows.every((row) => state[row] === state[first] && Object.is(numbers[row], numbers[first]));
  if (levels) {
    const different = new Set(rows.map((row) => (state[row] === MISSING ? -1 : numbers[row])));
    return {
      value: isCommon ? (numbers[first] as number) : Number.NaN,
      count: different.size,
      common: isCommon ? first : null,
    };
  }
  const values = rows.flatMap((row) => (state[row] === VALUE ? [numbers[row] as number] : []));
  return {
    value: aggregate(values, how),
    count: values.length,
    common: isCommon ? first : null,
  };
}

/** NaN if there are too few numbers. */
export function aggregate(values: readonly number[], how: Aggregate): number {
  const n = values.length;
  if (n === 0) return Number.NaN;
  if (how === "min" || how === "max") return values.reduce((a, b) => (how === "min" ? Math.min(a, b) : Math.max(a, b)));
  if (how === "median") return quantile(Float64Array.from(values).sort(), 0.5);
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (how === "mean") return mean;
  if (n < 2) return Number.NaN;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return Math.sqrt(variance / n);
}
