// Texts and pictures of rows that were asked for once, and are asked for in batches when they are needed.

import type { Sheet } from "./cloud.svelte";

const MAX_TEXT = 32;
const BATCH = 1_000;
const MAX_TEXTS = 60_000;

/** Calls `onload` when new ones came. */
export class RowTexts {
  readonly #texts = new Map<number, string>();
  readonly #asked = new Set<number>();
  #load: ((rows: readonly number[]) => Promise<readonly string[]>) | null = null;

  constructor(private readonly onload: () => void) {}

  /** Another source: what is known is of the other. */
  use(load: ((rows: readonly number[]) => Promise<readonly string[]>) | null): void {
    if (load === this.#load) return;
    this.#load = load;
    this.#texts.clear();
    this.#asked.clear();
  }

  get(row: number): string | undefined {
    return this.#texts.get(row);
  }

  want(rows: Iterable<number>): void {
    const load = this.#load;
    if (!load) return;
    if (this.#texts.size > MAX_TEXTS) {
      this.#texts.clear();
      this.#asked.clear();
    }
    const missing: number[] = [];
    for (const row of rows) {
      if (this.#asked.has(row)) continue;
      this.#asked.add(row);
      missing.push(row);
    }
    for (let start = 0; start < missing.length; start += BATCH) {
      const batch = missing.slice(start, start + BATCH);
      void load(batch).then(
        (texts) => {
          if (load !== this.#load) return;
          batch.forEach((row, i) => this.#texts.set(row, shortened(texts[i] ?? "")));
          this.onload();
        },
        () => {
          // Asked again when they are next needed.
          if (load === this.#load) for (const row of batch) this.#asked.delete(row);
        },
      );
    }
  }
}

function shortened(text: string): string {
  const [line = ""] = text.trim().split("\n");
  const letters = [...line];
  return letters.length > MAX_TEXT ? `${letters.slice(0, MAX_TEXT - 1).join("")}…` : line;
}

export interface Tile {
  readonly image: ImageBitmap;
  readonly x: number;
  readonly y: number;
  readonly sizePx: number;
}

const TILE_PX = 32;
const SHEET = 1_024;
const MAX_TILES = 16_384;

export class RowPictures {
  readonly #tiles = new Map<number, Tile>();
  readonly #asked = new Set<number>();
  #load: ((rows: readonly number[], tilePx: number) => Promise<Sheet>) | null = null;

  constructor(private readonly onload: () => void) {}

  use(load: ((rows: readonly number[], tilePx: number) => Promise<Sheet>) | null): void {
    if (load === this.#load) return;
    this.#load = load;
    this.#forget();
  }

  get isThere(): boolean {
    return this.#load !== null;
  }

  get(row: number): Tile | undefined {
    return this.#tiles.get(row);
  }

  want(rows: Iterable<number>): void {
    const load = this.#load;
    if (!load) return;
    if (this.#asked.size > MAX_TILES) this.#forget();
    const missing: number[] = [];
    for (const row of rows) {
      if (this.#asked.has(row)) continue;
      this.#asked.add(row);
      missing.push(row);
    }
    for (let start = 0; start < missing.length; start += SHEET) {
      const batch = missing.slice(start, start + SHEET);
      void load(batch, TILE_PX).then(
        ({ image, tilePx, columns }) => {
          if (load !== this.#load) return;
          batch.forEach((row, i) =>
            this.#tiles.set(row, {
              image,
              x: (i % columns) * tilePx,
              y: Math.floor(i / columns) * tilePx,
              sizePx: tilePx,
            }),
          );
          this.onload();
        },
        () => {
          if (load === this.#load) for (const row of batch) this.#asked.delete(row);
        },
      );
    }
  }

  #forget(): void {
    this.#tiles.clear();
    this.#asked.clear();
  }
}
