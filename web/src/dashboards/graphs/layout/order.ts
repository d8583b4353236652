// The order of cells in each row, so that few links cross: sweeps down and up that sort each row by where its
// neighbours are, and swaps of neighbours in a row at the end.

import { BEND, type Layers } from "./layers";
import type { Neighbours } from "./ranks";

const PATIENCE = 4;

/** Changes `order` and `place`. */
export function orderLayers(layers: Layers): void {
  const { cells, order, place } = layers;
  if (layers.rows < 2) return;
  beginWithWalk(layers);
  const rounds = cells < 3_000 ? 20 : cells < 12_000 ? 8 : 3;
  let best = countCrossings(layers);
  let kept = order.slice();
  let idle = 0;
  for (let round = 0; round < rounds && best > 0 && idle < PATIENCE; round++) {
    sweep(layers, round % 2 === 0);
    const crossings = countCrossings(layers);
    if (crossings < best) {
      best = crossings;
      kept = order.slice();
      idle = 0;
    } else idle++;
  }
  order.set(kept);
  numberPlaces(layers);
  if (best > 0 && cells < 12_000) swapNeighbours(layers, place);
  centerTrunks(layers);
}

/** A trunk with many nodes at both of its sides runs in their middle, as far as that makes no line cross another. */
function centerTrunks(layers: Layers): void {
  const { rows, rowStart, order, place, kind, up, upper, down, lower } = layers;
  const only = ({ start, list }: Neighbours, other: Int32Array, cell: number): number =>
    start[cell + 1] === (start[cell] as number) + 1 ? (other[list[start[cell] as number] as number] as number) : -1;
  // What hangs on the same cell above, or leads to the same cell below.
  for (const [side, other] of [
    [up, upper],
    [down, lower],
  ] as const)
    for (let row = 0; row < rows; row++) {
      const end = rowStart[row + 1] as number;
      let begin = rowStart[row] as number;
      while (begin < end) {
        const shared = only(side, other, order[begin] as number);
        let stop = begin + 1;
        while (shared >= 0 && stop < end && only(side, other, order[stop] as number) === shared) stop++;
        if (stop - begin > 2)
          for (let k = begin; k < stop; k++) {
            if (kind[order[k] as number] !== BEND) continue;
            moveTo(k, (begin + stop - 1) >> 1);
            break;
          }
        begin = stop;
      }
    }

  function moveTo(from: number, to: number): void {
    const step = Math.sign(to - from);
    for (let k = from; k !== to; k += step) {
      const [a, b] = [order[Math.min(k, k + step)] as number, order[Math.max(k, k + step)] as number];
      if (pairCrossings(up, upper, place, a, b) + pairCrossings(down, lower, place, a, b) < 0) return;
      order[Math.min(k, k + step)] = b;
      order[Math.max(k, k + step)] = a;
      (place[a] as number)++;
      (place[b] as number)--;
    }
  }
}

function numberPlaces({ rows, rowStart, order, place }: Layers): void {
  for (let row = 0; row < rows; row++) {
    const begin = rowStart[row] as number;
    for (let k = begin; k < (rowStart[row + 1] as number); k++) place[order[k] as number] = k - begin;
  }
}

/** Cells that are joined come to stand near each other from the start: each row in the order of a walk from the top. */
function beginWithWalk(layers: Layers): void {
  const { cells, row, rowStart, order, down, lower, up, upper } = layers;
  const next = rowStart.slice(0, layers.rows);
  const first = order.slice();
  const isSeen = new Uint8Array(cells);
  const stack: number[] = [];
  const push = (cell: number): void => {
    if (isSeen[cell]) return;
    isSeen[cell] = 1;
    stack.push(cell);
  };
  for (const root of first) {
    push(root);
    while (stack.length > 0) {
      const cell = stack.pop() as number;
      const at = row[cell] as number;
      order[next[at] as number] = cell;
      (next[at] as number)++;
      for (let k = (up.start[cell + 1] as number) - 1; k >= (up.start[cell] as number); k--)
        push(upper[up.list[k] as number] as number);
      for (let k = (down.start[cell + 1] as number) - 1; k >= (down.start[cell] as number); k--)
        push(lower[down.list[k] as number] as number);
    }
  }
  numberPlaces(layers);
}

function sweep(layers: Layers, isDown: boolean): void {
  const { rows, rowStart, order, place, upper, lower, up, down } = layers;
  const sides: readonly [Neighbours, Int32Array] = isDown ? [up, upper] : [down, lower];
  for (let step = 1; step < rows; step++) {
    const row = isDown ? step : rows - 1 - step;
    const begin = rowStart[row] as number;
    const end = rowStart[row + 1] as number;
    if (end - begin < 2) continue;
    sortRow(order.subarray(begin, end), place, ...sides);
  }
}

/** Cells without neighbours keep their place. */
function sortRow(cells: Int32Array, place: Int32Array, { start, list }: Neighbours, other: Int32Array): void {
  const count = cells.length;
  const center = new Float64Array(count);
  const movable: number[] = [];
  let isSorted = true;
  for (let k = 0; k < count; k++) {
    const cell = cells[k] as number;
    const begin = start[cell] as number;
    const end = start[cell + 1] as number;
    if (begin === end) continue;
    let sum = 0;
    for (let at = begin; at < end; at++) sum += place[other[list[at] as number] as number] as number;
    center[k] = sum / (end - begin);
    if (movable.length > 0 && (center[movable[movable.length - 1] as number] as number) > (center[k] as number))
      isSorted = false;
    movable.push(k);
  }
  if (isSorted) return;
  const sorted = movable.slice().sort((a, b) => (center[a] as number) - (center[b] as number) || a - b);
  const before = cells.slice();
  for (let i = 0; i < sorted.length; i++) cells[movable[i] as number] = before[sorted[i] as number] as number;
  for (let k = 0; k < count; k++) place[cells[k] as number] = k;
}

/** Pairs of links that cross, in all rows together. */
export function countCrossings(layers: Layers): number {
  let crossings = 0;
  const { rows, rowStart, order, place, down, lower } = layers;
  for (let row = 0; row + 1 < rows; row++) {
    const width = (rowStart[row + 2] as number) - (rowStart[row + 1] as number);
    if (width === 1 || rowStart[row + 1] === (rowStart[row] as number) + 1) continue;
    // A tree of sums over the places of the lower row (Fenwick): how many earlier links end right of this one.
    const tree = new Int32Array(width + 1);
    let seen = 0;
    for (let k = rowStart[row] as number; k < (rowStart[row + 1] as number); k++) {
      const cell = order[k] as number;
      const begin = down.start[cell] as number;
      const end = down.start[cell + 1] as number;
      // All links of one cell are counted before any of them is added: they do not cross each other.
      for (let at = begin; at < end; at++) {
        let sum = 0;
        for (let i = (place[lower[down.list[at] as number] as number] as number) + 1; i > 0; i -= i & -i)
          sum += tree[i] as number;
        crossings += seen - sum;
      }
      for (let at = begin; at < end; at++)
        for (let i = (place[lower[down.list[at] as number] as number] as number) + 1; i <= width; i += i & -i)
          (tree[i] as number)++;
      seen += end - begin;
    }
  }
  return crossings;
}

const SWAP_ROUNDS = 4;
/** Two cells with more pairs of links than this stay as the sweeps left them. */
const MAX_PAIRS = 4_096;

function swapNeighbours(layers: Layers, place: Int32Array): void {
  const { rows, rowStart, order } = layers;
  for (let round = 0; round < SWAP_ROUNDS; round++) {
    let swapped = false;
    for (let row = 0; row < rows; row++) {
      for (let k = rowStart[row] as number; k + 1 < (rowStart[row + 1] as number); k++) {
        const [a, b] = [order[k] as number, order[k + 1] as number];
        const gain =
          pairCrossings(layers.up, layers.upper, place, a, b) + pairCrossings(layers.down, layers.lower, place, a, b);
        if (gain <= 0) continue;
        order[k] = b;
        order[k + 1] = a;
        (place[a] as number)++;
        (place[b] as number)--;
        swapped = true;
      }
    }
    if (!swapped) return;
  }
}

/** How many crossings fewer there are if b stands left of a instead of right of it. */
function pairCrossings(
  { start, list }: Neighbours,
  other: Int32Array,
  place: Int32Array,
  a: number,
  b: number,
): number {
  const pairs = ((start[a + 1] as number) - (start[a] as number)) * ((start[b + 1] as number) - (start[b] as number));
  if (pairs > MAX_PAIRS) return 0;
  let gain = 0;
  for (let i = start[a] as number; i < (start[a + 1] as number); i++) {
    const atA = place[other[list[i] as number] as number] as number;
    for (let j = start[b] as number; j < (start[b + 1] as number); j++)
      gain += Math.sign(atA - (place[other[list[j] as number] as number] as number));
  }
  return gain;
}
