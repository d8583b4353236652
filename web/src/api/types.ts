// The shapes of the server's responses by the names that the page uses. All come from the generated types; nothing is
// described twice.

import type { components } from "./types.gen";

type Schemas = components["schemas"];

export type Asset = Schemas["Asset"];
export type Assets = Schemas["Assets"];
export type Change = Schemas["Change"];
export type DashboardInfo = Schemas["DashboardAnswer"];
export type ErrorAnswer = Schemas["ErrorAnswer"];
export type Family = Schemas["Family"];
export type FileHealth = Schemas["FileHealth"];
export type FileState = Schemas["FileState"];
export type Health = Schemas["Health"];
export type BestValue = Schemas["BestAnswer"];
export type ImageSample = Schemas["ImageSample"];
export type Points = Schemas["Points"];
export type Progress = Schemas["ProgressAnswer"];
export type Run = Schemas["Run"];
export type Lists = Schemas["Lists"];
export type Status = Schemas["Status"];
export type RemoteStatus = Schemas["RemoteStatus"];
/** Which tags each run has; runs with equal lists share one entry of `tag_sets`. */
export type TagIndex = Schemas["Tags"];
export type Kind = Schemas["Kind"];
export type Job = Schemas["JobAnswer"];
export type Jobs = Schemas["Jobs"];
/** A job after a change; `partials` are those from number `since` on that fit into an event. */
export type JobEvent = Schemas["JobEvent"];
/** The marks that all share, and whether they can be changed. */
export type SharedOverlay = Schemas["OverlayAnswer"];
export type SharedMark = Schemas["Mark"];
export type MarkChange = Required<Schemas["MarkChange"]>;
export type WrittenMarks = Schemas["Written"];
/** What a live event says of the shared marks. */
export interface OverlayChange {
  readonly revision: number;
  /** Unknown where the page has to ask instead of being told. */
  readonly problem?: string;
}
export type ProjectInfo = Schemas["ProjectAnswer"];
export type Projects = Schemas["Projects"];
export type SeriesRef = Schemas["SeriesRef"];

export type XAxis = "step" | "relative" | "wall";

/** A number as JSON carries it: `Number(value)` converts "NaN" and the infinities. */
export type JsonNumber = number | "NaN" | "Infinity" | "-Infinity";

export type Descriptions = Schemas["Descriptions"];
export type Described = Schemas["Described"];
export type HParams = Schemas["HParams"];
export type NearestRow = Schemas["NearestRow"];
export type RangeRow = Schemas["RangeRow"];
export type RangeStatistics = Schemas["RangeStatisticsAnswer"];
export type NotFinite = Schemas["NotFinite"];
export type NotFiniteSeries = Schemas["NotFiniteSeries"];
export type RunValues = Schemas["RunValues"];
export type SeriesList = Schemas["SeriesList"];
export type CurvesQuery = Pick<Schemas["CurvesBody"], "format"> & {
  series: readonly Partial<Schemas["SampleQuery"]>[];
};
export type CurveScores = Schemas["CurveScores"];
/** The layout merged from all runs. */
export type LoggedLayout = Schemas["Layout"];

export type MetricChoice = Schemas["MetricChoice"];
export type NewestValue = Schemas["NewestAnswer"];
export type OverviewSummary = Schemas["OverviewSummary"];
export type RunningRun = Schemas["RunningAnswer"];
export type SameTexts = Schemas["SameTexts"];
export type OverviewQuery = Required<Schemas["OverviewBody"]>;
export type Trouble = Schemas["TroubleAnswer"];

/** The query of a card. Without `runs`: all runs. `x` is a time axis, a tag or an expression; so are `tags`. */
export type StopsQuery = Required<Omit<Schemas["StopsBody"], "format">>;

export type LinesQuery<X extends string = XAxis> = Pick<
  Schemas["LinesBody"],
  "x_range" | "width" | "smoothing" | "raw" | "raw_suffices" | "attempts"
> &
  Partial<Pick<Schemas["LinesBody"], "x_scale" | "earlier">> & { tags: string[]; runs?: string[]; x: X };

/** One band per tag and group; the group's name comes back as the `run` of its lines. */
export type BandsQuery = Pick<Schemas["BandsBody"], "tags" | "groups"> &
  Partial<Omit<Schemas["BandsBody"], "tags" | "groups" | "format">>;

type Selection = Partial<Pick<Schemas["TableBody"], "series" | "runs" | "tags" | "attempts">>;
export type TableQuery = Selection & Partial<Pick<Schemas["TableBody"], "x" | "smoothing">>;
export interface Table<Row> {
  generation: number;
  rows: Row[];
}

export type RunColumnQuery = Pick<Schemas["RunColumnBody"], "tag"> & Partial<Schemas["RunColumnBody"]>;
export type RunValuesQuery = { columns: RunColumnQuery[]; runs?: string[] };

export type ExportFormat = Schemas["ExportBody"]["format"];
export type ExportQuery = Selection & { format: ExportFormat } & Partial<Pick<Schemas["ExportBody"], "smoothing">>;
