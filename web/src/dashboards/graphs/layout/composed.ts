// The whole picture as the layout answers it: everything that is visible, in one coordinate system. Typed arrays, so
// that it comes from a worker without copying.

export interface Composed {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Of each visible node, parents before their children: which level it is in, and its index there. */
  readonly level: Int32Array;
  readonly index: Int32Array;
  /** Levels that are drawn, by group; `level` counts in it. */
  readonly groups: readonly string[];
  readonly parent: Int32Array;
  readonly isOpen: Uint8Array;
  /** Top left corner and size. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly width: Float32Array;
  readonly height: Float32Array;
  readonly edges: ComposedEdges;
  /** Boxes around the nodes that are set aside: level, x, y, width, height of each. */
  readonly asides: Float32Array;
  /** Levels with too many nodes for a layered layout. */
  readonly gridded: readonly string[];
}

/**
 * Pieces of edges, each within one level: an edge into an open group has one up to its border and one from there on.
 */
export interface ComposedEdges {
  /** The level's edge: its index in `edges`, then in `in`, then in `out`. */
  readonly level: Int32Array;
  readonly index: Int32Array;
  /** The visible nodes that it joins, also where this piece ends at a border. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Whether this piece ends at `to` with an arrow. */
  readonly hasArrow: Uint8Array;
  /** Where the points of each piece begin, in points; one more than there are pieces. */
  readonly start: Int32Array;
  /** x, y, x, y … */
  readonly points: Float32Array;
  /** Where its label begins and its baseline is; NaN: it has none, or there is no room. */
  readonly labelX: Float32Array;
  readonly labelY: Float32Array;
}
