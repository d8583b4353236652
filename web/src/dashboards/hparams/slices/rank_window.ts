// Medians and extremes of a window that moves over rows: rows enter and leave it by the rank of their value, so that a
// brush at ten thousand runs does not sort a window anew for every point of every line. Pure.

/** The values of a column in order, and the place of each row among them. */
export interface Ranks {
  readonly sorted: Float64Array;
  /** By row; −1 without a value. */
  readonly of: Int32Array;
}

export function ranksOf(values: Float64Array): Ranks {
  const rows = Uint32Array.from(values.keys()).filter((row) => !Number.isNaN(values[row] as number));
  rows.sort((a, b) => (values[a] as number) - (values[b] as number));
  const of = new Int32Array(values.length).fill(-1);
  rows.forEach((row, rank) => (of[row] = rank));
  return { sorted: Float64Array.from(rows, (row) => values[row] as number), of };
}

const BLOCK = 64;

export class RankWindow {
  size = 0;
  readonly #has: Uint8Array;
  /** How many ranks of each block are in the window. */
  readonly #blocks: Uint16Array;

  constructor(private readonly ranks: Ranks) {
    this.#has = new Uint8Array(ranks.sorted.length);
    this.#blocks = new Uint16Array(Math.ceil(ranks.sorted.length / BLOCK));
  }

  add(row: number): void {
    this.#change(row, 1);
  }

  remove(row: number): void {
    this.#change(row, -1);
  }

  #change(row: number, by: 1 | -1): void {
    const rank = this.ranks.of[row] as number;
    const block = Math.floor(rank / BLOCK);
    this.#has[rank] = by === 1 ? 1 : 0;
    this.#blocks[block] = (this.#blocks[block] as number) + by;
    this.size += by;
  }

  /** The value at this place of the window's values in order. */
  at(place: number): number {
    let left = place;
    let block = 0;
    while (left >= (this.#blocks[block] as number)) left -= this.#blocks[block++] as number;
    let rank = block * BLOCK;
    for (; ; rank++) if (this.#has[rank] === 1 && left-- === 0) return this.ranks.sorted[rank] as number;
  }

  get median(): number {
    const middle = (this.size - 1) / 2;
    return (this.at(Math.floor(middle)) + this.at(Math.ceil(middle))) / 2;
  }
}
