// One picture of the timeline as data: what the page tells whoever draws. Answers are sent once and named by number.

import type { CounterPoints, Slices } from "../answer";
import type { ColorBy, Meaning, Theme } from "../colors";
import type { RowKind } from "../rows";
import type { Span } from "../span";
import type { RowBounds } from "../windows";

export const RULER_PX = 28;
export const TRACK_TOP_PX = 4;

/** A part of a row, drawn from one answer. `key` is a track or a counter. */
export interface PieceFrame extends Span {
  readonly window: number;
  readonly key: number;
}

export interface RowFrame {
  readonly kind: RowKind;
  /** On the canvas. */
  readonly y: number;
  readonly height: number;
  readonly slicePx: number;
  readonly depths: number;
  readonly isDevice: boolean;
  readonly pieces: readonly PieceFrame[];
  /** Null: it has events. */
  readonly counters: CounterFrame | null;
}

/** Counters of one row: their axis, and the colour of each by its id. */
export interface CounterFrame {
  readonly low: number;
  readonly high: number;
  readonly unit: string;
  readonly colors: ReadonlyMap<number, string>;
  /** The one with an area under it. */
  readonly first: number;
}

/** An event that stands out: where it is, and its name. */
export interface MarkedEvent extends Span {
  readonly y: number;
  readonly height: number;
  readonly name: string;
}

export interface ArrowFrame {
  readonly fromTime: number;
  readonly fromY: number;
  readonly toTime: number;
  readonly toY: number;
}

export interface IdleFrame extends Span {
  readonly y: number;
  readonly height: number;
  readonly text: string;
  /** Named in the colour of warnings. */
  readonly isWarning: boolean;
}

export interface StepFrame {
  readonly start: number;
  readonly text: string;
}

export interface Frame {
  readonly number: number;
  readonly widthPx: number;
  readonly heightPx: number;
  readonly ratio: number;
  readonly view: Span;
  readonly unit: string;
  readonly theme: Theme;
  readonly font: string;
  readonly colorBy: ColorBy;
  /** The moment that the ruler counts from. */
  readonly zero: number;
  readonly rows: readonly RowFrame[];
  readonly pinned: readonly RowFrame[];
  readonly pinnedPx: number;
  readonly steps: readonly StepFrame[];
  readonly selected: MarkedEvent | null;
  readonly related: readonly MarkedEvent[];
  readonly hovered: MarkedEvent | null;
  readonly arrows: readonly ArrowFrame[];
  readonly isManyArrows: boolean;
  readonly idle: readonly IdleFrame[];
  readonly range: Span | null;
  readonly secondRange: Span | null;
  readonly marks: readonly number[];
  /** The moment under the pointer. */
  readonly pointer: number | null;
  /** What a drag is about to zoom into. */
  readonly box: Span | null;
}

/** Slices as the drawing side keeps them. */
export interface KeptSlices {
  readonly from: number;
  readonly slices: Slices;
  readonly rows: ReadonlyMap<number, RowBounds>;
}
export interface KeptCounters {
  readonly from: number;
  readonly points: CounterPoints;
  readonly bounds: ReadonlyMap<number, readonly [number, number]>;
}

export interface Kept {
  readonly slices: ReadonlyMap<number, KeptSlices>;
  readonly counters: ReadonlyMap<number, KeptCounters>;
  readonly meanings: readonly Meaning[];
}

export type Message =
  | { readonly type: "canvas"; readonly canvas: OffscreenCanvas }
  | { readonly type: "meanings"; readonly meanings: readonly Meaning[] }
  | { readonly type: "slices"; readonly id: number; readonly kept: KeptSlices }
  | { readonly type: "counters"; readonly id: number; readonly kept: KeptCounters }
  | { readonly type: "forget"; readonly ids: readonly number[] }
  | { readonly type: "frame"; readonly frame: Frame };
