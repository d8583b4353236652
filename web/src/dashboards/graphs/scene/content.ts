// What is drawn of a graph, and with what.

import type { Level, LevelNode, NodeState } from "../answer";
import type { NodePaint } from "../graph_state.svelte";
import type { Composed } from "../layout/composed";
import type { Palette } from "./palette";
import type { Pen } from "./pen";

/** What is drawn, in the words of GraphView. */
export interface SceneContent {
  readonly picture: Composed;
  readonly levels: readonly Level[];
  readonly nodes: readonly LevelNode[];
  readonly places: ReadonlyMap<string, number>;
  readonly paint: ReadonlyMap<string, NodePaint>;
  readonly distances: ReadonlyMap<string, number> | null;
  readonly states: ReadonlyMap<string, NodeState>;
  readonly matches: ReadonlyMap<string, number>;
  readonly currentMatch: string | null;
  readonly dimmed: ReadonlySet<string>;
  readonly selected: string | null;
  readonly alsoSelected: ReadonlySet<string>;
  readonly hovered: string | null;
  readonly loading: ReadonlySet<string>;
}

/** The part of the graph that is in view. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export type MeasureText = (text: string, sizePx: number, isBold?: boolean) => number;

export interface DrawTools {
  readonly pen: Pen;
  readonly palette: Palette;
  readonly measure: MeasureText;
  readonly window: Window;
}
