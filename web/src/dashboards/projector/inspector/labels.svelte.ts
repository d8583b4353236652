// The labels of the points in a list. Keeps the last ones until others arrive. Created in a component.

import type { ProjectorPage } from "../projector_page.svelte";

export class Labels {
  /** Raw: replaced as a whole. */
  #known = $state.raw<ReadonlyMap<number, string>>(new Map());

  constructor(page: ProjectorPage, rows: () => readonly number[]) {
    // Outside: the server.
    $effect(() => {
      const wanted = rows();
      let isOld = false;
      page.labelsOf(wanted).then(
        (texts) => {
          if (!isOld) this.#known = new Map(wanted.map((row, i) => [row, texts[i] ?? String(row)]));
        },
        () => undefined,
      );
      return () => (isOld = true);
    });
  }

  of(row: number): string {
    return this.#known.get(row) ?? "";
  }
}
