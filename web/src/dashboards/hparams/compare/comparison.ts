// Some rows of the table side by side: what differs between them, and how far each metric is from the baseline's. Pure.

import { cellText, type Column, isConstant, type SessionTable, VALUE } from "../columns";

export interface Difference {
  /** This row's value minus that of the baseline; NaN where either has none. */
  readonly by: number;
  /** As a share of the baseline's value; NaN where that is zero. */
  readonly share: number;
  readonly verdict: "better" | "worse" | "same" | "unknown";
}

export interface Comparison {
  readonly metrics: readonly Column[];
  /** Settings and facts of the runs that are not the same in all of these rows. */
  readonly differing: readonly Column[];
  /** Settings that are the same here, though not in the whole table. */
  readonly same: readonly Column[];
  /** Settings that are the same in the whole table. */
  readonly constant: readonly Column[];
}

export function compareRows(table: SessionTable, rows: readonly number[]): Comparison {
  const hparams = table.columns.filter(({ kind }) => kind === "hparam");
  const session = table.columns.filter(({ kind }) => kind === "session");
  const hasSome = (column: Column): boolean => rows.some((row) => column.state[row] === VALUE);
  return {
    metrics: table.columns.filter(
      (column) => column.kind === "metric" && (hasSome(column) || rows.some((row) => column.state[row] !== 1)),
    ),
    // Times that read the same are no difference to anybody.
    differing: [...hparams, ...session].filter((column) => differs(column, rows) && readsDifferently(column, rows)),
    same: hparams.filter((column) => !isConstant(column) && !differs(column, rows)),
    constant: hparams.filter((column) => isConstant(column) && !differs(column, rows)),
  };
}

/** Missing differs from every value, and NaN does not differ from NaN. */
export function differs({ numbers, state }: Column, rows: readonly number[]): boolean {
  const [first, ...rest] = rows;
  if (first === undefined) return false;
  return rest.some((row) => state[row] !== state[first] || (state[row] === VALUE && numbers[row] !== numbers[first]));
}

function readsDifferently(column: Column, rows: readonly number[]): boolean {
  return column.kind !== "session" || new Set(rows.map((row) => cellText(column, row))).size > 1;
}

export function differenceTo({ numbers, goal }: Column, row: number, baseline: number): Difference {
  const value = numbers[row] as number;
  const base = numbers[baseline] as number;
  const by = value - base;
  const share = base === 0 ? Number.NaN : by / Math.abs(base);
  const verdict = Number.isNaN(by)
    ? "unknown"
    : by === 0
      ? "same"
      : goal === null
        ? "unknown"
        : by < 0 === (goal === "min")
          ? "better"
          : "worse";
  return { by, share, verdict };
}
