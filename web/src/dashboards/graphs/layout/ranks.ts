// Which row each node is in: an edge leads from a row to a lower one, and is as short as it can be.

/** Neighbours of each node, packed: those of node i are `list[start[i]]` to `list[start[i + 1]]`. */
export interface Neighbours {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

/** For each node the numbers of the items (edges, links) whose key it is. */
export function groupBy(count: number, keys: ArrayLike<number>): Neighbours {
  const start = new Int32Array(count + 1);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number;
    if (key >= 0) (start[key + 1] as number)++;
  }
  for (let i = 0; i < count; i++) (start[i + 1] as number) += start[i] as number;
  const list = new Int32Array(start[count] as number);
  const next = start.slice(0, count);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number;
    if (key >= 0) list[(next[key] as number)++] = i;
  }
  return { start, list };
}

/**
 * Edges that close a cycle, besides those that are known to: a depth-first walk in the order of the nodes, which is
 * mostly that of the program.
 */
export function findBackEdges(count: number, from: Int32Array, to: Int32Array, isBack: Uint8Array): Uint8Array {
  const found = Uint8Array.from(isBack);
  const out = groupBy(count, from);
  // 0: not seen, 1: on the way here, 2: done.
  const state = new Uint8Array(count);
  const next = out.start.slice(0, count);
  const stack = new Int32Array(count);
  for (let root = 0; root < count; root++) {
    if (state[root] !== 0) continue;
    let depth = 0;
    stack[0] = root;
    state[root] = 1;
    while (depth >= 0) {
      const node = stack[depth] as number;
      const at = next[node] as number;
      if (at === out.start[node + 1]) {
        state[node] = 2;
        depth--;
        continue;
      }
      next[node] = at + 1;
      const edge = out.list[at] as number;
      const target = to[edge] as number;
      if (found[edge]) continue;
      if (state[target] === 1) found[edge] = 1;
      else if (state[target] === 0) {
        state[target] = 1;
        stack[++depth] = target;
      }
    }
  }
  return found;
}

const TIGHTENING_ROUNDS = 4;

/** The row of each node of a graph without cycles. */
export function rankNodes(count: number, from: Int32Array, to: Int32Array): Int32Array {
  const out = groupBy(count, from);
  const into = groupBy(count, to);
  const rank = new Int32Array(count);
  const waiting = new Int32Array(count);
  const order = new Int32Array(count);
  let ordered = 0;
  for (let i = 0; i < count; i++) {
    waiting[i] = (into.start[i + 1] as number) - (into.start[i] as number);
    if (waiting[i] === 0) order[ordered++] = i;
  }
  for (let at = 0; at < ordered; at++) {
    const node = order[at] as number;
    for (let k = out.start[node] as number; k < (out.start[node + 1] as number); k++) {
      const target = to[out.list[k] as number] as number;
      rank[target] = Math.max(rank[target] as number, (rank[node] as number) + 1);
      if (--(waiting[target] as number) === 0) order[ordered++] = target;
    }
  }
  // Nodes with more edges below than above move down to them, the others up, until nothing gets shorter.
  for (let round = 0; round < TIGHTENING_ROUNDS; round++) {
    let moved = false;
    const settle = (node: number): void => {
      let [low, high] = [0, Number.MAX_SAFE_INTEGER];
      for (let k = into.start[node] as number; k < (into.start[node + 1] as number); k++)
        low = Math.max(low, (rank[from[into.list[k] as number] as number] as number) + 1);
      for (let k = out.start[node] as number; k < (out.start[node + 1] as number); k++)
        high = Math.min(high, (rank[to[out.list[k] as number] as number] as number) - 1);
      const pull =
        (out.start[node + 1] as number) -
        (out.start[node] as number) -
        (into.start[node + 1] as number) +
        (into.start[node] as number);
      const wanted = pull > 0 && high !== Number.MAX_SAFE_INTEGER ? high : pull < 0 ? low : (rank[node] as number);
      if (wanted === rank[node]) return;
      rank[node] = wanted;
      moved = true;
    };
    for (let at = ordered - 1; at >= 0; at--) settle(order[at] as number);
    for (let at = 0; at < ordered; at++) settle(order[at] as number);
    if (!moved) break;
  }
  return rank;
}

/**
 * Rows that are far wider than the rest of the graph is high become several rows. Nodes of one row are not joined to
 * each other, so this moves the rows below and nothing else.
 */
export function wrapWideRanks(rank: Int32Array, width: ArrayLike<number>, gap: number, rowHeight: number): Int32Array {
  const count = rank.length;
  let rows = 0;
  let area = 0;
  for (let i = 0; i < count; i++) {
    rows = Math.max(rows, (rank[i] as number) + 1);
    area += ((width[i] as number) + gap) * rowHeight;
  }
  const limit = Math.max(MIN_WRAP_PX, Math.sqrt(area) * WRAP_ASPECT, (rows * rowHeight) / 2);
  const used = new Float64Array(rows);
  const extra = new Int32Array(rows);
  const sub = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const row = rank[i] as number;
    const step = (width[i] as number) + gap;
    if ((used[row] as number) > 0 && (used[row] as number) + step > limit) {
      used[row] = 0;
      (extra[row] as number)++;
    }
    (used[row] as number) += step;
    sub[i] = extra[row] as number;
  }
  const first = new Int32Array(rows);
  for (let row = 1; row < rows; row++) first[row] = (first[row - 1] as number) + (extra[row - 1] as number) + 1;
  return Int32Array.from(rank, (row, i) => (first[row] as number) + (sub[i] as number));
}

const MIN_WRAP_PX = 1_800;
const WRAP_ASPECT = 1.4;
