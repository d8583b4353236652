// The view: everything a user can set that changes what is shown. One plain value, replaced and never edited, so that
// an address, a saved view and an entry of the history are the same.

import { ALL, type Selection } from "../runs/selection";

export type Theme = "system" | "light" | "dark";
export type Range = readonly [number, number];
export type ScaleKind = "linear" | "log" | "symlog";
export type SmoothingKind = "ema" | "time_ema" | "gaussian" | "median";
export type Center = "mean" | "median";
export type Spread = "minmax" | "std" | "stderr" | "quantile" | "bootstrap";
/** "" for lines; otherwise what the runs of a group share: see groups.ts. */
export type GroupBy = "" | "config" | `regex:${string}` | `hparam:${string}` | `directory:${number}`;
export type ColorBy = "run" | Exclude<GroupBy, "">;
export type Selecting = "none" | "step" | "range";

export interface Smoothing {
  readonly kind: SmoothingKind;
  /**
   * ema: weight, up to SMOOTHING_MAX. time_ema: half-life in units of x. gaussian: sigma in points. median: window in
   * points. 0: none.
   */
  readonly amount: number;
}

/** A position on a time axis: a step, seconds since the start of a run, or seconds since 1970. */
export interface Moment {
  readonly axis: TimeAxis;
  readonly at: number;
}

/** What the user set for one card; missing fields are automatic or follow the page. */
export interface CardView {
  readonly x?: Range;
  readonly y?: Range;
  readonly y2?: Range;
  readonly xScale?: ScaleKind;
  readonly yScale?: ScaleKind;
  readonly y2Scale?: ScaleKind;
  /** One selected step, or two for a range, in units of x. */
  readonly selection?: readonly number[];
  readonly isWide?: boolean;
  readonly heightPx?: number;
  /** The card's own cursor while cursors are not linked. Null: at the newest; missing: where the shared one is. */
  readonly at?: Moment | null;
}

/** A chart made in the page: several tags together. A tag that starts with "=" is derived from others. */
export interface Panel {
  readonly id: string;
  readonly tags: readonly string[];
  /** The tags on the right axis. */
  readonly right: readonly string[];
}

export const RUN_STATS = ["last", "first", "min", "max", "mean", "count"] as const;
export type RunStat = (typeof RUN_STATS)[number];

/** One statistic of a scalar series. */
export type MetricColumn =
  | { readonly kind: "metric"; readonly tag: string; readonly stat: RunStat }
  | { readonly kind: "metric"; readonly tag: string; readonly stat: "at_step"; readonly step: number }
  | {
      readonly kind: "metric";
      readonly tag: string;
      readonly stat: "at_best";
      readonly bestTag: string;
      readonly best: "min" | "max";
    };

/** What the page knows of a run without reading values. */
export const RUN_INFOS = ["started", "updated", "duration", "points", "assets", "note"] as const;
export type RunInfoName = (typeof RUN_INFOS)[number];

/** A column of the run table besides the name. */
export type RunColumn =
  | MetricColumn
  | { readonly kind: "hparam"; readonly name: string }
  | { readonly kind: "info"; readonly name: RunInfoName };

export interface RunSort {
  /** Key of a column (`columnKey` in url.ts), or "name". */
  readonly column: string;
  readonly isDescending: boolean;
}

export interface View {
  /** Name of the open dashboard; "" for the first that has data. */
  readonly dashboard: string;

  readonly runFilter: string;
  readonly runQuery: string;
  readonly selection: Selection;
  readonly isTree: boolean;
  readonly collapsedFolders: ReadonlySet<string>;
  readonly columns: readonly RunColumn[];
  /** Null: natural order of the names. */
  readonly sort: RunSort | null;
  readonly colorBy: ColorBy;

  readonly tagFilter: string;
  readonly collapsed: ReadonlySet<string>;
  /** Ids of cards: a tag, or the id of a panel. */
  readonly pinned: readonly string[];
  /** By section: the cards that the user moved to the front. */
  readonly order: ReadonlyMap<string, readonly string[]>;
  readonly panels: readonly Panel[];
  readonly cards: ReadonlyMap<string, CardView>;

  /** A time axis or the tag of a scalar. */
  readonly xAxis: string;
  readonly xScale: ScaleKind;
  readonly yScale: ScaleKind;
  readonly smoothing: Smoothing;
  readonly cutsOutliers: boolean;
  readonly showsRaw: boolean;
  readonly showsEarlier: boolean;
  readonly breaksFalls: boolean;
  /** Whether all cards share the x zoom. */
  readonly isZoomLinked: boolean;
  readonly linkedX: Range | null;

  readonly groupBy: GroupBy;
  readonly center: Center;
  readonly spread: Spread;

  readonly selecting: Selecting;
  readonly isSelectionLinked: boolean;
  readonly linkedSelection: readonly number[];

  /** Null: at the newest. */
  readonly cursor: Moment | null;
  /** On which axis cards are at the same position as the cursor. */
  readonly cursorAxis: TimeAxis;
  /** Whether all cards share the cursor. */
  readonly isCursorLinked: boolean;

  /** Options of dashboards, by `dashboard.name`; missing ones have their defaults. */
  readonly options: ReadonlyMap<string, string>;

  readonly theme: Theme;
}

/** Options of dashboards that the browser keeps between visits, with their defaults. */
export const KEPT_OPTIONS: ReadonlyMap<string, string> = new Map([
  ["text.mode", "markdown"],
  ["text.wrap", "on"],
  ["hparams.columns", ""],
  ["hparams.pinned", ""],
  ["hparams.bars", "bar"],
]);

export const SMOOTHING_MAX = 0.999;
export const TIME_AXES = ["step", "relative", "wall"] as const;
export type TimeAxis = (typeof TIME_AXES)[number];
export const isTimeAxis = (x: string): x is TimeAxis => (TIME_AXES as readonly string[]).includes(x);

export const DEFAULT_VIEW: View = {
  dashboard: "",
  runFilter: "",
  runQuery: "",
  selection: ALL,
  isTree: true,
  collapsedFolders: new Set(),
  columns: [],
  sort: null,
  colorBy: "run",
  tagFilter: "",
  collapsed: new Set(),
  pinned: [],
  order: new Map(),
  panels: [],
  cards: new Map(),
  xAxis: "step",
  xScale: "linear",
  yScale: "linear",
  smoothing: { kind: "ema", amount: 0.6 },
  cutsOutliers: true,
  showsRaw: true,
  showsEarlier: false,
  breaksFalls: false,
  isZoomLinked: false,
  linkedX: null,
  groupBy: "",
  center: "mean",
  spread: "std",
  selecting: "none",
  isSelectionLinked: false,
  linkedSelection: [],
  cursor: null,
  cursorAxis: "step",
  isCursorLinked: true,
  options: new Map(),
  theme: "system",
};
