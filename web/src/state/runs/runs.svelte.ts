// The runs: which there are, which are listed in which order, which are shown, and their colours. What the user chose
// is in the view and in the overlay; this is what follows from it.

import type { Run, TagIndex } from "../../api/types";
import { HUES, PALETTE } from "./colors";
import { hparamOf } from "./groups";
import type { HParamsState } from "./hparams.svelte";
import { type Cell, compareCells, pickExtremes, sortNatural } from "../../base/natural";
import type { Overlay } from "../kept/overlay.svelte";
import { compilePattern, type Pattern } from "../../base/pattern";
import { QueryError } from "./query_tokens";
import { colorRuns } from "./run_colors";
import { hashName, type RunKey, runKey } from "./run_key";
import { compileQuery, type QueryColumn, type RunQuery } from "./run_query";
import { makeList, makeRows, makeTree } from "./run_tree";
import type { RunValuesState } from "./run_values.svelte";
import { isSelected, only, type Selection, withRuns } from "./selection";
import type { Settings } from "../view/settings.svelte";
import { isSameList, isSameMap, steady } from "../../base/steady";
import { columnKey } from "../view/url";
import type { MetricColumn, RunColumn, RunInfoName } from "../view/view";

const isMetric = (column: QueryColumn): column is MetricColumn => column.kind === "metric";
const secondsOf = (time: Run["start_time"]): number | null => (time === null ? null : Number(time));

export class RunsState {
  /** Oldest first, as the server lists them. Raw: replaced whole, and there may be thousands. */
  all = $state.raw<readonly Run[]>([]);
  /** Replaced only when a run comes or goes, so that what hangs on it rests while runs merely grow. */
  names = $state.raw<readonly string[]>([]);
  /** The run under the pointer in the run table: charts bring it forward. */
  pointedAt = $state<string | null>(null);
  /** The run nearest to the pointer in a chart. */
  lookedAt = $state<string | null>(null);
  /** Hidden runs are in the table, for once. */
  showsHidden = $state(false);
  /** Whether somebody sees the columns. */
  isTableOpen = $state(false);

  constructor(
    private readonly settings: Settings,
    private readonly overlay: Overlay,
    private readonly hparams: HParamsState,
    private readonly values: RunValuesState,
    /** Of scalars; null while it is not known. */
    private readonly tagIndex: () => TagIndex | null,
  ) {}

  /** All that some run has logged; null while they are not known. Listed from when it is first read. */
  readonly scalarTags = $derived.by((): ReadonlySet<string> | null => {
    const index = this.tagIndex();
    return index && new Set(index.tag_sets.flatMap((tags) => Object.keys(tags)));
  });

  readonly byName = $derived(new Map(this.all.map((run) => [run.name, run])));
  readonly #natural = $derived(sortNatural(this.names));

  // A filter that is broken while it is typed leaves what the last good one gave.
  #goodPattern: Pattern = compilePattern("");
  readonly pattern = $derived.by((): Pattern => {
    const pattern = compilePattern(this.settings.runFilter);
    if (pattern.error === "") this.#goodPattern = pattern;
    return { matches: this.#goodPattern.matches, error: pattern.error };
  });

  #goodQuery: RunQuery | null = null;
  /** The query, and what is wrong with its text. */
  readonly query = $derived.by((): { readonly compiled: RunQuery | null; readonly error: QueryError | null } => {
    const text = this.settings.runQuery;
    if (text.trim() === "") return { compiled: (this.#goodQuery = null), error: null };
    try {
      return {
        compiled: (this.#goodQuery = compileQuery(text, { hparams: this.hparams.names, tags: this.scalarTags })),
        error: null,
      };
    } catch (cause) {
      if (!(cause instanceof QueryError)) throw cause;
      return { compiled: this.#goodQuery, error: cause };
    }
  });
  readonly #queriedMetrics = $derived((this.query.compiled?.columns ?? []).filter(isMetric));
  /** The query has to wait for the numbers it asks about, or for what its names mean. */
  readonly isPending = $derived.by(
    () =>
      (this.settings.runQuery.trim() !== "" && !this.hparams.isKnown) ||
      this.#queriedMetrics.some((column) => !this.values.isKnown(column)),
  );
  /** What has to be fetched for the query and for the columns that somebody sees. */
  readonly wantedMetrics = $derived.by(() => [
    ...this.#queriedMetrics,
    ...(this.isTableOpen ? this.settings.columns.filter(isMetric) : []),
  ]);

  readonly #keepHidden = steady<ReadonlyMap<string, boolean>>(isSameMap);
  readonly #hidden = $derived.by(() =>
    this.#keepHidden(
      new Map([...this.overlay.runs].filter(([, marks]) => marks.isHidden).map(([name]) => [name, true])),
    ),
  );
  readonly hiddenCount = $derived(
    this.#hidden.size === 0 ? 0 : this.names.filter((name) => this.#hidden.has(name)).length,
  );
  readonly #keepTitles = steady<ReadonlyMap<string, string>>(isSameMap);
  readonly #titles = $derived.by(() =>
    this.#keepTitles(
      new Map(
        [...this.overlay.runs].flatMap(([name, marks]) =>
          marks.name === undefined ? [] : [[name, marks.name] as const],
        ),
      ),
    ),
  );

  // A query is asked again whenever a value has changed; mostly it gives the same runs. While it waits, what was there
  // stays.
  #matched: readonly string[] = [];
  readonly #matching = $derived.by(() => {
    const { compiled } = this.query;
    if (this.isPending) return this.#matched;
    const named = this.#natural.filter(
      (name) => this.pattern.matches(name) || (this.#titles.has(name) && this.pattern.matches(this.title(name))),
    );
    const matching = compiled ? named.filter((name) => compiled.matches(name, this.cell)) : named;
    if (!isSameList(matching, this.#matched)) this.#matched = matching;
    return this.#matched;
  });

  /** Names of the runs that the filters leave, in natural order. */
  readonly listed = $derived(
    this.#hidden.size === 0 || this.showsHidden
      ? this.#matching
      : this.#matching.filter((name) => !this.#hidden.has(name)),
  );
  readonly #listedSet = $derived(new Set(this.listed));
  readonly #selected = $derived.by(
    () => new Set(this.names.filter((name) => isSelected(this.settings.selection, name))),
  );
  readonly #keepShown = steady<readonly string[]>(isSameList);
  /** Names of the runs that charts show, oldest first: listed, selected and not hidden. */
  readonly shown = $derived(
    this.#keepShown(
      this.names.filter((name) => this.#selected.has(name) && this.#listedSet.has(name) && !this.#hidden.has(name)),
    ),
  );
  readonly isAllShown = $derived(this.shown.length === this.names.length);

  readonly sortColumn = $derived.by(
    () => this.settings.columns.find((column) => columnKey(column) === this.settings.sort?.column) ?? null,
  );
  /** The listed runs as the user has sorted them; equals stay in natural order. */
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

  readonly #keepOwn = steady<ReadonlyMap<string, string>>(isSameMap);
  readonly #ownColors = $derived.by(() =>
    this.#keepOwn(
      new Map(
        [...this.overlay.runs].flatMap(([name, marks]) =>
          marks.color === undefined ? [] : [[name, marks.color] as const],
        ),
      ),
    ),
  );
  // Hyperparameters matter to two of the ways only.
  readonly #usesHparams = $derived.by(
    () => this.settings.colorBy === "config" || this.settings.colorBy.startsWith("hparam:"),
  );
  readonly #colored = $derived.by(() =>
    colorRuns(this.names, this.settings.colorBy, this.#usesHparams ? this.hparams.runs : {}),
  );
  readonly legend = $derived(this.#colored.legend);
  readonly #nameByKey = $derived(new Map(this.names.map((name) => [runKey(name), name])));

  color(name: string, theme: "light" | "dark"): string {
    // A chart may show a run a moment before it is listed.
    const color = this.#colored.colors.get(name) ?? (PALETTE[hashName(name) % HUES] as (typeof PALETTE)[number]);
    return this.#ownColors.get(name) ?? color[theme];
  }

  /** What the run is called on the page. */
  title(name: string): string {
    return this.#titles.get(name) ?? name;
  }

  isHidden(name: string): boolean {
    return this.#hidden.has(name);
  }

  nameOf = (key: RunKey): string | undefined => this.#nameByKey.get(key);

  isSelected(name: string): boolean {
    return this.#selected.has(name);
  }

  /** The value of a column for a run; null where it has none. */
  cell = (column: QueryColumn, name: string): Cell => {
    if (column.kind === "metric") return this.values.value(column, name);
    if (column.kind === "hparam") return hparamOf(this.hparams.runs, name, column.name);
    return column.kind === "info" ? this.info(column.name, name) : this.mark(column.name, name);
  };

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

  /** All or none of the listed runs; those that the filter hides stay as they are. */
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

  /** How many of the runs that the address selects by name are not there. */
  readonly goneCount = $derived.by(() => {
    const { base, except } = this.settings.selection;
    return base === "all" ? 0 : [...except].filter((key) => this.nameOf(key) === undefined).length;
  });
}
