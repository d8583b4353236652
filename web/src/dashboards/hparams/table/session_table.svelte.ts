// What the table shows: its columns with their widths and texts, and its rows in order, grouped and opened. Rows are
// those of all sessions, in which a query only chooses: the rows that match come before all other views.

import { columnFormat } from "../../../base/format";
import { longestOf, textWidthPx } from "../../../base/text_width";
import { applyBrushes } from "../brushes";
import { type Column, cellText, isConstant, numberText, type SessionTable, VALUE } from "../columns";
import type { HParamsPage } from "../hparams_page.svelte";
import {
  type Aggregate,
  aggregateOption,
  COLUMNS,
  groupOption,
  PINNED,
  readColumns,
  readPinned,
  readSort,
  setColumns,
  setSort,
  SORT,
  type SortKey,
} from "../options";
import { StableOption } from "../options.svelte";
import { groupRows, type RowGroup, type Summary, summarize } from "./group_rows";
import { comparer, naturalRanks, nextKeys, sortRows } from "./sort_rows";

export const ROW_PX = 27;
export const DETAILS_PX = 262;
const MIN_PX = 86;
const MAX_PX = 230;
const CELL_PADDING_PX = 26;
const HEAD_PADDING_PX = 48;
const FONT_PX = 12;
const MAX_MEASURED = 200;

export type Item =
  | { readonly kind: "run"; readonly key: string; readonly row: number; readonly isInGroup: boolean }
  | { readonly kind: "details"; readonly key: string; readonly row: number }
  | { readonly kind: "group"; readonly key: string; readonly group: RowGroup };

export interface ShownColumn {
  readonly column: Column;
  readonly widthPx: number;
  readonly isPinned: boolean;
  readonly write: (row: number) => string;
  readonly writeValue: (value: number) => string;
}

/** The columns that the table has unless the user chose others: metrics, then settings that differ; of one run, all. */
export function usualColumns(columns: readonly Column[], main: Column | null, rows: number): readonly Column[] {
  const metrics = columns.filter(({ kind }) => kind === "metric");
  return [
    ...metrics.filter(({ id }) => id === main?.id),
    ...metrics.filter(({ id }) => id !== main?.id),
    ...columns.filter((column) => column.kind === "hparam" && (rows === 1 || !isConstant(column))),
    ...columns.filter(
      ({ id, distinct }) => (id === "s:status" && distinct > 1) || (id === "s:duration" && distinct > 0),
    ),
  ];
}

export class TableModel {
  /** Runs whose details are open, and keys of open groups. Raw: replaced. */
  openRuns = $state.raw<ReadonlySet<string>>(new Set());
  openGroups = $state.raw<ReadonlySet<string>>(new Set());
  /** Ids of the columns while one of them is dragged. Raw: replaced. */
  draggedIds = $state.raw<readonly string[] | null>(null);

  readonly #keys: StableOption<readonly SortKey[]>;
  readonly #chosen: StableOption<readonly string[]>;
  readonly #pins: StableOption<readonly string[]>;

  constructor(readonly page: HParamsPage) {
    this.#keys = new StableOption(page.settings, SORT, readSort);
    this.#chosen = new StableOption(page.settings, COLUMNS, readColumns);
    this.#pins = new StableOption(page.settings, PINNED, readPinned);
  }

  readonly settings = $derived.by(() => this.page.settings);
  readonly sessions = $derived.by((): SessionTable => this.page.all);
  readonly groupBy = $derived.by(() => groupOption(this.settings));
  readonly how = $derived.by((): Aggregate => aggregateOption(this.settings));
  readonly sort = $derived.by((): readonly SortKey[] => {
    const keys = this.#keys.value.filter(({ column }) => column === "name" || this.sessions.byId.has(column));
    const { metric } = this.page;
    return keys.length > 0 || !metric ? keys : [{ column: metric.id, isDescending: metric.goal !== "min" }];
  });

  readonly ids = $derived.by((): readonly string[] => {
    if (this.draggedIds) return this.draggedIds;
    const { table, metric } = this.page;
    const chosen = this.#chosen.value.filter((id) => table.byId.has(id));
    // What is remembered may be of other runs.
    return chosen.length > 0 ? chosen : usualColumns(table.columns, metric, table.rows).map(({ id }) => id);
  });
  readonly #pinned = $derived.by(() => new Set(this.#pins.value));
  // Widths and digits are those of all sessions: nothing moves while a brush is dragged or a query typed.
  readonly #fits = $derived.by(() => {
    void this.sessions;
    const made = new Map<string, Fit>();
    return (column: Column): Fit => {
      let found = made.get(column.id);
      if (!found) made.set(column.id, (found = fit(column)));
      return found;
    };
  });
  readonly columns = $derived.by((): readonly ShownColumn[] => {
    const [{ byId }, fits, pinned] = [this.sessions, this.#fits, this.#pinned];
    const shown = this.ids.flatMap((id): ShownColumn[] => {
      const column = byId.get(id);
      if (!column) return [];
      const { widthPx, writeValue } = fits(column);
      return [{ column, widthPx, isPinned: pinned.has(id), write: writer(column, writeValue), writeValue }];
    });
    return [...shown.filter(({ isPinned }) => isPinned), ...shown.filter(({ isPinned }) => !isPinned)];
  });

  readonly #nameRanks = $derived.by(() => naturalRanks(this.sessions.runs));
  /** Flags of the available rows that all brushes include. */
  readonly #included = $derived.by((): Uint8Array => {
    const { available, brushes } = this.page;
    const included = applyBrushes(this.sessions, brushes);
    return included.map((flag, row) => flag & (available[row] as number));
  });
  // Sorted once for all rows: a brush or a query only filters the order.
  readonly #order = $derived.by(() =>
    sortRows(this.sessions, [...this.sessions.runs.keys()], this.sort, () => this.#nameRanks),
  );
  /** The included rows in order. */
  readonly rows = $derived.by((): readonly number[] => {
    const included = this.#included;
    return this.#order.filter((row) => included[row]);
  });

  readonly groups = $derived.by((): readonly RowGroup[] | null => {
    if (this.groupBy === "") return null;
    const table = this.sessions;
    const groups = groupRows(table, this.rows, this.groupBy);
    const names = naturalRanks(groups.map(({ label }) => label));
    const keys = this.sort.map(({ column: id, isDescending }) => {
      const column = table.byId.get(id);
      return {
        numbers: column ? Float64Array.from(groups, ({ rows }) => summarize(column, rows, this.how).value) : names,
        isDescending,
      };
    });
    const order = [...groups.keys()].sort(comparer(keys));
    return order.map((i) => groups[i] as RowGroup);
  });

  readonly items = $derived.by((): readonly Item[] => {
    const { runs } = this.sessions;
    const items: Item[] = [];
    const add = (row: number, isInGroup: boolean): void => {
      const run = runs[row] as string;
      items.push({ kind: "run", key: run, row, isInGroup });
      if (this.openRuns.has(run)) items.push({ kind: "details", key: `details ${run}`, row });
    };
    if (!this.groups) for (const row of this.rows) add(row, false);
    else
      for (const group of this.groups) {
        items.push({ kind: "group", key: `group ${group.key}`, group });
        if (this.openGroups.has(group.key)) for (const row of group.rows) add(row, true);
      }
    return items;
  });

  /** By column: the included row with the best value; only for metrics. */
  readonly best = $derived.by((): ReadonlyMap<string, number> => {
    const best = new Map<string, number>();
    for (const { column } of this.columns) {
      if (!column.goal) continue;
      let found = -1;
      for (const row of this.rows) {
        if (column.state[row] !== VALUE) continue;
        const [value, least] = [column.numbers[row] as number, column.numbers[found] as number];
        const isBetter = column.goal === "min" ? value < least : value > least;
        if (found < 0 || isBetter || (value === least && row < found)) found = row;
      }
      if (found >= 0) best.set(column.id, found);
    }
    return best;
  });

  /** Its row in the other views; undefined if they do not show it yet. */
  #drawnRow(row: number): number | undefined {
    return this.page.table.rowOfRun.get(this.sessions.runs[row] ?? "");
  }

  color(row: number): string {
    const drawn = this.#drawnRow(row);
    return drawn === undefined ? "transparent" : this.page.color(drawn);
  }

  isOnFront(row: number): boolean {
    return this.page.front?.[this.#drawnRow(row) ?? -1] === 1;
  }

  summary(column: Column, group: RowGroup): Summary {
    return summarize(column, group.rows, this.how);
  }

  sortBy(id: string, isAdded: boolean): void {
    const column = this.sessions.byId.get(id);
    setSort(this.settings, nextKeys(this.sort, id, column?.goal === "max", isAdded));
  }

  toggleRun(row: number): void {
    this.openRuns = toggled(this.openRuns, this.sessions.runs[row] ?? "");
  }

  toggleGroup({ key }: RowGroup): void {
    this.openGroups = toggled(this.openGroups, key);
  }

  hide(id: string): void {
    setColumns(
      this.settings,
      this.ids.filter((each) => each !== id),
    );
  }

  toggleColumn(id: string): void {
    if (this.ids.includes(id)) this.hide(id);
    else setColumns(this.settings, [...this.ids, id]);
  }

  move(id: string, to: number): void {
    const others = this.ids.filter((each) => each !== id);
    setColumns(this.settings, [...others.slice(0, to), id, ...others.slice(to)]);
  }
}

function toggled(set: ReadonlySet<string>, entry: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(entry)) next.add(entry);
  return next;
}

type Fit = Pick<ShownColumn, "widthPx" | "writeValue">;

const writer =
  (column: Column, writeValue: Fit["writeValue"]): ShownColumn["write"] =>
  (row) =>
    column.levels === null && column.state[row] === VALUE
      ? writeValue(column.numbers[row] as number)
      : cellText(column, row);

function fit(column: Column): Fit {
  const { numbers, state } = column;
  const writeValue =
    column.kind === "metric"
      ? columnFormat(numbers.filter((_, row) => state[row] === VALUE))
      : (value: number) => numberText(column, value);
  const write = writer(column, writeValue);
  const sample = Array.from({ length: Math.min(MAX_MEASURED, numbers.length) }, (_, i) => write(i));
  const cellPx = textWidthPx(longestOf(sample), FONT_PX) + CELL_PADDING_PX;
  const headPx = textWidthPx(column.name, FONT_PX) + HEAD_PADDING_PX;
  return { widthPx: Math.round(Math.min(MAX_PX, Math.max(MIN_PX, cellPx, headPx))), writeValue };
}
