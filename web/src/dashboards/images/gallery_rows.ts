// The rows of a gallery: every value of every run, those of one step beside each other, or one run's in lines. Pure.

import type { SeriesSteps } from "../../api/steps";

export interface GalleryCell {
  /** Number of its series among those of the gallery. */
  readonly series: number;
  /** Number of its value in the series. */
  readonly index: number;
}

export interface GalleryRow {
  readonly key: string;
  /** Of all its cells; null: of several. */
  readonly step: number | null;
  /** One for each column; null: nothing was logged there. */
  readonly cells: readonly (GalleryCell | null)[];
}

/**
 * A row for every step that any series has. A step that was logged twice in a run has two rows: nothing is left out.
 */
export function rowsByStep(all: readonly SeriesSteps[]): GalleryRow[] {
  const rows = new Map<string, { key: string; step: number; nth: number; cells: (GalleryCell | null)[] }>();
  all.forEach(({ step: steps }, series) => {
    let nth = 0;
    steps.forEach((step, index) => {
      nth = index > 0 && steps[index - 1] === step ? nth + 1 : 0;
      const key = `${step}/${nth}`;
      const row = rows.get(key) ?? { key, step, nth, cells: all.map(() => null) };
      rows.set(key, row);
      row.cells[series] = { series, index };
    });
  });
  return [...rows.values()].sort((a, b) => a.step - b.step || a.nth - b.nth);
}

/** All values of one series, as many to a line as there is room for. */
export function rowsInLines(count: number, columns: number): GalleryRow[] {
  return Array.from({ length: Math.ceil(count / columns) }, (_, line) => ({
    key: String(line),
    step: null,
    cells: Array.from({ length: Math.min(columns, count - line * columns) }, (_, i) => ({
      series: 0,
      index: line * columns + i,
    })),
  }));
}

/** The row that shows this value; 0 if none does. */
export function rowOf(rows: readonly GalleryRow[], series: number, index: number): number {
  const found = rows.findIndex((row) => row.cells.some((cell) => cell?.series === series && cell.index === index));
  return Math.max(0, found);
}
