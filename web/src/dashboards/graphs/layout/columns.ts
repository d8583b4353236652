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
    pull[link] = bends === 1 ? SKIP_PULL : 1;
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
  for (let round = 0; round < rounds; round++) {
    for (let row = 1; row < rows; row++) mover.move(row, true, false);
    for (let row = rows - 2; row >= 0; row--) mover.move(row, false, true);
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

class RowMover {
  readonly #wanted: Float64Array;
  readonly #weight: Float64Array;
  readonly #size: Int32Array;
  #places: number[] = [];
  #pulls: number[] = [];

  constructor(
    private readonly layers: Layers,
    private readonly sizes: CellSizes,
    private readonly x: Float64Array,
    private readonly pull: Float64Array,
    private readonly room: Room,
  ) {
    this.#wanted = new Float64Array(layers.cells);
    this.#weight = new Float64Array(layers.cells);
    this.#size = new Int32Array(layers.cells);
  }

  /**
   * Moves the cells of a row as near as possible to where their neighbours above, below or both want them: isotonic
   * regression, by pooling neighbours that would overlap.
   */
  move(row: number, byUpper: boolean, byLower: boolean): void {
    const { rowStart, order, kind } = this.layers;
    const begin = rowStart[row] as number;
    const end = rowStart[row + 1] as number;
    const [wanted, weight, size] = [this.#wanted, this.#weight, this.#size];
    let pools = 0;
    let shift = 0;
    for (let k = begin; k < end; k++) {
      const cell = order[k] as number;
      if (k > begin) shift += this.room(order[k - 1] as number, cell);
      const pulled = this.#gather(cell, byUpper, byLower);
      wanted[pools] = (pulled > 0 ? this.#median() : (this.x[cell] as number)) - shift;
      weight[pools] = kind[cell] === BEND ? BEND_WEIGHT : pulled < 0.5 ? LOOSE_WEIGHT : 0.1 + pulled;
      size[pools++] = 1;
      while (pools > 1 && (wanted[pools - 2] as number) > (wanted[pools - 1] as number)) {
        pools--;
        const [a, b] = [weight[pools - 1] as number, weight[pools] as number];
        wanted[pools - 1] = ((wanted[pools - 1] as number) * a + (wanted[pools] as number) * b) / (a + b);
        weight[pools - 1] = a + b;
        (size[pools - 1] as number) += size[pools] as number;
      }
    }
    shift = 0;
    let k = begin;
    for (let pool = 0; pool < pools; pool++)
      for (let i = 0; i < (size[pool] as number); i++, k++) {
        const cell = order[k] as number;
        if (k > begin) shift += this.room(order[k - 1] as number, cell);
        this.x[cell] = (wanted[pool] as number) + shift;
      }
  }

  #gather(cell: number, byUpper: boolean, byLower: boolean): number {
    const { up, down, upper, lower } = this.layers;
    const { upperOffset, lowerOffset } = this.sizes;
    this.#places.length = 0;
    this.#pulls.length = 0;
    let sum = 0;
    if (byUpper)
      for (let k = up.start[cell] as number; k < (up.start[cell + 1] as number); k++) {
        const link = up.list[k] as number;
        this.#places.push(
          (this.x[upper[link] as number] as number) + (upperOffset[link] as number) - (lowerOffset[link] as number),
        );
        this.#pulls.push(this.pull[link] as number);
        sum += this.pull[link] as number;
      }
    if (byLower)
      for (let k = down.start[cell] as number; k < (down.start[cell + 1] as number); k++) {
        const link = down.list[k] as number;
        this.#places.push(
          (this.x[lower[link] as number] as number) + (lowerOffset[link] as number) - (upperOffset[link] as number),
        );
        this.#pulls.push(this.pull[link] as number);
        sum += this.pull[link] as number;
      }
    return sum;
  }

  /** The weighted median: the middle between two where neither outweighs the other. */
  #median(): number {
    const places = this.#places;
    if (places.length === 1) return places[0] as number;
    const pulls = this.#pulls;
    const by = places.map((_, i) => i).sort((a, b) => (places[a] as number) - (places[b] as number));
    let half = 0;
    for (const pull of pulls) half += pull / 2;
    let sum = 0;
    for (let i = 0; i < by.length; i++) {
      sum += pulls[by[i] as number] as number;
      const isEven = Math.abs(sum - half) < 1e-9;
      if (isEven && i + 1 < by.length)
        return ((places[by[i] as number] as number) + (places[by[i + 1] as number] as number)) / 2;
      if (sum > half) return places[by[i] as number] as number;
    }
    return places[by.at(-1) as number] as number;
  }
}

const STRAIGHTENING_ROUNDS = 3;

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
  const limits = (cell: number): [number, number] => {
    const begin = rowStart[row[cell] as number] as number;
    const at = begin + (place[cell] as number);
    const left = at > begin ? (order[at - 1] as number) : -1;
    const right = at + 1 < (rowStart[(row[cell] as number) + 1] as number) ? (order[at + 1] as number) : -1;
    return [
      left < 0 ? -Infinity : (x[left] as number) + room(left, cell),
      right < 0 ? Infinity : (x[right] as number) - room(cell, right),
    ];
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
  const settle = (run: readonly number[], offsets: readonly number[], low: number, high: number): void => {
    const wanted = run.map((cell, i) => (x[cell] as number) - (offsets[i] as number)).sort((a, b) => a - b);
    const median = wanted[wanted.length >> 1] as number;
    const at = Math.min(Math.max(median, low), high);
    run.forEach((cell, i) => (x[cell] = at + (offsets[i] as number)));
  };
  for (let round = 0; round < STRAIGHTENING_ROUNDS; round++)
    for (const chain of chains) {
      let run: number[] = [];
      let offsets: number[] = [];
      let [low, high] = [-Infinity, Infinity];
      let offset = 0;
      for (const cell of chain) {
        const link = hangs[cell] as number;
        if (run.length > 0) offset += (upperOffset[link] as number) - (lowerOffset[link] as number);
        const [least, most] = limits(cell);
        if (Math.max(low, least - offset) > Math.min(high, most - offset) + 1e-6) {
          settle(run, offsets, low, high);
          [run, offsets, offset] = [[], [], 0];
          [low, high] = [-Infinity, Infinity];
        }
        low = Math.max(low, least - offset);
        high = Math.min(high, most - offset);
        run.push(cell);
        offsets.push(offset);
      }
      if (run.length > 0) settle(run, offsets, low, high);
    }
}
