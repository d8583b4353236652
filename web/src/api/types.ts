// The shapes of the server's answers by the names the page uses. All of them come from the generated types; nothing is
// described twice.

import type { components } from "./types.gen";

type Schemas = components["schemas"];

export type Change = Schemas["Change"];
export type DashboardInfo = Schemas["DashboardAnswer"];
export type Dashboards = Schemas["Dashboards"];
export type ErrorAnswer = Schemas["ErrorAnswer"];
export type FileHealth = Schemas["FileHealth"];
export type FileState = Schemas["FileState"];
export type Health = Schemas["Health"];
export type Points = Schemas["Points"];
export type Progress = Schemas["ProgressAnswer"];
export type Run = Schemas["Run"];
export type Runs = Schemas["Runs"];
export type Status = Schemas["Status"];
/** Which tags each run has; runs with equal lists share one entry of `tag_sets`. */
export type TagIndex = Schemas["Tags"];
export type Kind = Schemas["Kind"];

export type XAxis = "step" | "relative" | "wall";

/** What a card asks for. `runs` left out: all runs. */
export type LinesQuery = Pick<Schemas["LinesBody"], "x_range" | "width" | "smoothing" | "raw" | "attempts"> & {
  tags: string[];
  runs?: string[];
  x: XAxis;
};
