// How columns are described beside their data. Pure.

import type { Column } from "./columns";
import type { ScaleKind } from "./scales";

export const goalArrow = ({ goal }: Pick<Column, "goal">): string => (goal === "min" ? "↓" : goal === "max" ? "↑" : "");

/** Below the name of an axis: "log", "last ↓ · quantile". */
export function headDetail(column: Column, kind: ScaleKind): string {
  const stat = [column.detail, goalArrow(column)].filter(Boolean).join(" ");
  return [stat, kind].filter(Boolean).join(" · ");
}

/** In one line, for menus and labels: "val/acc (last)". */
export const columnLabel = ({ name, detail }: Column): string => (detail ? `${name} (${detail})` : name);

export const KIND_TITLES = { metric: "Metrics", hparam: "Hyperparameters", session: "Run" } as const;
