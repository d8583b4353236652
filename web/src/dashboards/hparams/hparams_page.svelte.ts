// State that all views of HParams share: the table of sessions, what the brushes leave of it, colours, and the run
// under the pointer. What the user sets is in the session's settings.

import { tick, untrack } from "svelte";
import type { ApiError } from "../../api/http";
import { afterPaint } from "../../base/defer";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { Goal, MetricQuery, TableAnswer } from "./answer";
import { applyBrushes, type Brush, countFlags, withBrush } from "./brushes";
import { loadTable } from "./ask";
import { type Column, EMPTY_TABLE, isConstant, metricId, pickRows, readTable, type SessionTable } from "./columns";
import {
  BRUSH,
  colorOption,
  GOALS,
  mainMetric,
  readBrushOption,
  readGoals,
  readMetrics,
  readRows,
  readScales,
  ROWS,
  SCALES,
  setBrushOption,
  setColorOption,
  setMainMetric,
  setRows,
} from "./options";
import { colorRows, type RowColors } from "./row_colors";
import { chooseScale, makeScale, type Scale, type ScaleKind } from "./scales";
import { StableOption } from "./options.svelte";

/** New answers wait this long after the last movement of the pointer, so that nothing moves under it. */
const STILL_MS = 1_500;
/** With more rows than this, the views wait this long for the next key of a query. */
const MANY_ROWS = 100;
const PAUSE_MS = 150;

const pages = new WeakMap<Session, HParamsPage>();

/** The one page that all views of a session share. Whoever shows it must call `watch`. */
export function hparamsPageOf(session: Session): HParamsPage {
  let page = pages.get(session);
  // It outlives the component that first requests it: brushes select runs for all dashboards.
  if (!page) $effect.root(() => void pages.set(session, (page = new HParamsPage(session))));
  return page as HParamsPage;
}

export class HParamsPage {
  /** Brushes while the pointer moves one of them; they reach the address when it is released. Raw: replaced. */
  #moving = $state.raw<readonly Brush[] | null>(null);
  #hoveredRun = $state<string | null>(null);
  #watchers = $state(0);
  #endPrefetch: (() => void) | null = null;
  #asked: Promise<TableAnswer> | null = null;
  #isPointed = $state(false);
  #stillTimer: ReturnType<typeof setTimeout> | undefined;
  #kept: { readonly key: string; readonly value: TableAnswer } | null = null;
  /** Rows on the Pareto front, for marks in other views; null: not computed. Raw: replaced. */
  front = $state.raw<Uint8Array | null>(null);
  readonly #data: CardData<readonly MetricQuery[] | null, TableAnswer>;

  constructor(readonly session: Session) {
    const { settings } = session;
    this.#settled = new StableOption(settings, BRUSH, readBrushOption);
    this.#rows = new StableOption(settings, ROWS, () => new Set(readRows(settings)));
    this.#goals = new StableOption(settings, GOALS, readGoals);
    this.#chosenScales = new StableOption(settings, SCALES, readScales);
    this.#data = new CardData<readonly MetricQuery[] | null, TableAnswer>(
      session,
      (metrics, signal) => (this.#asked = loadTable(session.client, metrics, signal)),
      {
        wanted: () => {
          const metrics = readMetrics(session.settings);
          return { key: `${session.changes.epoch} ${metrics?.map(metricId).join("\n") ?? ""}`, query: metrics };
        },
        isWanted: () => this.#watchers > 0 || this.isNarrowing,
        about: ({ generation }) => ({ generation, runs: session.runs.names }),
        isEarly: true,
      },
    );
    // Outside: time.
    $effect(() => {
      const { available } = session.runs;
      const timer = setTimeout(() => (this.#settledRuns = available), PAUSE_MS);
      return () => clearTimeout(timer);
    });
    // Outside: the runs that all other dashboards show.
    $effect(() => {
      const runs = this.#narrowedRuns;
      const isSelection = this.selectedRuns.size > 0;
      if (this.#moving) return;
      untrack(() => {
        session.runs.narrowing = runs && {
          title: isSelection ? "Selected in HParams" : "Brushed in HParams",
          rest: isSelection ? "not selected" : "outside the brushes",
          runs,
          undo: () => this.clear(),
        };
      });
    });
  }

  /** Loads the table for whoever shows it first. Resolves when it is asked for, with the answer. */
  async prefetch(): Promise<readonly Promise<unknown>[]> {
    this.#endPrefetch ??= this.watch();
    await tick();
    return this.#asked ? [this.#asked.catch(() => undefined)] : [];
  }

  /** Loads the table while somebody shows it. Returns a function that ends it. */
  watch(): () => void {
    untrack(() => this.#watchers++);
    this.#endPrefetch?.();
    this.#endPrefetch = null;
    return () => untrack(() => this.#watchers--);
  }

  readonly settings = $derived.by(() => this.session.settings);
  readonly theme = $derived.by(() => this.session.settings.shownTheme);

  readonly answer = $derived.by((): TableAnswer | null => {
    const latest = this.#data.answer;
    // What the user asked for comes at once; news wait until the pointer rests.
    if (latest && (!this.#kept || this.#kept.key !== latest.key || !this.#isPointed)) this.#kept = latest;
    return this.#kept?.value ?? null;
  });
  readonly error = $derived.by((): ApiError | null => this.#data.error);
  readonly isLoading = $derived.by(() => this.#data.answer === null && this.#data.failure === null);
  retry = (): void => this.#data.retry();

  /** The pointer moves over a view. */
  point = (): void => {
    clearTimeout(this.#stillTimer);
    this.#stillTimer = setTimeout(() => (this.#isPointed = false), STILL_MS);
    if (!this.#isPointed) this.#isPointed = true;
  };

  readonly #goals: StableOption<ReadonlyMap<string, Goal>>;
  readonly goals = $derived.by(() => this.#goals.value);
  /** Every session. */
  readonly all = $derived.by((): SessionTable => (this.answer ? readTable(this.answer, this.goals) : EMPTY_TABLE));
  /** Flags of the sessions whose runs are selected in the run table and match its filters. */
  readonly available = $derived.by((): Uint8Array => {
    const { all } = this;
    const { available, names } = this.session.runs;
    const flags = new Uint8Array(all.rows);
    if (available.length === names.length) return flags.fill(1);
    const isAvailable = new Set(available);
    all.members.forEach((members, row) => (flags[row] = Number(members.some((run) => isAvailable.has(run)))));
    return flags;
  });
  /** The available runs as they were when the last pause in typing ended. Raw: replaced. */
  #settledRuns = $state.raw<readonly string[] | null>(null);
  #picked: { readonly all: SessionTable; readonly runs: readonly string[]; readonly table: SessionTable } | null = null;
  /** The available sessions, as all views draw them. Hundreds of them wait for the last key of a query. */
  readonly table = $derived.by((): SessionTable => {
    const { all } = this;
    const { available: runs } = this.session.runs;
    const isWaiting = all.rows > MANY_ROWS && this.#settledRuns !== runs;
    if (this.#picked?.all !== all || (this.#picked.runs !== runs && !isWaiting))
      this.#picked = { all, runs, table: pickRows(all, this.available) };
    return this.#picked.table;
  });
  /** Settings that are the same in all runs. */
  readonly constants = $derived.by((): readonly Column[] => {
    const { columns, rows } = this.table;
    return rows > 1 ? columns.filter((column) => column.kind === "hparam" && isConstant(column)) : [];
  });

  readonly #settled: StableOption<readonly Brush[]>;
  readonly brushes = $derived.by((): readonly Brush[] => this.#moving ?? this.#settled.value);
  /** Flags of the rows that all brushes include. */
  readonly included = $derived.by((): Uint8Array => applyBrushes(this.table, this.brushes));
  readonly includedCount = $derived.by(() => countFlags(this.included));
  readonly isBrushed = $derived.by(() => this.brushes.some(({ column }) => this.table.byId.has(column)));
  readonly isMoving = $derived.by(() => this.#moving !== null);
  readonly isNarrowing = $derived.by(() => this.brushes.length > 0 || this.selectedRuns.size > 0);

  brushOf(id: string): Brush | null {
    return this.brushes.find(({ column }) => column === id) ?? null;
  }

  setBrush(brush: Brush): void {
    this.setBrushes(withBrush(this.brushes, brush));
  }

  setBrushes(brushes: readonly Brush[]): void {
    this.#moving = null;
    setBrushOption(this.settings, brushes);
  }

  /** Like `setBrush`, while the pointer is down: call `endMove` when it is released. */
  moveBrush(brush: Brush): void {
    this.#moving = withBrush(this.brushes, brush);
  }

  /** Like `setBrush`, but the rows come first: the address and what all other dashboards show follow after a paint. */
  filter(brush: Brush): void {
    this.moveBrush(brush);
    afterPaint(() => this.endMove());
  }

  endMove(): void {
    if (this.#moving) this.setBrushes(this.#moving);
  }

  removeBrush(id: string): void {
    this.setBrush({ column: id, ranges: [], levels: null, missing: false });
  }

  /** Removes all brushes and deselects all rows. */
  clear(): void {
    this.setBrushes([]);
    setRows(this.settings, []);
  }

  readonly #rows: StableOption<ReadonlySet<string>>;
  /** The runs of the selected rows. */
  readonly selectedRuns = $derived.by((): ReadonlySet<string> => this.#rows.value);
  /** Row numbers of the selected runs that are in the table. */
  readonly selected = $derived.by((): readonly number[] =>
    [...this.selectedRuns].flatMap((run) => this.table.rowOfRun.get(run) ?? []),
  );

  select(row: number, isAdded = false): void {
    const run = this.table.runs[row];
    if (run !== undefined) this.selectRun(run, isAdded);
  }

  /** Selects only this run, or with `isAdded` this one too; a selected run is deselected. */
  selectRun(run: string, isAdded = false): void {
    const others = isAdded ? [...this.selectedRuns].filter((each) => each !== run) : [];
    const isOff = this.selectedRuns.has(run) && (isAdded || this.selectedRuns.size === 1);
    setRows(this.settings, isOff ? others : [...others, run]);
  }

  selectRuns(runs: readonly string[]): void {
    setRows(this.settings, runs);
  }

  readonly #narrowedRuns = $derived.by((): ReadonlySet<string> | null => {
    const { table, selected, included } = this;
    if (!this.answer || !this.isNarrowing) return null;
    const rows = new Set<string>();
    if (this.selectedRuns.size > 0)
      for (const row of selected) for (const run of table.members[row] ?? []) rows.add(run);
    else if (this.isBrushed) {
      for (let row = 0; row < table.rows; row++)
        if (included[row]) for (const run of table.members[row] ?? []) rows.add(run);
    } else return null;
    return rows;
  });

  /** The run under the pointer, here or in the run table; null: none. */
  readonly hoveredRun = $derived.by(() => this.#hoveredRun ?? this.session.runs.pointedAt);
  /** Its row. */
  readonly hovered = $derived.by((): number | null => {
    const run = this.hoveredRun;
    return run === null ? null : (this.table.rowOfRun.get(run) ?? null);
  });

  hover(row: number | null): void {
    this.hoverRun(row === null ? null : (this.table.runs[row] ?? null));
  }

  hoverRun(run: string | null): void {
    if (run === this.#hoveredRun) return;
    this.#hoveredRun = run;
    // The run table lights this run.
    this.session.runs.nearestInChart = run;
  }

  readonly metrics = $derived.by((): readonly Column[] => this.table.columns.filter(({ kind }) => kind === "metric"));
  readonly #mainText = $derived.by(() => mainMetric(this.settings));
  readonly #colorText = $derived.by(() => colorOption(this.settings));
  /** The main metric: the user's choice, or the first that has values. */
  readonly metric = $derived.by((): Column | null => {
    const chosen = this.table.byId.get(this.#mainText);
    return (
      (chosen?.kind === "metric" ? chosen : null) ??
      this.metrics.find(({ distinct }) => distinct > 1) ??
      this.metrics.find(({ distinct }) => distinct > 0) ??
      this.metrics[0] ??
      null
    );
  });

  setMetric(id: string): void {
    setMainMetric(this.settings, id);
  }

  /** The column that colours rows; null: one colour. */
  readonly colorColumn = $derived.by((): Column | null => {
    if (this.#colorText === "none") return null;
    return this.table.byId.get(this.#colorText) ?? this.metric;
  });
  readonly colors = $derived.by((): RowColors => colorRows(this.table, this.colorColumn));

  setColorBy(id: string): void {
    setColorOption(this.settings, id === this.metric?.id ? "" : id);
  }

  color(row: number): string {
    return this.colors.css(row, this.theme);
  }

  readonly #chosenScales: StableOption<ReadonlyMap<string, ScaleKind>>;
  readonly #scaleKinds = $derived.by(() => this.#chosenScales.value);
  // Made when first asked for, and kept as long as the table.
  readonly #scales = $derived.by(() => (void this.table, new Map<string, Scale>()));

  scaleKind(column: Column): ScaleKind {
    return this.#scaleKinds.get(column.id) ?? chooseScale(column);
  }

  scale(column: Column): Scale {
    const asked = this.#scaleKinds.get(column.id);
    const key = `${asked ?? ""} ${column.id}`;
    let scale = this.#scales.get(key);
    if (!scale) this.#scales.set(key, (scale = makeScale(column, asked ?? chooseScale(column))));
    return scale;
  }

  title(row: number): string {
    return this.session.runs.title(this.table.runs[row] ?? "");
  }
}
