// What of a level hangs together. Each piece is laid out by itself; edges across the border of the group join all that
// have one. Nodes that nothing is joined to go into a grid.

import { type Layers, type LayerEdges, makeLayers } from "./layers";
import { ASIDE, type LevelShape } from "./level_shape";
import { orderLayers } from "./order";
import { NODE_GAP_PX } from "./columns";
import { findBackEdges, rankNodes, wrapWideRanks } from "./ranks";

/** Rows of one piece, with what belongs to its cells. */
export interface Piece {
  /** Nodes and edges of the level. Cells are the nodes, then the ports that come in, then those that go out. */
  readonly nodes: Int32Array;
  readonly edges: Int32Array;
  readonly ins: readonly string[];
  readonly outs: readonly string[];
  readonly cellEdges: LayerEdges;
  readonly layers: Layers;
}

/** Depends on who is joined to whom and on the sizes of closed nodes, so it stays when a group is opened. */
export interface LevelPlan {
  readonly pieces: readonly Piece[];
  readonly single: Int32Array;
  readonly aside: Int32Array;
  /** Too large for rows: everything is in the grid, without edges. */
  readonly isGrid: boolean;
}

const MAX_NODES = 20_000;
const MAX_EDGES = 60_000;
const ROW_PX = 44;

export function planLevel(shape: LevelShape): LevelPlan {
  const { place, edges } = shape;
  const count = place.length;
  const aside: number[] = [];
  const inFlow: number[] = [];
  for (let i = 0; i < count; i++) (place[i] === ASIDE ? aside : inFlow).push(i);
  if (inFlow.length > MAX_NODES || edges.from.length > MAX_EDGES)
    return { pieces: [], single: Int32Array.from(inFlow), aside: Int32Array.from(aside), isGrid: true };

  const isFlow = (node: number): boolean => node < 0 || place[node] !== ASIDE;
  const kept: number[] = [];
  // The last one stands for everything outside.
  const joined = new Joined(count + 1);
  for (let edge = 0; edge < edges.from.length; edge++) {
    const [from, to] = [edges.from[edge] as number, edges.to[edge] as number];
    if (!isFlow(from) || !isFlow(to) || (from < 0 && to < 0)) continue;
    kept.push(edge);
    joined.join(from < 0 ? count : from, to < 0 ? count : to);
  }
  const members = new Map<number, { nodes: number[]; edges: number[] }>();
  for (const node of inFlow) {
    const root = joined.find(node);
    const piece = members.get(root);
    if (piece) piece.nodes.push(node);
    else members.set(root, { nodes: [node], edges: [] });
  }
  for (const edge of kept)
    members.get(joined.find(Math.max(edges.from[edge] as number, edges.to[edge] as number)))?.edges.push(edge);
  const pieces: Piece[] = [];
  const single: number[] = [];
  const outside = joined.find(count);
  for (const [root, piece] of members) {
    if (piece.edges.length === 0) single.push(...piece.nodes);
    // What is joined to the outside comes first.
    else if (root === outside) pieces.unshift(makePiece(shape, piece.nodes, piece.edges));
    else pieces.push(makePiece(shape, piece.nodes, piece.edges));
  }
  return { pieces, single: Int32Array.from(single), aside: Int32Array.from(aside), isGrid: false };
}

function makePiece(shape: LevelShape, nodes: readonly number[], edges: readonly number[]): Piece {
  const local = new Map(nodes.map((node, i) => [node, i]));
  const ins: string[] = [];
  const outs: string[] = [];
  const { from, to, outer, isBack } = shape.edges;
  for (const edge of edges) {
    const name = outer[edge] as string;
    if ((from[edge] as number) < 0 && !ins.includes(name)) ins.push(name);
    if ((to[edge] as number) < 0 && !outs.includes(name)) outs.push(name);
  }
  const count = nodes.length;
  const end = (node: number, edge: number, names: readonly string[], first: number): number =>
    node < 0 ? first + names.indexOf(outer[edge] as string) : (local.get(node) as number);
  const cellFrom = Int32Array.from(edges, (edge) => end(from[edge] as number, edge, ins, count));
  const cellTo = Int32Array.from(edges, (edge) => end(to[edge] as number, edge, outs, count + ins.length));
  const cells = count + ins.length + outs.length;
  const back = findBackEdges(
    cells,
    cellFrom,
    cellTo,
    Uint8Array.from(edges, (edge) => isBack[edge] as number),
  );
  const inside = Array.from(edges.keys()).filter(
    (i) => !back[i] && (cellFrom[i] as number) < count && (cellTo[i] as number) < count,
  );
  const widths = Float64Array.from(nodes, (node) => (shape.width[node] as number) + (shape.margin[node] as number));
  const rank = wrapWideRanks(
    rankNodes(
      count,
      Int32Array.from(inside, (i) => cellFrom[i] as number),
      Int32Array.from(inside, (i) => cellTo[i] as number),
    ),
    widths,
    NODE_GAP_PX,
    ROW_PX,
  );
  const first = ins.length > 0 ? 1 : 0;
  let last = 0;
  for (const row of rank) last = Math.max(last, row + first);
  const rows = new Int32Array(cells);
  rank.forEach((row, i) => (rows[i] = row + first));
  rows.fill(last + 1, count + ins.length);
  const cellEdges = { from: cellFrom, to: cellTo, isBack: back };
  const degree = new Int32Array(cells);
  for (const cell of cellFrom) (degree[cell] as number)++;
  const isOwn = (cell: number): boolean =>
    cell < count && shape.canOpen[nodes[cell] as number] === 1 && (degree[cell] as number) <= MAX_OWN_TRUNKS;
  const layers = makeLayers(count, rows, cellEdges, isOwn);
  orderLayers(layers);
  return { nodes: Int32Array.from(nodes), edges: Int32Array.from(edges), ins, outs, cellEdges, layers };
}

const MAX_OWN_TRUNKS = 8;

class Joined {
  readonly #parent: Int32Array;

  constructor(count: number) {
    this.#parent = new Int32Array(count);
    for (let i = 0; i < count; i++) this.#parent[i] = i;
  }

  find(item: number): number {
    let at = item;
    while (this.#parent[at] !== at) {
      const up = this.#parent[at] as number;
      this.#parent[at] = this.#parent[up] as number;
      at = up;
    }
    return at;
  }

  join(a: number, b: number): void {
    const [first, second] = [this.find(a), this.find(b)];
    this.#parent[Math.max(first, second)] = Math.min(first, second);
  }
}
