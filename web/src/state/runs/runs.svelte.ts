// The runs: which exist, which are listed in which order, which are shown, and their colours. The user's choices are in
// the view and in the overlay; this derives the rest.

import type { Run, TagIndex } from "../../api/types";
import { type Color, HUES, PALETTE } from "./colors";
import { hparamOf } from "./groups";
import type { HParamsState } from "./hparams.svelte";
import { type Cell, compareCells, pickExtremes, sortNatural } from "../../base/natural";
import type { Overlay } from "../kept/overlay.svelte";
import { compilePattern, type Pattern } from "../../base/pattern";
import { visibleText } from "../../base/visible_text";
import { QueryError } from "./query_tokens";
import { colorBands, colorRuns, NO_LEGEND, type RunColors, shadeOf } from "./run_colors";
import { findTrainings, trainingOfRun } from "./trainings";
import { hashName, type RunKey, runKey } from "./run_key";
import type { NotFiniteState } from "./not_finite.svelte";
import type { compileQuery, Has, QueryColumn, RunQuery } from "./run_query";
import { makeList, makeRows, makeTree } from "./run_tree";
import type { RunValuesState } from "./run_values.svelte";
import { isSelected, only, type Selection, withRuns } from "./selection";
import type { Settings } from "../view/settings.svelte";
import { isSameList, isSameMap, keepIfEqual } from "../../base/keep_if_equal";
import { columnKey } from "../view/url";
import type { MetricColumn, RunColumn, RunInfoName } from "../view/view";

const NO_DASH: readonly number[] = [];
const isMetric = (column: QueryColumn): column is MetricColumn => column.kind === "metric";
const secondsOf = (time: Run["start_time"]): number | null => (time === null ? null : Number(time));

/** Runs that a dashboard leaves, by a brush for instance: the others are not listed. */
export interface Narrowing {
  /** What narrowed them: "Brushed in HParams". */
  readonly title: string;
  /** What the other runs are: "outside the brushes". */
  readonly rest: string;
  readonly runs: ReadonlySet<string>;
  readonly undo: () => void;
}

export interface Choice {
  readonly runs: ReadonlySet<string>;
  readonly choose: (run: string) => void;
}

export class RunsState {
  /** Oldest first, as the server lists them. Raw: replaced as a whole, and there may be thousands. */
  all = $state.raw<readonly Run[]>([]);
  /** Replaced only when a run appears or disappears, so that nothing that depends on it runs while runs merely grow. */
  names = $state.raw<readonly string[]>([]);
  /** The run under the pointer in the run table: charts highlight it. */
  pointedAt = $state<string | null>(null);
  /** The run nearest to the pointer in a chart. */
  nearestInChart = $state<string | null>(null);
  /** Not in the view: the dashboard keeps there what it follows from. Raw: replaced as a whole. */
  narrowing = $state.raw<Narrowing | null>(null);
  /** Colours that the open dashboard gives to runs, if it has its own. Raw: a function. */
  tint = $state.raw<((name: string) => string | undefined) | null>(null);
  /** The runs that the open dashboard can be about, if it is about one of them. Raw: replaced as a whole. */
  choice = $state.raw<Choice | null>(null);
  /** Whether the table lists hidden runs. */
  showsHidden = $state(false);
  /** Whether the columns are visible. */
  isTableOpen = $state(false);
  /** A metric that a dialog compares runs by, whether or not the table shows it. */
  comparedBy = $state.raw<MetricColumn | null>(null);

  constructor(
    private readonly settings: Settings,
    private readonly overlay: Overlay,
    private readonly hparams: HParamsState,
    private readonly values: RunValuesState,
    /** Of scalars; null while it is unknown. */
    private readonly tagIndex: () => TagIndex | null,
    private readonly notFinite: Pick<NotFiniteState, "isKnown" | "has">,
  ) {}

  /** All scalar tags of all runs; null while they are unknown. The first read starts listing them. */
  readonly scalarTags = $derived.by((): ReadonlySet<string> | null => {
    const index = this.tagIndex();
    return index && new Set(index.tag_sets.flatMap((tags) => Object.keys(tags)));
  });

  readonly byName = $derived(new Map(this.all.map((run) => [run.name, run])));
  /** The run that is listed for this one: another one if it only holds the records of that. */
  #rowOf(name: string): string {
    const { merged } = this.hparams;
    return Object.hasOwn(merged, name) ? (merged[name] as string) : name;
  }
  readonly #natural = $derived(sortNatural(this.names.filter((name) => this.#rowOf(name) === name)));

  /** How many runs have a row of their own, and how many of these are shown. */
  readonly count = $derived(this.#natural.length);
  readonly shownCount = $derived.by(() => this.shown.filter((name) => this.#rowOf(name) === name).length);

  // While a filter is invalid, the last valid one applies.
  #goodPattern: Pattern = compilePattern("");
  readonly pattern = $derived.by((): Pattern => {
    const pattern = compilePattern(this.settings.runFilter);
    if (pattern.error === "") this.#goodPattern = pattern;
    return { matches: this.#goodPattern.matches, error: pattern.error };
  });

  readonly hasQuery = $derived.by(() => this.settings.runQuery.trim() !== "");
  /** Loaded with the first query; null until then. */
  compileQuery = $state.raw<typeof compileQuery | null>(null);
  #goodQuery: RunQuery | null = null;
  /** The query, and the error in its text. */
  readonly query = $derived.by((): { readonly compiled: RunQuery | null; readonly error: QueryError | null } => {
    if (!this.hasQuery) return { compiled: (this.#goodQuery = null), error: null };
    if (!this.compileQuery) return { compiled: null, error: null };
    const catalog = { hparams: this.hparams.names, tags: this.scalarTags };
    try {
      return { compiled: (this.#goodQuery = this.compileQuery(this.settings.runQuery, catalog)), error: null };
    } catch (cause) {
      if (!(cause instanceof QueryError)) throw cause;
      return { compiled: this.#goodQuery, error: cause };
    }
  });
  readonly #queriedMetrics = $derived((this.query.compiled?.columns ?? []).filter(isMetric));
  /** The query asks for runs with values that are not finite. */
  readonly wantsNotFinite = $derived(
    (this.query.compiled?.columns ?? []).some(
      (column) => column.kind === "has" && (column.name === "nan" || column.name === "inf"),
    ),
  );
  /** Something that is always visible depends on them. */
  get needsHparams(): boolean {
    return this.hasQuery || this.#usesHparams;
  }
  /** The query waits for the numbers or names that it refers to. */
  readonly isPending = $derived.by(
    () =>
      (this.wantsNotFinite && !this.notFinite.isKnown) ||
      (this.hasQuery && (!this.hparams.isKnown || !this.compileQuery)) ||
      this.#queriedMetrics.some((column) => !this.values.isKnown(column)),
  );
  /** The metrics to load for the query and for the visible columns. */
  readonly wantedMetrics = $derived.by(() => [
    ...this.#queriedMetrics,
    ...(this.isTableOpen ? this.settings.columns.filter(isMetric) : []),
    ...(this.comparedBy ? [this.comparedBy] : []),
  ]);

  readonly #keepHidden = keepIfEqual<ReadonlyMap<string, boolean>>(isSameMap);
  readonly #hidden = $derived.by(() =>
    this.#keepHidden(
      new Map([...this.overlay.runs].filter(([, marks]) => marks.isHidden).map(([name]) => [name, true])),
    ),
  );
  readonly hiddenCount = $derived(
    this.#hidden.size === 0 ? 0 : this.names.filter((name) => this.#hidden.has(name)).length,
  );
  /** All labels of all runs, in order. */
  readonly labels = $derived.by(() =>
    sortNatural([...new Set([...this.overlay.runs.values()].flatMap(({ labels = [] }) => labels))]),
  );
  readonly #keepTitles = keepIfEqual<ReadonlyMap<string, string>>(isSameMap);
  readonly #titles = $derived.by(() =>
    this.#keepTitles(
      new Map(
        [...this.overlay.runs].flatMap(([name, marks]) =>
          marks.name === undefined ? [] : [[name, marks.name] as const],
        ),
      ),
    ),
  );

  // The query runs again whenever a value changes, usually with the same result. While it waits, the old result stays.
  #matched: readonly string[] = [];
  readonly #matching = $derived.by(() => {
    const { compiled } = this.query;
    if (this.isPending) return this.#matched;
    const [{ matches }, titles] = [this.pattern, this.#titles];
    const named = this.#natural.filter((name) => matches(name) || (titles.has(name) && matches(this.title(name))));
    const matching = compiled ? named.filter((name) => compiled.matches(name, this.cell)) : named;
    if (!isSameList(matching, this.#matched)) this.#matched = matching;
    return this.#matched;
  });

  readonly #unnarrowed = $derived(
    this.#hidden.size === 0 || this.showsHidden
      ? this.#matching
      : this.#matching.filter((name) => !this.#hidden.has(name)),
  );
  /** Names of the runs that match the filters, in natural order. */
  readonly listed = $derived.by(() => {
    const { narrowing } = this;
    return narrowing ? this.#unnarrowed.filter((name) => narrowing.runs.has(name)) : this.#unnarrowed;
  });
  /** How many runs only the narrowing keeps from being listed. */
  readonly narrowedCount = $derived(this.#unnarrowed.length - this.listed.length);
  /** Names of the selected runs that are listed and not hidden. With thousands, every read of a signal counts. */
  #selectedIn(listed: ReadonlySet<string>): string[] {
    const [selected, hidden, { merged }] = [this.#selected, this.#hidden, this.hparams];
    return this.names.filter((name) => {
      const row = Object.hasOwn(merged, name) ? (merged[name] as string) : name;
      return selected.has(name) && listed.has(row) && !hidden.has(row);
    });
  }
  readonly #listedSet = $derived(new Set(this.listed));
  readonly #selected = $derived.by(
    () => new Set(this.names.filter((name) => isSelected(this.settings.selection, this.#rowOf(name)))),
  );
  readonly #keepShown = keepIfEqual<readonly string[]>(isSameList);
  /** Names of the runs that charts show, oldest first: listed, selected and not hidden. */
  readonly shown = $derived(this.#keepShown(this.#selectedIn(this.#listedSet)));
  readonly #keepAvailable = keepIfEqual<readonly string[]>(isSameList);
  /** Names of the runs that would be shown if nothing were narrowed. */
  readonly available = $derived.by(() => {
    if (!this.narrowing) return this.#keepAvailable(this.shown);
    return this.#keepAvailable(this.#selectedIn(new Set(this.#unnarrowed)));
  });
  readonly isAllShown = $derived(this.shown.length === this.names.length);

  readonly sortColumn = $derived.by(
    () => this.settings.columns.find((column) => columnKey(column) === this.settings.sort?.column) ?? null,
  );
  /** The listed runs in the user's sort order; equal ones stay in natural order. */
  readonly ordered = $derived.by((): readonly string[] => {
    const { sort } = this.settings;
    const column = this.sortColumn;
    if (sort?.column === "name") return sort.isDescending ? this.listed.toReversed() : this.listed;
    if (!sort || !column) return this.listed;
    const rows = this.listed.map((name) => ({ name, cell: this.cell(column, name) }));
    return rows.sort((a, b) => compareCells(a.cell, b.cell, sort.isDescending)).map(({ name }) => name);
  });
  readonly tree = $derived.by(() => (this.settings.isTree ? makeTree(this.ordered) : makeList(this.ordered)));
  readonly rows = $derived.by(() => makeRows(this.tree, (path) => this.settings.collapsedFolders.has(path)));

  readonly #keepOwn = keepIfEqual<ReadonlyMap<string, string>>(isSameMap);
  readonly #ownColors = $derived.by(() =>
    this.#keepOwn(
      new Map(
        [...this.overlay.runs].flatMap(([name, marks]) =>
          marks.color === undefined ? [] : [[name, marks.color] as const],
        ),
      ),
    ),
  );
  // Only some ways to colour and group runs use hyperparameters.
  readonly #usesHparams = $derived.by(() =>
    [this.settings.colorBy, this.settings.groupBy].some((by) => by === "config" || by.startsWith("hparam:")),
  );
  readonly #trainings = $derived(findTrainings(this.names));
  readonly #colored = $derived.by((): RunColors => {
    const { colorBy, groupBy } = this.settings;
    const hparams = this.#usesHparams ? this.hparams.runs : {};
    return groupBy
      ? colorBands(this.names, groupBy, hparams, this.shown, colorBy)
      : colorRuns(
          this.names,
          colorBy,
          hparams,
          { runs: this.shown, own: this.#ownColors, hidden: this.#hidden },
          this.#trainings,
        );
  });
  // Selecting runs seldom changes a colour.
  readonly #keepColors = keepIfEqual<RunColors["colors"]>(isSameMap);
  readonly #colors = $derived.by(() => this.#keepColors(this.#colored.colors));
  readonly #keepLooks = keepIfEqual<RunColors["looks"]>(isSameMap);
  readonly #looks = $derived.by(() => {
    const isOwn = !this.settings.groupBy && this.settings.colorBy === "run";
    return this.#keepLooks(isOwn ? this.#trainings.looks : this.#colored.looks);
  });
  // A dashboard may tint all runs: then nobody asks for other colours.
  readonly legend = $derived.by(() => (this.settings.colorBy === "run" ? NO_LEGEND : this.#colored.legend));
  readonly #nameByKey = $derived(new Map(this.names.map((name) => [runKey(name), name])));

  /** The colour of the run: that of its training, or of its group. */
  color(name: string, theme: "light" | "dark"): string {
    return this.tint?.(name) ?? this.#ownColor(name) ?? this.#hue(name)[theme];
  }

  /** The colour of the run's line in a chart with other parts of its training. */
  shade(name: string, theme: "light" | "dark"): string {
    return this.tint?.(name) ?? this.#ownColor(name) ?? shadeOf(this.#hue(name), this.#looks.get(name))[theme];
  }

  /** The dashes of the run's line in a chart with other parts of its training; none for a solid line. */
  dash(name: string): readonly number[] {
    return this.#looks.get(name)?.dash ?? NO_DASH;
  }

  // A chart may show a run before it is listed.
  #hue(name: string): Color {
    return this.#colors.get(name) ?? (PALETTE[hashName(trainingOfRun(name)) % HUES] as Color);
  }

  #ownColor(name: string): string | undefined {
    return this.settings.groupBy ? undefined : this.#ownColors.get(name);
  }

  /** Whether the run is one of several parts of a training, so that its line tells more than its colour. */
  isPart(name: string): boolean {
    return !(this.settings.groupBy && this.settings.colorBy === "run") && this.#trainings.parts.has(name);
  }

  /** The display name of the run. */
  title(name: string): string {
    return visibleText(this.#titles.get(name) ?? name);
  }

  /** Whether the user gave it a name: then slashes in its title do not separate directories. */
  isRenamed(name: string): boolean {
    return this.#titles.has(name);
  }

  isHidden(name: string): boolean {
    return this.#hidden.has(name);
  }

  nameOf = (key: RunKey): string | undefined => this.#nameByKey.get(key);

  isSelected(name: string): boolean {
    return this.#selected.has(name);
  }

  /** The value of a column for a run; null if it has none. */
  cell = (column: QueryColumn, name: string): Cell => {
    if (column.kind === "metric") return this.values.value(column, name);
    if (column.kind === "hparam") return hparamOf(this.hparams.runs, name, column.name);
    if (column.kind === "label") return this.isLabelled(name, column.name);
    if (column.kind === "has") return this.has(column.name, name);
    return column.kind === "info" ? this.info(column.name, name) : this.mark(column.name, name);
  };

  /** Case does not matter. */
  private isLabelled(name: string, label: string): boolean {
    const wanted = label.toLowerCase();
    return (this.overlay.of(name).labels ?? []).some((each) => each.toLowerCase() === wanted);
  }

  private has(what: Has, name: string): boolean {
    if (what === "nan" || what === "inf") return this.notFinite.has(what, name);
    const { labels, note } = this.overlay.of(name);
    return what === "label" ? labels !== undefined : note !== undefined;
  }

  private info(column: RunInfoName, name: string): Cell {
    if (column === "note") return this.overlay.of(name).note ?? null;
    const run = this.byName.get(name);
    if (!run) return null;
    const [started, updated] = [secondsOf(run.start_time), secondsOf(run.last_wall_time)];
    switch (column) {
      case "started":
        return started;
      case "updated":
        return updated;
      case "duration":
        return started === null || updated === null ? null : updated - started;
      default:
        return run[column];
    }
  }

  private mark(column: Extract<QueryColumn, { kind: "run" }>["name"], name: string): Cell {
    switch (column) {
      case "name":
        return name;
      case "title":
        return this.title(name);
      case "starred":
        return this.overlay.of(name).isStarred === true;
      case "hidden":
        return this.isHidden(name);
      case "baseline":
        return this.overlay.baseline === name;
      default:
        return this.isSelected(name);
    }
  }

  setAll(runs: readonly Run[]): void {
    this.all = runs;
    const isSame = runs.length === this.names.length && runs.every((run, i) => run.name === this.names[i]);
    if (!isSame) this.names = runs.map((run) => run.name);
  }

  setSelected(names: readonly string[], isOn: boolean): void {
    this.setSelection(withRuns(this.settings.selection, names, isOn, this.names));
  }

  /** Selects or deselects all listed runs; others do not change. */
  setListedSelected(isOn: boolean): void {
    this.setSelected(this.listed, isOn);
  }

  selectOnly(...names: string[]): void {
    this.setSelection(only(...names));
  }

  invertListed(): void {
    const on = this.listed.filter((name) => !this.isSelected(name));
    const off = this.listed.filter((name) => this.isSelected(name));
    this.setSelection(withRuns(withRuns(this.settings.selection, off, false, this.names), on, true, this.names));
  }

  /** The listed runs that are highest or lowest in a column. */
  extremes(column: RunColumn, n: number, isHighest: boolean): string[] {
    return pickExtremes(this.listed, (name) => this.cell(column, name), n, isHighest);
  }

  setSelection(selection: Selection): void {
    this.settings.set({ selection });
  }

  /** How many runs that the address selects by name do not exist. */
  readonly goneCount = $derived.by(() => {
    const { base, except } = this.settings.selection;
    return base === "all" ? 0 : [...except].filter((key) => this.nameOf(key) === undefined).length;
  });
}
