// The picture of one level: its pieces, laid out with the sizes that nodes have now, beside and below each other.

import { placeColumns } from "./columns";
import { DISC, type LevelShape } from "./level_shape";
import type { LevelPlan, Piece } from "./pieces";
import { routeEdges } from "./routes";

/** Of a node that is an open group: its size, and where edges cross its border, from its left side. */
export interface OpenSize {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly ins: ReadonlyMap<string, number>;
  readonly outs: ReadonlyMap<string, number>;
}

export interface PlacedLevel extends OpenSize {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly width: Float32Array;
  readonly height: Float32Array;
  /** Of each edge of the level; undefined: it is not drawn. */
  readonly points: readonly (readonly number[] | undefined)[];
  readonly labelX: Float32Array;
  readonly labelY: Float32Array;
  /** The box around what is set aside: x, y, width, height. */
  readonly asideBox: readonly [number, number, number, number] | null;
  readonly isGrid: boolean;
}

export const TITLE_PX = 28;
const PAD_PX = 16;
const PIECE_GAP_PX = 36;
const GRID_GAP_PX = 18;
const PACK_ASPECT = 1.5;
const ASIDE_TITLE_PX = 30;
const ASIDE_STEP_PX = 25;
const ASIDE_PAD_PX = 8;
const ASIDE_GAP_PX = 28;
const MIN_ASIDE_ROWS = 8;
const MAX_SHIFT_PX = 60;

interface PlacedPiece {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Per node and edge of the piece, from its top left corner. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly points: readonly (readonly number[])[];
  readonly labelX: Float64Array;
  readonly labelY: Float64Array;
  readonly ins: readonly number[];
  readonly outs: readonly number[];
}

/** `opened`: by node. `isRoot`: the whole graph has neither border nor title. */
export function placeLevel(
  shape: LevelShape,
  plan: LevelPlan,
  opened: ReadonlyMap<number, OpenSize>,
  isRoot: boolean,
  minWidthPx = 0,
): PlacedLevel {
  const count = shape.ids.length;
  const width = Float32Array.from(shape.width, (own, i) => opened.get(i)?.widthPx ?? own);
  const height = Float32Array.from(shape.height, (own, i) => opened.get(i)?.heightPx ?? own);
  const sized = { ...shape, width, height };
  const placed = plan.pieces.map((piece) => placePiece(sized, piece, opened));
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  const points: (readonly number[] | undefined)[] = new Array<undefined>(shape.edges.from.length).fill(undefined);
  const labelX = new Float32Array(points.length).fill(NaN);
  const labelY = new Float32Array(points.length).fill(NaN);
  const pad = isRoot ? 0 : PAD_PX;
  const head = isRoot ? 0 : TITLE_PX + 6;
  const [main, ...others] = placed;
  const hasIns = (plan.pieces[0]?.ins.length ?? 0) > 0;
  const hasOuts = (plan.pieces[0]?.outs.length ?? 0) > 0;
  const mainTop = hasIns ? 0 : head;
  let contentWidth = main?.widthPx ?? 0;
  let bottom = main ? mainTop + main.heightPx : head;

  // Everything else in blocks: pieces in shelves, then single nodes in a grid. Beside what has edges to the outside, so
  // that those do not cross it; otherwise beside or below, whichever is nearer to the shape of a screen.
  const shelf = packShelves(
    others.map((piece) => piece.widthPx),
    others.map((piece) => piece.heightPx),
    plan.pieces.slice(1).map((piece) => closedArea(shape, piece)),
  );
  const grid = packGrid(plan.single, shape, width, height);
  const gridTop = shelf.heightPx > 0 && grid.heightPx > 0 ? shelf.heightPx + PIECE_GAP_PX : shelf.heightPx;
  const restWidth = Math.max(shelf.widthPx, grid.widthPx);
  const restHeight = gridTop + grid.heightPx;
  let [restX, restY] = [0, head];
  if (main && restWidth > 0) {
    const isBeside = hasOuts || closedHeight(plan.pieces[0] as Piece) > closedWidth(shape, plan.pieces[0] as Piece);
    if (isBeside) restX = contentWidth + PIECE_GAP_PX;
    else restY = bottom + PIECE_GAP_PX;
  }
  if (restWidth > 0) {
    contentWidth = Math.max(contentWidth, restX + restWidth);
    bottom = Math.max(bottom, restY + restHeight);
  }
  const put = (piece: Piece, at: PlacedPiece, left: number, top: number): void => {
    piece.nodes.forEach((node, i) => {
      x[node] = left + (at.x[i] as number);
      y[node] = top + (at.y[i] as number);
    });
    piece.edges.forEach((edge, i) => {
      points[edge] = (at.points[i] as readonly number[]).map((value, k) => value + (k % 2 === 0 ? left : top));
      labelX[edge] = left + (at.labelX[i] as number);
      labelY[edge] = top + (at.labelY[i] as number);
    });
  };
  const asideBox = placeAside(plan.aside, x, y, contentWidth, bottom - head, head);
  if (asideBox) {
    contentWidth = asideBox[0] + asideBox[2];
    bottom = Math.max(bottom, asideBox[1] + asideBox[3]);
  }
  const spare = Math.max(0, minWidthPx - 2 * pad - contentWidth) / 2;
  const left = pad + spare;
  if (main) put(plan.pieces[0] as Piece, main, left, mainTop);
  others.forEach((piece, i) =>
    put(plan.pieces[i + 1] as Piece, piece, left + restX + (shelf.x[i] as number), restY + (shelf.y[i] as number)),
  );
  plan.single.forEach((node, i) => {
    x[node] = left + restX + (grid.x[i] as number);
    y[node] = restY + gridTop + (grid.y[i] as number);
  });
  for (const node of plan.aside) (x[node] as number) += left;
  const isMainLowest = main !== undefined && bottom <= mainTop + main.heightPx + 0.01;
  const heightPx = bottom + (isRoot || (hasOuts && isMainLowest) ? 0 : PAD_PX - 2);
  // What stands beside may be lower than the ports: their lines go on to the border.
  if (hasOuts && main) {
    plan.pieces[0]?.edges.forEach((edge, i) => {
      const cell = plan.pieces[0]?.cellEdges.to[i] as number;
      const line = points[edge] as number[];
      if ((shape.edges.to[edge] as number) < 0 && cell >= 0) line[line.length - 1] = heightPx;
    });
  }
  const named = (names: readonly string[], at: readonly number[]): Map<string, number> =>
    new Map(names.map((name, i) => [name, left + (at[i] as number)]));
  return {
    widthPx: contentWidth + 2 * pad + 2 * spare,
    heightPx,
    x,
    y,
    width,
    height,
    points,
    labelX,
    labelY,
    asideBox: asideBox && [asideBox[0] + left, asideBox[1], asideBox[2], asideBox[3]],
    ins: named(plan.pieces[0]?.ins ?? [], main?.ins ?? []),
    outs: named(plan.pieces[0]?.outs ?? [], main?.outs ?? []),
    isGrid: plan.isGrid,
  };
}

function placePiece(shape: LevelShape, piece: Piece, opened: ReadonlyMap<number, OpenSize>): PlacedPiece {
  const { layers, nodes, edges, cellEdges } = piece;
  const { cells, upper, lower } = layers;
  const [width, height] = [new Float64Array(cells), new Float64Array(cells)];
  const [left, right] = [new Float64Array(cells), new Float64Array(cells)];
  const isDisc = new Uint8Array(cells);
  nodes.forEach((node, cell) => {
    width[cell] = shape.width[node] as number;
    height[cell] = shape.height[node] as number;
    left[cell] = (width[cell] as number) / 2;
    right[cell] = (width[cell] as number) / 2 + (opened.has(node) ? 0 : (shape.margin[node] as number));
    isDisc[cell] = Number(shape.place[node] === DISC);
  });
  // Where edges meet open groups. Names at the border are those of the other end.
  const exit = new Float64Array(edges.length).fill(NaN);
  const entry = new Float64Array(edges.length).fill(NaN);
  edges.forEach((edge, i) => {
    const [from, to] = [shape.edges.from[edge] as number, shape.edges.to[edge] as number];
    const source = from < 0 ? undefined : opened.get(from);
    const target = to < 0 ? undefined : opened.get(to);
    const outer = shape.edges.outer[edge] as string;
    const leaves = source?.outs.get(to < 0 ? outer : (shape.ids[to] as string));
    const enters = target?.ins.get(from < 0 ? outer : (shape.ids[from] as string));
    if (source && leaves !== undefined) exit[i] = leaves - source.widthPx / 2;
    if (target && enters !== undefined) entry[i] = enters - target.widthPx / 2;
  });
  const upperOffset = new Float64Array(upper.length);
  const lowerOffset = new Float64Array(lower.length);
  // A group that is entered on its left and left on its right would shift what is below it, and a chain of such groups
  // would become a staircase. So what follows stands below the entry.
  const entries = new Map<number, number>();
  edges.forEach((_, i) => {
    const cell = cellEdges.to[i] as number;
    if (!Number.isNaN(entry[i] as number) && !entries.has(cell)) entries.set(cell, entry[i] as number);
  });
  edges.forEach((_, i) => {
    const [begin, end] = [layers.pathStart[i] as number, layers.pathStart[i + 1] as number];
    if (begin === end) return;
    const own = (exit[i] as number) || 0;
    const entered = entries.get(cellEdges.from[i] as number) ?? own;
    upperOffset[layers.path[begin] as number] ||= Math.abs(own - entered) > MAX_SHIFT_PX ? entered : own;
    lowerOffset[layers.path[end - 1] as number] ||= (entry[i] as number) || 0;
  });
  // A link is weak if all edges are that use it.
  const isWeak = new Uint8Array(upper.length).fill(1);
  edges.forEach((edge, i) => {
    if (shape.edges.isWeak[edge]) return;
    for (let k = layers.pathStart[i] as number; k < (layers.pathStart[i + 1] as number); k++)
      isWeak[layers.path[k] as number] = 0;
  });
  const middle = placeColumns(layers, { left, right, upperOffset, lowerOffset, isWeak });
  let leftmost = Infinity;
  for (let cell = 0; cell < cells; cell++)
    leftmost = Math.min(leftmost, (middle[cell] as number) - (left[cell] as number));
  for (let cell = 0; cell < cells; cell++) (middle[cell] as number) -= leftmost;
  const labelWidth = Float64Array.from(edges, (edge) => shape.edges.labelWidth[edge] as number);
  const routes = routeEdges(layers, cellEdges, middle, {
    width,
    height,
    left,
    right,
    isDisc,
    exit,
    entry,
    labelWidth,
    // The gap below belongs to the title too.
    topPortsPx: TITLE_PX - 12,
    bottomPortsPx: 2,
  });
  // Labels and lanes may stick out on the left.
  let shift = 0;
  routes.labelX.forEach((at) => (shift = Math.min(shift, at || 0)));
  const [first, second] = [nodes.length, nodes.length + piece.ins.length];
  return {
    widthPx: routes.rightPx - shift,
    heightPx: routes.heightPx,
    x: Float64Array.from(nodes, (_, cell) => (middle[cell] as number) - (left[cell] as number) - shift),
    y: routes.y.slice(0, nodes.length),
    points:
      shift === 0
        ? routes.points
        : routes.points.map((line) => line.map((value, k) => (k % 2 === 0 ? value - shift : value))),
    labelX: shift === 0 ? routes.labelX : routes.labelX.map((at) => at - shift),
    labelY: routes.labelY,
    ins: piece.ins.map((_, i) => (middle[first + i] as number) - shift),
    outs: piece.outs.map((_, i) => (middle[second + i] as number) - shift),
  };
}

const closedArea = (shape: LevelShape, piece: Piece): number => closedWidth(shape, piece) * closedHeight(piece);
const closedHeight = ({ layers }: Piece): number => layers.rows * 44;

/** About: the widest row. */
function closedWidth(shape: LevelShape, { layers, nodes }: Piece): number {
  let widest = 0;
  for (let row = 0; row < layers.rows; row++) {
    let sum = 0;
    for (let k = layers.rowStart[row] as number; k < (layers.rowStart[row + 1] as number); k++) {
      const cell = layers.order[k] as number;
      sum += cell < nodes.length ? (shape.width[nodes[cell] as number] as number) + 20 : 10;
    }
    widest = Math.max(widest, sum);
  }
  return widest;
}

interface Packed {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Side by side in rows. Which row depends on the areas of closed pieces alone, so opening a group moves none. */
function packShelves(widths: readonly number[], heights: readonly number[], areas: readonly number[]): Packed {
  const [x, y] = [new Float64Array(widths.length), new Float64Array(widths.length)];
  const total = areas.reduce((sum, area) => sum + area, 0);
  const limit = Math.sqrt(total * PACK_ASPECT);
  let [left, top, rowHeight, closed, widthPx] = [0, 0, 0, 0, 0];
  widths.forEach((own, i) => {
    const about = Math.sqrt((areas[i] as number) * PACK_ASPECT);
    if (left > 0 && closed + about > limit) {
      top += rowHeight + PIECE_GAP_PX;
      [left, rowHeight, closed] = [0, 0, 0];
    }
    x[i] = left;
    y[i] = top;
    left += own + PIECE_GAP_PX;
    closed += about;
    rowHeight = Math.max(rowHeight, heights[i] as number);
    widthPx = Math.max(widthPx, (x[i] as number) + own);
  });
  return { x, y, widthPx, heightPx: widths.length > 0 ? top + rowHeight : 0 };
}

/** Row by row, columns aligned. */
function packGrid(nodes: Int32Array, closed: LevelShape, width: Float32Array, height: Float32Array): Packed {
  const [x, y] = [new Float64Array(nodes.length), new Float64Array(nodes.length)];
  if (nodes.length === 0) return { x, y, widthPx: 0, heightPx: 0 };
  let widest = 0;
  for (const node of nodes) widest = Math.max(widest, closed.width[node] as number);
  const cellWidth = widest + GRID_GAP_PX;
  const cellHeight = (closed.height[nodes[0] as number] as number) + GRID_GAP_PX;
  const columns = Math.max(1, Math.round(Math.sqrt((nodes.length * cellHeight * PACK_ASPECT) / cellWidth)));
  const columnWidth = new Float64Array(columns);
  nodes.forEach((node, i) => {
    const extent = (width[node] as number) + (closed.margin[node] as number);
    columnWidth[i % columns] = Math.max(columnWidth[i % columns] as number, extent);
  });
  let [top, widthPx] = [0, 0];
  for (let begin = 0; begin < nodes.length; begin += columns) {
    let [left, rowHeight] = [0, 0];
    for (let i = begin; i < Math.min(begin + columns, nodes.length); i++) {
      x[i] = left;
      y[i] = top;
      left += (columnWidth[i - begin] as number) + GRID_GAP_PX;
      rowHeight = Math.max(rowHeight, height[nodes[i] as number] as number);
    }
    widthPx = Math.max(widthPx, left - GRID_GAP_PX);
    top += rowHeight + GRID_GAP_PX;
  }
  return { x, y, widthPx, heightPx: top - GRID_GAP_PX };
}

/** A box at the right with a row for each node, in more columns where they would be longer than the rest is high. */
function placeAside(
  nodes: Int32Array,
  x: Float32Array,
  y: Float32Array,
  contentWidth: number,
  contentHeight: number,
  top: number,
): readonly [number, number, number, number] | null {
  if (nodes.length === 0) return null;
  const perColumn = Math.max(
    MIN_ASIDE_ROWS,
    Math.floor((contentHeight - ASIDE_TITLE_PX) / ASIDE_STEP_PX),
    Math.ceil(Math.sqrt(nodes.length * 5)),
  );
  const columns = Math.ceil(nodes.length / perColumn);
  const left = contentWidth > 0 ? contentWidth + ASIDE_GAP_PX : 0;
  nodes.forEach((node, i) => {
    x[node] = left + ASIDE_PAD_PX + Math.floor(i / perColumn) * (128 + ASIDE_PAD_PX);
    y[node] = top + ASIDE_TITLE_PX + (i % perColumn) * ASIDE_STEP_PX;
  });
  const rows = Math.min(nodes.length, perColumn);
  return [left, top, columns * (128 + ASIDE_PAD_PX) + ASIDE_PAD_PX, ASIDE_TITLE_PX + rows * ASIDE_STEP_PX + 2];
}
