// Pictures of the points of a list: one sheet for all of them. Created in a component and ends with it.

import { loadThumbnails, MAX_TILES } from "../ask";
import type { ProjectorPage } from "../projector_page.svelte";

interface Loaded {
  readonly url: string;
  readonly columns: number;
  readonly placeOf: ReadonlyMap<number, number>;
}

export class PictureSheet {
  /** Raw: replaced as a whole. */
  #loaded = $state.raw<Loaded | null>(null);

  constructor(
    page: ProjectorPage,
    rows: () => readonly number[],
    private readonly tilePx: number,
  ) {
    // Outside: the server, and the addresses of what it sent.
    $effect(() => {
      const { embedding, about } = page;
      const wanted = rows().slice(0, MAX_TILES);
      if (!embedding || !about?.sprite || wanted.length === 0) return;
      let isOld = false;
      loadThumbnails(page.session.client, embedding, wanted, tilePx).then(
        (blob) => {
          if (isOld) return;
          this.#drop();
          this.#loaded = {
            url: URL.createObjectURL(blob),
            columns: Math.ceil(Math.sqrt(wanted.length)),
            placeOf: new Map(wanted.map((row, i) => [row, i])),
          };
        },
        // Without pictures the list is still there.
        () => undefined,
      );
      return () => (isOld = true);
    });
    $effect(() => () => this.#drop());
  }

  /** The style of a box that shows the picture of a row; null: it has none. */
  styleOf(row: number, shownPx: number): string | null {
    const loaded = this.#loaded;
    const place = loaded?.placeOf.get(row);
    if (!loaded || place === undefined) return null;
    const [x, y] = [place % loaded.columns, Math.floor(place / loaded.columns)];
    const scale = shownPx / this.tilePx;
    const widthPx = loaded.columns * this.tilePx * scale;
    return `background: url("${loaded.url}") -${x * shownPx}px -${y * shownPx}px / ${widthPx}px auto no-repeat`;
  }

  #drop(): void {
    if (this.#loaded) URL.revokeObjectURL(this.#loaded.url);
  }
}
