// Blocks of memory as bands over time, each on those that are older: where they lie in every column of pixels. Pure.

import type { Block, Blocks } from "../answer";

/** A block that lies on the same height for some columns. */
export interface Run {
  readonly block: number;
  readonly from: number;
  /** The last column. */
  to: number;
  /** Bytes below it. */
  readonly bottom: number;
}

export interface Bands {
  readonly runs: readonly Run[];
  /** By column: what no block accounts for, which lies below all of them, and everything. */
  readonly rest: Float64Array;
  readonly total: Float64Array;
}

interface Change {
  readonly time: number;
  /** -1: the rest. */
  readonly block: number;
  readonly bytes: number;
}

/** In a column in which memory changes several times, the moment at which most is allocated is shown. */
export function stackBlocks({ blocks, rest_times_ps, rest_bytes }: Blocks, columnOf: (ps: number) => number): Bands {
  const changes: Change[] = rest_times_ps.map((time, i) => ({ time, block: -1, bytes: rest_bytes[i] ?? 0 }));
  blocks.forEach(({ start_ps, end_ps, bytes }, block) => {
    const start = start_ps ?? -Infinity;
    if (end_ps !== null && end_ps <= start) return;
    changes.push({ time: start, block, bytes });
    if (end_ps !== null) changes.push({ time: end_ps, block, bytes: -bytes });
  });
  // What is freed at a moment makes room for what is allocated then.
  changes.sort((a, b) => a.time - b.time || Math.sign(a.bytes) - Math.sign(b.bytes));
  return lay(blocks, changes, columnOf);
}

function lay(blocks: readonly Block[], changes: readonly Change[], columnOf: (ps: number) => number): Bands {
  const columns = columnOf(Infinity) + 1;
  const chosen = fullestMoments(changes, columns, columnOf);
  const [rests, totals] = [new Float64Array(columns), new Float64Array(columns)];
  const runs: Run[] = [];
  const open = new Map<number, Run>();
  const alive: number[] = [];
  let [done, rest, isChanged] = [0, 0, true];
  for (let column = 0; column < columns; column++) {
    for (const until = chosen[column] as number; done < until; done++) {
      const { block, bytes } = changes[done] as Change;
      isChanged = true;
      if (block < 0) rest = bytes;
      else if (bytes > 0) alive.push(block);
      else {
        alive.splice(alive.indexOf(block), 1);
        open.delete(block);
      }
    }
    let bottom = rest;
    if (isChanged) {
      for (const block of alive) {
        const run = open.get(block);
        if (run?.bottom !== bottom || run.to !== column - 1) {
          const next = { block, from: column, to: column, bottom };
          open.set(block, next);
          runs.push(next);
        } else run.to = column;
        bottom += blocks[block]?.bytes ?? 0;
      }
      isChanged = false;
    } else {
      for (const run of open.values()) run.to = column;
      bottom = totals[column - 1] ?? rest;
    }
    rests[column] = rest;
    totals[column] = bottom;
  }
  return { runs, rest: rests, total: totals };
}

/** By column: how many changes have happened at the moment that it shows. */
function fullestMoments(changes: readonly Change[], columns: number, columnOf: (ps: number) => number): Int32Array {
  const chosen = new Int32Array(columns);
  let [at, held, rest] = [0, 0, 0];
  for (let column = 0; column < columns; column++) {
    let [best, most] = [at, at === 0 ? -1 : held + rest];
    while (at < changes.length && columnOf((changes[at] as Change).time) <= column) {
      const { block, bytes } = changes[at] as Change;
      if (block < 0) rest = bytes;
      else held += bytes;
      at++;
      if (held + rest >= most) [best, most] = [at, held + rest];
    }
    chosen[column] = best;
  }
  return chosen;
}

/** The block at a column and a height in bytes; null: none. */
export function blockAt({ runs }: Bands, blocks: readonly Block[], column: number, bytes: number): number | null {
  const run = runs.find(
    ({ block, from, to, bottom }) =>
      from <= column && column <= to && bottom <= bytes && bytes < bottom + (blocks[block]?.bytes ?? 0),
  );
  return run?.block ?? null;
}

/** An axis on which every change is as far from the next, however long that took. Shares are from 0 to 1. */
export class OrderAxis {
  readonly #times: readonly number[];

  constructor({ blocks, rest_times_ps }: Blocks, from: number, to: number) {
    const times = [...rest_times_ps, ...blocks.flatMap(({ start_ps, end_ps }) => [start_ps ?? from, end_ps ?? to])];
    const inside = times.filter((time) => time >= from && time <= to);
    this.#times = [...new Set([from, ...inside, to])].sort((a, b) => a - b);
  }

  share(ps: number): number {
    const times = this.#times;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((times[middle] as number) <= ps) low = middle;
      else high = middle - 1;
    }
    const [at, next] = [times[low] as number, times[low + 1]];
    const part = next === undefined || ps <= at ? 0 : (ps - at) / (next - at);
    return Math.min(1, Math.max(0, (low + part) / Math.max(1, times.length - 1)));
  }

  time(share: number): number {
    const times = this.#times;
    const place = Math.min(1, Math.max(0, share)) * (times.length - 1);
    const low = Math.floor(place);
    const [at, next] = [times[low] as number, times[low + 1] ?? (times[low] as number)];
    return at + (next - at) * (place - low);
  }
}
