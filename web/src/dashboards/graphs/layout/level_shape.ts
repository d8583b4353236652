// What the layout needs to know of one level: sizes and who is joined to whom. Typed arrays, sent to the worker once.

export interface LevelShape {
  readonly group: string;
  /** Pieces of an edge meet at the border of a group by these names. */
  readonly ids: readonly string[];
  readonly width: Float32Array;
  readonly height: Float32Array;
  /** Room beside a node, for what is drawn at its right. */
  readonly margin: Float32Array;
  /** Groups: what leaves them may do so at several places. */
  readonly canOpen: Uint8Array;
  /** One of the places below. */
  readonly place: Uint8Array;
  readonly edges: ShapeEdges;
}

/** Edges inside the level, then those that come in, then those that go out. */
export interface ShapeEdges {
  /** -1: comes from outside. */
  readonly from: Int32Array;
  /** -1: goes outside. */
  readonly to: Int32Array;
  /** The node outside; "" for edges inside. */
  readonly outer: readonly string[];
  /** 0: has no label. */
  readonly labelWidth: Float32Array;
  readonly isBack: Uint8Array;
  /** Edges that move no node: control edges, and those of nodes that only another graph has. */
  readonly isWeak: Uint8Array;
}

/** An edge may enter a disc from the side. */
export const BOX = 0;
export const DISC = 1;
/** Not in the flow: in a box of its own. */
export const ASIDE = 2;
