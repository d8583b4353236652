// Statistics of scalar series for every run: the metric columns of the run table and of its query. Requested while they
// are wanted, and again at a slow pace when the logs grow.

import { ApiError } from "../../api/http";
import type { RunColumnQuery, RunValues, RunValuesQuery } from "../../api/types";
import { Pacer } from "../../base/pacer";
import { isSameList } from "../../base/keep_if_equal";
import { columnKey } from "../view/url";
import type { MetricColumn } from "../view/view";

interface Answered {
  readonly runs: readonly string[];
  readonly values: readonly (number | null)[];
  readonly byRun: ReadonlyMap<string, number>;
}

const PACE = { restFactor: 10, minRestMs: 2_000, maxRestMs: 30_000 };
const NO_VALUES: Answered = { runs: [], values: [], byRun: new Map() };

export class RunValuesState {
  /** By column key. Raw: replaced if a value is different. */
  #answered = $state.raw<ReadonlyMap<string, Answered>>(new Map());
  /** Why a column is not available, by key. */
  errors = $state.raw<ReadonlyMap<string, string>>(new Map());
  #wanted: readonly MetricColumn[] = [];
  readonly #asked = new Set<string>();
  readonly #pacer = new Pacer(() => this.load(this.#wanted), PACE);

  constructor(private readonly ask: (query: RunValuesQuery) => Promise<RunValues>) {}

  /** Whether the server has responded for this column. */
  isKnown(column: MetricColumn): boolean {
    return this.#answered.has(columnKey(column));
  }

  value(column: MetricColumn, run: string): number | null {
    return this.byRun(columnKey(column)).get(run) ?? null;
  }

  byRun(key: string): ReadonlyMap<string, number> {
    return (this.#answered.get(key) ?? NO_VALUES).byRun;
  }

  /** Keeps these columns up to date, and no others. Unknown ones are requested at once. */
  want(columns: readonly MetricColumn[]): void {
    this.#wanted = columns;
    const fresh = columns.filter((column) => !this.#asked.has(columnKey(column)));
    if (fresh.length > 0) void this.load(fresh);
  }

  /** The logs have grown. */
  refresh(): void {
    if (this.#wanted.length > 0) this.#pacer.request();
  }

  end(): void {
    this.#pacer.end();
  }

  private async load(columns: readonly MetricColumn[]): Promise<void> {
    if (columns.length === 0) return;
    for (const column of columns) this.#asked.add(columnKey(column));
    try {
      this.keep(columns, await this.ask({ columns: columns.map(toQuery) }));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.code !== "bad_request") {
        // Requested again when the connection is back or the logs grow.
        for (const column of columns) this.#asked.delete(columnKey(column));
      } else if (columns.length > 1) {
        // A column that cannot be computed must not affect the others.
        await Promise.all(columns.map((column) => this.load([column])));
      } else {
        const [key = ""] = columns.map(columnKey);
        this.errors = new Map(this.errors).set(key, cause.message);
        this.#answered = new Map(this.#answered).set(key, NO_VALUES);
      }
    }
  }

  private keep(columns: readonly MetricColumn[], { runs, columns: read }: RunValues): void {
    const answered = new Map(this.#answered);
    let isChanged = false;
    columns.forEach((column, i) => {
      const key = columnKey(column);
      const values = (read[i] ?? []).map((value) => (value === null ? null : Number(value)));
      const old = answered.get(key);
      if (old && isSameList(old.runs, runs) && old.values.every((value, j) => Object.is(value, values[j]))) return;
      isChanged = true;
      const byRun = new Map<string, number>();
      values.forEach((value, j) => value !== null && byRun.set(runs[j] as string, value));
      answered.set(key, { runs, values, byRun });
    });
    if (isChanged) this.#answered = answered;
  }
}

function toQuery(column: MetricColumn): RunColumnQuery {
  const { tag, stat } = column;
  if (column.stat === "at_step") return { tag, stat, step: column.step };
  if (column.stat === "at_best") return { tag, stat, best_tag: column.bestTag, best: column.best };
  return { tag, stat };
}
