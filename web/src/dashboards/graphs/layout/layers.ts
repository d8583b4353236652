// A piece of a level as rows of cells: its nodes, the ports where edges cross the border of the group, and a bend
// wherever an edge passes a row. Links join cells of neighbouring rows. Edges of one source share their bends, so they
// run as one trunk until they part; so do many edges from far into one target, once they have met. All of this depends
// on who is joined to whom, not on sizes: opening a group inside changes no order.

import { groupBy, type Neighbours } from "./ranks";

export const NODE = 0;
export const BEND = 1;
export const PORT = 2;

export interface Layers {
  readonly cells: number;
  readonly rows: number;
  readonly row: Int32Array;
  readonly kind: Uint8Array;
  /** Node of the piece, or number of the port; -1 for a bend. */
  readonly item: Int32Array;
  /** Cells row by row from left to right, and where each row begins. */
  readonly order: Int32Array;
  readonly rowStart: Int32Array;
  /** Place of each cell in its row. */
  readonly place: Int32Array;
  readonly upper: Int32Array;
  readonly lower: Int32Array;
  /** Links by their upper and by their lower cell. */
  readonly down: Neighbours;
  readonly up: Neighbours;
  /** The links of each edge, from its source on. An edge at the side has none. */
  readonly pathStart: Int32Array;
  readonly path: Int32Array;
  /** Edges that run up, or so far that they run at the side. */
  readonly side: Int32Array;
}

export interface LayerEdges {
  /** Cells: nodes first, then ports. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly isBack: Uint8Array;
}

/** More bends would cost more time than they make the picture better. */
const MAX_BENDS = 24_000;

/**
 * `row` of all nodes and ports. `isOwn`: nodes whose edges do not share a trunk, because they leave at different
 * places once the group is open.
 */
export function makeLayers(
  nodes: number,
  row: Int32Array,
  { from, to, isBack }: LayerEdges,
  isOwn: (cell: number) => boolean,
): Layers {
  const fixed = row.length;
  const bySource = groupBy(fixed, from);
  const longest = longestEdge(row, from, to, isBack);
  const rows: number[] = Array.from(row);
  const uppers: number[] = [];
  const lowers: number[] = [];
  const path: number[] = [];
  const side: number[] = [];
  const pathStart = new Int32Array(from.length + 1);
  const paths: (readonly number[] | undefined)[] = new Array<readonly number[] | undefined>(from.length);
  // The link from the end of a trunk to a target, so that two edges between the same nodes share it.
  const linkOf = new Int32Array(fixed).fill(-1);
  const linkSource = new Int32Array(fixed).fill(-1);
  const link = (upper: number, lower: number): number => {
    lowers.push(lower);
    return uppers.push(upper) - 1;
  };
  const meets = findMeetings(row, from, to, isBack, longest);
  // Of a target where edges meet, the bends above it by row, and the links between them.
  const meetings = new Map<number, { readonly bends: Map<number, number>; readonly links: Map<number, number> }>();
  const meet = (source: number, target: number): number[] => {
    let meeting = meetings.get(target);
    if (!meeting) meetings.set(target, (meeting = { bends: new Map(), links: new Map() }));
    const { bends, links } = meeting;
    const bottom = row[target] as number;
    const bendAt = (at: number): number => {
      let bend = bends.get(at);
      if (bend === undefined) bends.set(at, (bend = rows.push(at) - 1));
      return bend;
    };
    const first = (row[source] as number) + 1;
    const steps = [link(source, bendAt(first))];
    for (let at = first; at < bottom; at++) {
      let step = links.get(at);
      if (step === undefined) links.set(at, (step = link(bendAt(at), at + 1 === bottom ? target : bendAt(at + 1))));
      steps.push(step);
    }
    return steps;
  };
  for (let source = 0; source < fixed; source++) {
    const top = row[source] as number;
    let trunk: number[] = [];
    let trunkLinks: number[] = [];
    const isSplit = isOwn(source);
    for (let k = bySource.start[source] as number; k < (bySource.start[source + 1] as number); k++) {
      const edge = bySource.list[k] as number;
      const target = to[edge] as number;
      const span = (row[target] as number) - top;
      if (isBack[edge] || span < 1 || span > longest) {
        side.push(edge);
        continue;
      }
      if (linkSource[target] === source) {
        paths[edge] = paths[linkOf[target] as number] as readonly number[];
        continue;
      }
      if (meets[edge]) {
        paths[edge] = meet(source, target);
        linkSource[target] = source;
        linkOf[target] = edge;
        continue;
      }
      if (isSplit) [trunk, trunkLinks] = [[], []];
      while (trunk.length < span - 1) {
        const bend = rows.push(top + trunk.length + 1) - 1;
        trunkLinks.push(link(trunk.at(-1) ?? source, bend));
        trunk.push(bend);
      }
      const last = link(span === 1 ? source : (trunk[span - 2] as number), target);
      paths[edge] = [...trunkLinks.slice(0, span - 1), last];
      linkSource[target] = source;
      linkOf[target] = edge;
    }
  }
  for (let edge = 0; edge < from.length; edge++) {
    for (const step of paths[edge] ?? []) path.push(step);
    pathStart[edge + 1] = path.length;
  }
  const cells = rows.length;
  const cellRow = Int32Array.from(rows);
  const kind = new Uint8Array(cells);
  const item = new Int32Array(cells).fill(-1);
  for (let cell = 0; cell < cells; cell++) {
    kind[cell] = cell < nodes ? NODE : cell < fixed ? PORT : BEND;
    if (cell < fixed) item[cell] = cell < nodes ? cell : cell - nodes;
  }
  let rowCount = 0;
  for (const at of rows) rowCount = Math.max(rowCount, at + 1);
  const byRow = groupBy(rowCount, cellRow);
  const upper = Int32Array.from(uppers);
  const lower = Int32Array.from(lowers);
  const place = new Int32Array(cells);
  for (let at = 0; at < rowCount; at++)
    for (let k = byRow.start[at] as number; k < (byRow.start[at + 1] as number); k++)
      place[byRow.list[k] as number] = k - (byRow.start[at] as number);
  return {
    cells,
    rows: rowCount,
    row: cellRow,
    kind,
    item,
    order: byRow.list,
    rowStart: byRow.start,
    place,
    upper,
    lower,
    down: groupBy(cells, upper),
    up: groupBy(cells, lower),
    pathStart,
    path: Int32Array.from(path),
    side: Int32Array.from(side),
  };
}

/** So many edges from further than the row above end at a node that they are drawn as one. */
const MANY_LONG = 6;

/** Edges that share the bends of their target: long ones into a node that has many, from nodes that have no other. */
function findMeetings(
  row: Int32Array,
  from: Int32Array,
  to: Int32Array,
  isBack: Uint8Array,
  longest: number,
): Uint8Array {
  const isLong = Uint8Array.from(from, (source, edge) => {
    const span = (row[to[edge] as number] as number) - (row[source] as number);
    return Number(!isBack[edge] && span > 1 && span <= longest);
  });
  const out = new Int32Array(row.length);
  const into = new Int32Array(row.length);
  isLong.forEach((long, edge) => {
    (out[from[edge] as number] as number) += long;
    (into[to[edge] as number] as number) += long;
  });
  return isLong.map((long, edge) =>
    Number(long && out[from[edge] as number] === 1 && (into[to[edge] as number] as number) >= MANY_LONG),
  );
}

/** The longest span at which all edges together have few enough bends. */
function longestEdge(row: Int32Array, from: Int32Array, to: Int32Array, isBack: Uint8Array): number {
  let rows = 0;
  for (const at of row) rows = Math.max(rows, at + 1);
  const spans = new Int32Array(rows + 1);
  const furthest = new Int32Array(row.length);
  for (let edge = 0; edge < from.length; edge++) {
    if (isBack[edge]) continue;
    const source = from[edge] as number;
    furthest[source] = Math.max(
      furthest[source] as number,
      (row[to[edge] as number] as number) - (row[source] as number),
    );
  }
  for (const span of furthest) if (span > 1) (spans[span] as number)++;
  let bends = 0;
  for (let span = 2; span <= rows; span++) {
    bends += (spans[span] as number) * (span - 1);
    if (bends > MAX_BENDS) return Math.max(span - 1, 2);
  }
  return rows;
}
