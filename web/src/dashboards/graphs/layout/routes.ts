// Where the rows of a piece stand in y, and the ways of its edges: down through the gaps between rows, along a track of
// their own where they go sideways, past nodes only where a bend keeps room for them. Edges that lead up run at the
// side.

import { BEND, type Layers, type LayerEdges, NODE, PORT } from "./layers";
import { groupBy, type Neighbours } from "./ranks";
import { assignTracks, type Net } from "./tracks";

export interface RouteSizes {
  readonly width: Float64Array;
  readonly height: Float64Array;
  /** How far each cell reaches to both sides of its middle, with what is drawn beside it. */
  readonly left: Float64Array;
  readonly right: Float64Array;
  readonly isDisc: Uint8Array;
  /** Of each edge where it leaves and enters, from the middle of the node; NaN: anywhere. */
  readonly exit: Float64Array;
  readonly entry: Float64Array;
  /** 0: no label. */
  readonly labelWidth: ArrayLike<number>;
  /** Height of the row of ports at the top, for the title of the group, and at the bottom. */
  readonly topPortsPx: number;
  readonly bottomPortsPx: number;
}

export interface Routes {
  readonly heightPx: number;
  /** Right end of what is drawn, from the same origin as the columns. */
  readonly rightPx: number;
  /** Top of each cell. */
  readonly y: Float64Array;
  /** x, y, x, y … of each edge. */
  readonly points: readonly (readonly number[])[];
  readonly labelX: Float64Array;
  readonly labelY: Float64Array;
}

const MIN_GAP_PX = 18;
const TRACK_PAD_PX = 9;
const TRACK_PX = 7;
/** Many tracks come closer together. */
const MAX_TRACKS_PX = 420;
const LANE_PX = 8;
const MAX_LANES = 80;
const ENTRY_PX = 12;
const EDGE_PX = 10;
/** Nodes up to this height stand on one line in the middle; larger ones, open groups, begin at the top. */
const SMALL_PX = 40;
const LABEL_PX = 11;
/** Less is no bend. */
const STRAIGHT_PX = 0.5;
/** A gap with more lines than this gets no labels: there is no room, and looking for it takes long. */
const MAX_LABELLED = 400;

/** One step between two rows: a link, or one end of an edge at the side. */
interface Step {
  readonly upper: number;
  readonly lower: number;
  from: number;
  to: number;
  /** NaN: straight down. */
  y: number;
  /** Enters a disc from the side. */
  isBeside: boolean;
}

export function routeEdges(layers: Layers, edges: LayerEdges, columns: Float64Array, sizes: RouteSizes): Routes {
  const { cells, rows, row, rowStart, order, kind, upper, lower } = layers;
  const x = snapBends(layers, columns);
  const { width, height } = sizes;
  const steps: Step[] = Array.from(upper, (from, link) => ({
    upper: from,
    lower: lower[link] as number,
    from: x[from] as number,
    to: x[lower[link] as number] as number,
    y: NaN,
    isBeside: false,
  }));
  let rightPx = -Infinity;
  for (let cell = 0; cell < cells; cell++)
    rightPx = Math.max(rightPx, (x[cell] as number) + (sizes.right[cell] as number));

  // Fixed ends: ports of open groups.
  const isFixedExit = new Uint8Array(steps.length);
  const isFixedEntry = new Uint8Array(steps.length);
  for (let edge = 0; edge < edges.from.length; edge++) {
    const [begin, end] = [layers.pathStart[edge] as number, layers.pathStart[edge + 1] as number];
    if (begin === end) continue;
    const [first, last] = [layers.path[begin] as number, layers.path[end - 1] as number];
    const exit = sizes.exit[edge] as number;
    const entry = sizes.entry[edge] as number;
    if (!Number.isNaN(exit) && !isFixedExit[first]) {
      (steps[first] as Step).from += exit;
      isFixedExit[first] = 1;
    }
    if (!Number.isNaN(entry) && !isFixedEntry[last]) {
      (steps[last] as Step).to += entry;
      isFixedEntry[last] = 1;
    }
  }

  // Edges at the side: a lane each, as far right as needed.
  const lanes = assignLanes(layers, edges);
  const laneX = (lane: number): number => rightPx + 14 + (lane % MAX_LANES) * LANE_PX;
  const sideSteps = new Map<number, readonly [number, number]>();
  const fixedSides = new Set<number>();
  layers.side.forEach((edge, i) => {
    const at = laneX(lanes[i] as number);
    const [source, target] = [edges.from[edge] as number, edges.to[edge] as number];
    const exit = sizes.exit[edge] as number;
    const entry = sizes.entry[edge] as number;
    const down = steps.push({
      upper: source,
      lower: -1,
      from: (x[source] as number) + (exit || 0),
      to: at,
      y: NaN,
      isBeside: false,
    });
    steps.push({
      upper: -1,
      lower: target,
      from: at,
      to: (x[target] as number) + (entry || 0),
      y: NaN,
      isBeside: false,
    });
    sideSteps.set(edge, [down - 1, down]);
    if (!Number.isNaN(entry)) fixedSides.add(down);
  });
  const isFixed = (step: number): boolean => isFixedEntry[step] === 1 || fixedSides.has(step);

  const gapOf = (step: Step): number =>
    step.upper >= 0 ? (row[step.upper] as number) + 1 : (row[step.lower] as number);
  const byLower = groupBy(
    cells,
    steps.map((step) => step.lower),
  );
  for (let cell = 0; cell < cells; cell++) {
    if (kind[cell] !== NODE) continue;
    const into: number[] = [];
    for (let k = byLower.start[cell] as number; k < (byLower.start[cell + 1] as number); k++)
      if (!isFixed(byLower.list[k] as number)) into.push(byLower.list[k] as number);
    if (into.length === 0) continue;
    const fromAbove = sizes.isDisc[cell] ? enterBeside(layers, sizes, x, steps, cell, into) : into;
    spreadEntries(steps, fromAbove, x[cell] as number, width[cell] as number);
  }

  // Tracks in the gaps: gap g is above row g.
  const byGap = groupBy(rows + 1, steps.map(gapOf));
  const gapHeight = new Float64Array(rows + 1);
  const trackOf = new Int32Array(steps.length).fill(-1);
  const trackPx = new Float64Array(rows + 1);
  for (let gap = 0; gap <= rows; gap++) {
    const nets = new Map<number, number[]>();
    for (let k = byGap.start[gap] as number; k < (byGap.start[gap + 1] as number); k++) {
      const at = byGap.list[k] as number;
      const step = steps[at] as Step;
      if (step.isBeside || Math.abs(step.from - step.to) <= STRAIGHT_PX) continue;
      // What leaves a cell at one point; an open group has several, less than 2 ** 15 pixels apart.
      const key = step.upper >= 0 ? step.upper * 65_536 + (Math.round(step.from * 2) & 65_535) : -1 - at;
      const net = nets.get(key);
      if (net) net.push(at);
      else nets.set(key, [at]);
    }
    const members = [...nets.values()];
    const { track, count } = assignTracks(members.map((net) => netOf(net.map((at) => steps[at] as Step))));
    members.forEach((net, i) => {
      for (const at of net) trackOf[at] = track[i] as number;
    });
    trackPx[gap] = count > 1 ? Math.min(TRACK_PX, MAX_TRACKS_PX / (count - 1)) : 0;
    const isOutside = gap === 0 || gap === rows;
    gapHeight[gap] =
      isOutside && count === 0 ? 0 : Math.max(MIN_GAP_PX, 2 * TRACK_PAD_PX + (count - 1) * (trackPx[gap] as number));
  }

  // Rows from the top.
  const rowTop = new Float64Array(rows);
  const rowBottom = new Float64Array(rows);
  const y = new Float64Array(cells);
  let at = 0;
  for (let i = 0; i < rows; i++) {
    at += gapHeight[i] as number;
    let [tall, small] = [0, 0];
    const [begin, end] = [rowStart[i] as number, rowStart[i + 1] as number];
    for (let k = begin; k < end; k++) {
      const cell = order[k] as number;
      if (kind[cell] === PORT) tall = Math.max(tall, i === 0 ? sizes.topPortsPx : sizes.bottomPortsPx);
      if (kind[cell] !== NODE) continue;
      const own = height[cell] as number;
      tall = Math.max(tall, own);
      if (own <= SMALL_PX) small = Math.max(small, own);
    }
    rowTop[i] = at;
    for (let k = begin; k < end; k++) {
      const cell = order[k] as number;
      const own = height[cell] as number;
      if (kind[cell] === NODE) y[cell] = at + Math.max(0, (small - own) / 2);
      // A port is on the border itself.
      else if (kind[cell] === PORT) y[cell] = i === 0 ? at : at + tall;
      else y[cell] = at;
    }
    at += tall;
    rowBottom[i] = at;
  }
  const heightPx = at + (gapHeight[rows] as number);
  const gapTop = (gap: number): number => (gap === 0 ? 0 : (rowBottom[gap - 1] as number));
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step;
    const gap = gapOf(step);
    if (step.isBeside) step.y = (y[step.lower] as number) + (height[step.lower] as number) / 2;
    else if ((trackOf[i] as number) >= 0)
      step.y = gapTop(gap) + TRACK_PAD_PX + (trackOf[i] as number) * (trackPx[gap] as number);
  }

  const points = Array.from(edges.from, (source, edge): number[] => {
    const side = sideSteps.get(edge);
    const [begin, end] = [layers.pathStart[edge] as number, layers.pathStart[edge + 1] as number];
    const path = side ?? layers.path.subarray(begin, end);
    const target = edges.to[edge] as number;
    const first = steps[path[0] as number] as Step;
    const last = steps[path[path.length - 1] as number] as Step;
    const line = [first.from, (y[source] as number) + bottomOf(source)];
    for (const at of path) {
      const step = steps[at] as Step;
      if (!Number.isNaN(step.y)) line.push(step.from, step.y, step.to, step.y);
    }
    if (!last.isBeside) line.push(last.to, y[target] as number);
    return line;
  });
  function bottomOf(cell: number): number {
    return kind[cell] === NODE ? (height[cell] as number) : 0;
  }

  if (layers.side.length > 0) {
    const used = Math.min(lanes.reduce((most, lane) => Math.max(most, lane), 0) + 1, MAX_LANES);
    rightPx = laneX(used - 1) + LANE_PX;
  }
  const labels = new Labels(
    byGap,
    (at) => gapOf(steps[at] as Step),
    steps,
    gapTop,
    gapHeight,
    layers.side.length > 0 ? laneX(0) : Infinity,
  );
  const labelX = new Float64Array(edges.from.length).fill(NaN);
  const labelY = new Float64Array(edges.from.length).fill(NaN);
  const said = new Set<string>();
  for (let edge = 0; edge < edges.from.length; edge++) {
    const labelWidth = sizes.labelWidth[edge] as number;
    const [begin, end] = [layers.pathStart[edge] as number, layers.pathStart[edge + 1] as number];
    // Edges of one source carry the same value where their labels are equally wide, and one label says it.
    const key = `${edges.from[edge]} ${(sizes.exit[edge] as number) || 0} ${labelWidth}`;
    if (labelWidth <= 0 || begin === end || said.has(key)) continue;
    const found =
      labels.place(layers.path[begin] as number, true, labelWidth) ??
      labels.place(layers.path[end - 1] as number, false, labelWidth);
    if (!found) continue;
    said.add(key);
    labelX[edge] = found.x;
    labelY[edge] = found.y;
    rightPx = Math.max(rightPx, found.x + labelWidth);
  }
  return { heightPx, rightPx, y, points, labelX, labelY };

  function netOf(net: readonly Step[]): Net {
    const targets = net.map((step) => step.to);
    const source = (net[0] as Step).from;
    return {
      source,
      targets,
      low: Math.min(source, ...targets),
      high: Math.max(source, ...targets),
    };
  }
}

/** Bends that are less than a pixel beside the cell above them are exactly below it. */
function snapBends({ order, kind, up, upper }: Layers, columns: Float64Array): Float64Array {
  const x = columns.slice();
  // Rows from the top.
  for (const cell of order) {
    if (kind[cell] !== BEND) continue;
    for (let k = up.start[cell] as number; k < (up.start[cell + 1] as number); k++) {
      const above = x[upper[up.list[k] as number] as number] as number;
      if (Math.abs(above - (columns[cell] as number)) > STRAIGHT_PX) continue;
      x[cell] = above;
      break;
    }
  }
  return x;
}

function assignLanes({ row, side }: Layers, { from, to }: LayerEdges): number[] {
  const spans = Array.from(side, (edge) => {
    const [leaves, enters] = [(row[from[edge] as number] as number) + 1, row[to[edge] as number] as number];
    return { low: Math.min(leaves, enters), high: Math.max(leaves, enters) };
  });
  const lanes = new Array<number>(spans.length).fill(0);
  const order = spans.map((_, i) => i).sort((a, b) => lengthOf(a) - lengthOf(b) || a - b);
  function lengthOf(i: number): number {
    const { low, high } = spans[i] as { low: number; high: number };
    return high - low;
  }
  // Short ones inside; long ones go around them.
  const taken: { low: number; high: number }[][] = [];
  for (const i of order) {
    const span = spans[i] as { low: number; high: number };
    let lane = taken.findIndex((others) => others.every(({ low, high }) => high < span.low || low > span.high));
    if (lane < 0 && taken.length < MAX_LANES) lane = taken.push([]) - 1;
    if (lane < 0) lane = i % MAX_LANES;
    taken[lane]?.push(span);
    lanes[i] = lane;
  }
  return lanes;
}

/** Lets what comes from the side enter a disc there, where nothing stands between. Returns the others. */
function enterBeside(
  layers: Layers,
  sizes: RouteSizes,
  x: Float64Array,
  steps: readonly Step[],
  cell: number,
  into: readonly number[],
): number[] {
  const { row, rowStart, order, place, kind, up, upper } = layers;
  const begin = rowStart[row[cell] as number] as number;
  const end = rowStart[(row[cell] as number) + 1] as number;
  const at = begin + (place[cell] as number);
  const middle = x[cell] as number;
  const radius = (sizes.width[cell] as number) / 2;
  const left: number[] = [];
  const isFree = (step: Step): boolean => {
    const isRight = step.from > middle;
    const next = isRight ? at + 1 : at - 1;
    if (next < begin || next >= end) return true;
    const beside = order[next] as number;
    const [reach, far] = isRight
      ? [(x[beside] as number) - (sizes.left[beside] as number) - 6, step.from]
      : [-((x[beside] as number) + (sizes.right[beside] as number) + 6), -step.from];
    if (reach > far) return true;
    // The trunk that it leaves goes on beside the disc.
    const trunk = kind[beside] === BEND ? upper[up.list[up.start[beside] as number] as number] : -1;
    return trunk === step.upper && Math.abs((x[beside] as number) - step.from) < 0.5;
  };
  for (const i of into) {
    const step = steps[i] as Step;
    // From a lane it would have to pass whatever stands between.
    if (step.upper < 0 || Math.abs(step.from - middle) < radius + 8 || !isFree(step)) {
      left.push(i);
      continue;
    }
    step.isBeside = true;
    step.to = step.from > middle ? middle + radius : middle - radius;
  }
  return left;
}

/** Straight down where the node is wide enough for it; otherwise as near as the others allow. */
function spreadEntries(steps: readonly Step[], into: number[], middle: number, width: number): void {
  const half = Math.max(0, width / 2 - EDGE_PX);
  if (into.length === 0) return;
  const sorted = [...into].sort((a, b) => (steps[a] as Step).from - (steps[b] as Step).from || a - b);
  const between = into.length > 1 ? Math.min(ENTRY_PX, (2 * half) / (into.length - 1)) : 0;
  const place = sorted.map((i) => Math.min(Math.max((steps[i] as Step).from, middle - half), middle + half));
  for (let k = 1; k < place.length; k++) place[k] = Math.max(place[k] as number, (place[k - 1] as number) + between);
  let limit = middle + half;
  for (let k = place.length - 1; k >= 0; k--) {
    place[k] = Math.min(place[k] as number, limit);
    limit = (place[k] as number) - between;
  }
  sorted.forEach((i, k) => ((steps[i] as Step).to = place[k] as number));
}

interface Rect {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Finds room for labels in the gaps between rows, beside the lines that they belong to. */
class Labels {
  readonly #taken = new Map<number, Rect[]>();

  constructor(
    private readonly byGap: Neighbours,
    private readonly gapOf: (step: number) => number,
    private readonly steps: readonly Step[],
    private readonly gapTop: (gap: number) => number,
    private readonly gapHeight: Float64Array,
    private readonly lanesPx: number,
  ) {}

  /** Beside the upper or the lower end of a step; the place of the text's first letter on its baseline. */
  place(step: number, isUpper: boolean, width: number): { readonly x: number; readonly y: number } | null {
    const gap = this.gapOf(step);
    const top = this.gapTop(gap);
    const bottom = top + (this.gapHeight[gap] as number);
    const { from, to } = this.steps[step] as Step;
    const at = isUpper ? from : to;
    const middles = [(top + bottom) / 2, ...(isUpper ? [top + 8, bottom - 8] : [bottom - 8, top + 8])];
    for (const middle of middles)
      for (const left of [at + 6, at - 6 - width]) {
        const rect = { left, right: left + width, top: middle - LABEL_PX / 2, bottom: middle + LABEL_PX / 2 };
        if (rect.right > this.lanesPx - 4 || !this.#isFree(gap, rect)) continue;
        this.#rects(gap).push(rect);
        return { x: left, y: middle + 3.5 };
      }
    return null;
  }

  #rects(gap: number): Rect[] {
    let rects = this.#taken.get(gap);
    if (rects) return rects;
    rects = [];
    const top = this.gapTop(gap);
    const bottom = top + (this.gapHeight[gap] as number);
    const { start, list } = this.byGap;
    const add = (x1: number, x2: number, y1: number, y2: number): void =>
      void rects?.push({
        left: Math.min(x1, x2) - 2,
        right: Math.max(x1, x2) + 2,
        top: Math.min(y1, y2) - 1,
        bottom: Math.max(y1, y2) + 1,
      });
    for (let k = start[gap] as number; k < (start[gap + 1] as number); k++) {
      const { from, to, y, isBeside, upper, lower } = this.steps[list[k] as number] as Step;
      if (Number.isNaN(y) || isBeside) add(from, from, top, bottom);
      else {
        if (upper >= 0) add(from, from, top, y);
        add(from, to, y, y);
        if (lower >= 0) add(to, to, y, bottom);
      }
    }
    this.#taken.set(gap, rects);
    return rects;
  }

  #isFree(gap: number, rect: Rect): boolean {
    const { start } = this.byGap;
    if ((start[gap + 1] as number) - (start[gap] as number) > MAX_LABELLED) return false;
    return this.#rects(gap).every(
      (other) =>
        rect.right <= other.left || rect.left >= other.right || rect.bottom <= other.top || rect.top >= other.bottom,
    );
  }
}
