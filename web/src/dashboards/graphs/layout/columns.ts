// Where each cell of a row stands in x. Sweeps move cells to where their neighbours above and below want them, as far
// as the order of the row and the room between cells allow it; then chains of cells that belong together are made
// straight.

import { BEND, type Layers, NODE, PORT } from "./layers";

export interface CellSizes {
  /** How far a cell reaches to the left and to the right of its middle. */
  readonly left: Float64Array;
  readonly right: Float64Array;
  /** Where a link meets its upper and its lower cell, from their middles. */
  readonly upperOffset: Float64Array;
  readonly lowerOffset: Float64Array;
  /** Links that pull as little as those to bends. */
  readonly isWeak: Uint8Array;
}

export const NODE_GAP_PX = 24;
const BEND_GAP_PX = 13;
const TRUNK_GAP_PX = 11;
/** What a link pulls where one of its ends is a bend: chains of nodes are straight, and what skips them goes around. */
const SKIP_PULL = 0.04;
const BEND_WEIGHT = 0.02;
/** Nodes that only hang on trunks make room for them. */
const LOOSE_WEIGHT = 1e-7;

export function placeColumns(layers: Layers, sizes: CellSizes): Float64Array {
  const { cells, rows, rowStart, order, upper, lower, kind } = layers;
  const x = new Float64Array(cells);
  const pull = new Float64Array(upper.length);
  for (let link = 0; link < pull.length; link++) {
    const bends = Number(kind[upper[link] as number] === BEND) + Number(kind[lower[link] as number] === BEND);
    pull[link] = bends === 1 || (bends === 0 && sizes.isWeak[link]) ? SKIP_PULL : 1;
  }
  const room = (a: number, b: number): number =>
    (sizes.right[a] as number) + (sizes.left[b] as number) + gap(kind[a] as number, kind[b] as number);

  for (let row = 0; row < rows; row++) {
    let at = 0;
    const [begin, end] = [rowStart[row] as number, rowStart[row + 1] as number];
    for (let k = begin; k < end; k++) {
      if (k > begin) at += room(order[k - 1] as number, order[k] as number);
      x[order[k] as number] = at;
    }
    for (let k = begin; k < end; k++) (x[order[k] as number] as number) -= at / 2;
  }

  const mover = new RowMover(layers, sizes, x, pull, room);
  const rounds = cells < 3_000 ? 5 : cells < 12_000 ? 3 : 2;
  let before = Infinity;
  for (let round = 0; round < rounds; round++) {
    let moved = 0;
    for (let row = 1; row < rows; row++) moved = Math.max(moved, mover.move(row, true, false));
    for (let row = rows - 2; row >= 0; row--) moved = Math.max(moved, mover.move(row, false, true));
    if (moved < 1 || moved === before) break;
    before = moved;
  }
  for (let row = 0; row < rows; row++) mover.move(row, true, true);
  for (let row = rows - 1; row >= 0; row--) mover.move(row, true, true);
  straighten(layers, sizes, x, pull, room);
  return x;
}

function gap(a: number, b: number): number {
  if (a === NODE && b === NODE) return NODE_GAP_PX;
  if (a === NODE || b === NODE) return BEND_GAP_PX;
  return a === PORT && b === PORT ? NODE_GAP_PX : TRUNK_GAP_PX;
}

type Room = (a: number, b: number) => number;

// Written with plain loops: this is most of the time of a layout, and the first one of a page is not compiled yet.
class RowMover {
  readonly #wanted: Float64Array;
  readonly #weight: Float64Array;
  readonly #size: Int32Array;
  /** Where the neighbours of one cell want it, in order, and how much. */
  #places = new Float64Array(16);
  #pulls = new Float64Array(16);
  #count = 0;

  constructor(
    private readonly layers: Layers,
    private readonly sizes: CellSizes,
    private readonly x: Float64Array,
    private readonly pull: Float64Array,
    private readonly room: Room,
  ) {
    let widest = 0;
    for (let row = 0; row < layers.rows; row++)
      widest = Math.max(widest, (layers.rowStart[row + 1] as number) - (layers.rowStart[row] as number));
    this.#wanted = new Float64Array(widest);
    this.#weight = new Float64Array(widest);
    this.#size = new Int32Array(widest);
  }

  /**
   * Moves the cells of a row as near as possible to where their neighbours above, below or both want them: isotonic
   * regression, by pooling neighbours that would overlap. Returns the longest move.
   */
  move(row: number, byUpper: boolean, byLower: boolean): number {
    const { rowStart, order, kind } = this.layers;
    const { x } = this;
    const begin = rowStart[row] as number;
    const end = rowStart[row + 1] as number;
    const wanted = this.#wanted;
    const weight = this.#weight;
    const size = this.#size;
    let pools = 0;
    let shift = 0;
    for (let k = begin; k < end; k++) {
      const cell = order[k] as number;
      if (k > begin) shift += this.room(order[k - 1] as number, cell);
      const pulled = this.#gather(cell, byUpper, byLower);
      wanted[pools] = (pulled > 0 ? this.#median(pulled) : (x[cell] as number)) - shift;
      weight[pools] = kind[cell] === BEND ? BEND_WEIGHT : pulled < 0.5 ? LOOSE_WEIGHT : 0.1 + pulled;
      size[pools++] = 1;
      while (pools > 1 && (wanted[pools - 2] as number) > (wanted[pools - 1] as number)) {
        pools--;
        const a = weight[pools - 1] as number;
        const b = weight[pools] as number;
        wanted[pools - 1] = ((wanted[pools - 1] as number) * a + (wanted[pools] as number) * b) / (a + b);
        weight[pools - 1] = a + b;
        size[pools - 1] = (size[pools - 1] as number) + (size[pools] as number);
      }
    }
    shift = 0;
    let k = begin;
    let moved = 0;
    for (let pool = 0; pool < pools; pool++)
      for (let i = size[pool] as number; i > 0; i--, k++) {
        const cell = order[k] as number;
        if (k > begin) shift += this.room(order[k - 1] as number, cell);
        const at = (wanted[pool] as number) + shift;
        const by = Math.abs(at - (x[cell] as number));
        if (by > moved) moved = by;
        x[cell] = at;
      }
    return moved;
  }

  /** Collects where a cell is wanted; returns how much in all. */
  #gather(cell: number, byUpper: boolean, byLower: boolean): number {
    const { up, down, upper, lower } = this.layers;
    const { upperOffset, lowerOffset } = this.sizes;
    const { x, pull } = this;
    this.#count = 0;
    let sum = 0;
    if (byUpper) {
      const end = up.start[cell + 1] as number;
      for (let k = up.start[cell] as number; k < end; k++) {
        const link = up.list[k] as number;
        const at = (x[upper[link] as number] as number) + (upperOffset[link] as number) - (lowerOffset[link] as number);
        this.#add(at, pull[link] as number);
        sum += pull[link] as number;
      }
    }
    if (byLower) {
      const end = down.start[cell + 1] as number;
      for (let k = down.start[cell] as number; k < end; k++) {
        const link = down.list[k] as number;
        const at = (x[lower[link] as number] as number) + (lowerOffset[link] as number) - (upperOffset[link] as number);
        this.#add(at, pull[link] as number);
        sum += pull[link] as number;
      }
    }
    return sum;
  }

  /** Cells have few neighbours, and these come nearly in order. */
  #add(place: number, pull: number): void {
    if (this.#count === this.#places.length) {
      const places = new Float64Array(2 * this.#count);
      const pulls = new Float64Array(2 * this.#count);
      places.set(this.#places);
      pulls.set(this.#pulls);
      this.#places = places;
      this.#pulls = pulls;
    }
    const places = this.#places;
    const pulls = this.#pulls;
    let at = this.#count++;
    for (; at > 0 && (places[at - 1] as number) > place; at--) {
      places[at] = places[at - 1] as number;
      pulls[at] = pulls[at - 1] as number;
    }
    places[at] = place;
    pulls[at] = pull;
  }

  /** The weighted median: the middle between two where neither outweighs the other. */
  #median(pulled: number): number {
    const places = this.#places;
    const pulls = this.#pulls;
    const last = this.#count - 1;
    let sum = 0;
    for (let i = 0; i < last; i++) {
      sum += pulls[i] as number;
      if (Math.abs(2 * sum - pulled) < 1e-9) return ((places[i] as number) + (places[i + 1] as number)) / 2;
      if (2 * sum > pulled) return places[i] as number;
    }
    return places[last] as number;
  }
}

const STRAIGHTENING_ROUNDS = 3;
const NEAR_PX = 30;

/** Cells that are each other's first neighbour get the same x, wherever the cells beside them leave room for it. */
function straighten(layers: Layers, sizes: CellSizes, x: Float64Array, pull: Float64Array, room: Room): void {
  const { cells, rowStart, order, place, row, up, down, upper, lower, kind } = layers;
  const { upperOffset, lowerOffset } = sizes;
  const distance = (link: number): number =>
    Math.abs(
      (x[upper[link] as number] as number) +
        (upperOffset[link] as number) -
        (x[lower[link] as number] as number) -
        (lowerOffset[link] as number),
    );
  const firstOf = ({ start, list }: typeof up, cell: number): number => {
    let best = -1;
    for (let k = start[cell] as number; k < (start[cell + 1] as number); k++) {
      const link = list[k] as number;
      const isBetter =
        best < 0 ||
        (pull[link] as number) > (pull[best] as number) ||
        (pull[link] === pull[best] && distance(link) < distance(best) - 0.01);
      if (isBetter) best = link;
    }
    return best;
  };
  // The link by which a cell hangs below another one.
  const hangs = new Int32Array(cells).fill(-1);
  const holds = new Int32Array(cells).fill(-1);
  for (let cell = 0; cell < cells; cell++) {
    const link = firstOf(up, cell);
    if (link >= 0 && firstOf(down, upper[link] as number) === link) {
      hangs[cell] = link;
      holds[upper[link] as number] = link;
    }
  }
  const least = (cell: number): number => {
    const at = place[cell] as number;
    if (at === 0) return -Infinity;
    const left = order[(rowStart[row[cell] as number] as number) + at - 1] as number;
    return (x[left] as number) + room(left, cell);
  };
  const most = (cell: number): number => {
    const at = (rowStart[row[cell] as number] as number) + (place[cell] as number) + 1;
    if (at === rowStart[(row[cell] as number) + 1]) return Infinity;
    const right = order[at] as number;
    return (x[right] as number) - room(cell, right);
  };
  const chains: number[][] = [];
  for (let head = 0; head < cells; head++) {
    if ((hangs[head] as number) >= 0 || (holds[head] as number) < 0) continue;
    const chain = [head];
    for (let cell = head; (holds[cell] as number) >= 0;) chain.push((cell = lower[holds[cell] as number] as number));
    chains.push(chain);
  }
  // Chains of nodes choose first; bends have room enough elsewhere.
  const isBends = (chain: readonly number[]): number => Number(kind[chain[1] as number] === BEND);
  chains.sort((a, b) => isBends(a) - isBends(b) || b.length - a.length);
  const offsets = new Float64Array(layers.rows);
  const settle = (chain: readonly number[], begin: number, end: number, low: number, high: number): void => {
    const wanted = new Float64Array(end - begin);
    for (let i = begin; i < end; i++) wanted[i - begin] = (x[chain[i] as number] as number) - (offsets[i] as number);
    wanted.sort();
    const at = Math.min(Math.max(wanted[wanted.length >> 1] as number, low), high);
    for (let i = begin; i < end; i++) x[chain[i] as number] = at + (offsets[i] as number);
  };
  for (let round = 0; round < STRAIGHTENING_ROUNDS; round++)
    for (const chain of chains) {
      let begin = 0;
      let low = -Infinity;
      let high = Infinity;
      let offset = 0;
      for (let i = 0; i < chain.length; i++) {
        const cell = chain[i] as number;
        const link = hangs[cell] as number;
        if (i > begin) offset += (upperOffset[link] as number) - (lowerOffset[link] as number);
        const from = least(cell);
        const to = most(cell);
        if (Math.max(low, from - offset) > Math.min(high, to - offset) + 1e-6) {
          settle(chain, begin, i, low, high);
          begin = i;
          offset = 0;
          low = -Infinity;
          high = Infinity;
        }
        low = Math.max(low, from - offset);
        high = Math.min(high, to - offset);
        offsets[i] = offset;
      }
      settle(chain, begin, chain.length, low, high);
    }
  alignBends();

  /** A line that would end a few pixels beside the port that it leads to, or begins at, goes straight to it instead. */
  function alignBends(): void {
    for (let head = 0; head < cells; head++) {
      const above = up.start[head] as number;
      if (kind[head] !== BEND || up.start[head + 1] !== above + 1) continue;
      const first = up.list[above] as number;
      if (kind[upper[first] as number] === BEND) continue;
      const chain = [head];
      let low = least(head);
      let high = most(head);
      let end = -1;
      for (let cell = head; ;) {
        let next = -1;
        for (let k = down.start[cell] as number; k < (down.start[cell + 1] as number); k++) {
          const link = down.list[k] as number;
          if (kind[lower[link] as number] === BEND) next = lower[link] as number;
          else end = link;
        }
        if (next < 0) break;
        chain.push((cell = next));
        low = Math.max(low, least(cell));
        high = Math.min(high, most(cell));
      }
      const ends = [
        end < 0 ? NaN : (x[lower[end] as number] as number) + (lowerOffset[end] as number),
        (x[upper[first] as number] as number) + (upperOffset[first] as number),
      ];
      const at = ends.find((place) => Math.abs(place - (x[head] as number)) < NEAR_PX && place >= low && place <= high);
      if (at === undefined) continue;
      const by = at - (x[head] as number);
      for (const cell of chain) x[cell] = at;
      // What the line hangs on comes along, if all of it can.
      const holding: number[] = [];
      for (let cell = head; (hangs[cell] as number) >= 0;)
        holding.push((cell = upper[hangs[cell] as number] as number));
      const canMove = holding.every((cell) => {
        const to = (x[cell] as number) + by;
        return to >= least(cell) && to <= most(cell);
      });
      if (canMove) for (const cell of holding) x[cell] = (x[cell] as number) + by;
    }
  }
}
