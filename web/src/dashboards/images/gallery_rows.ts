// The rows of the gallery: one per step with a cell per run, or the values of one run in lines. Pure.

import type { SeriesSteps } from "../../api/steps";

export interface GalleryCell {
  /** Index of the series. */
  readonly series: number;
  /** Index of the value in the series. */
  readonly index: number;
}

export interface GalleryRow {
  readonly key: string;
  /** Null: the cells have different steps. */
  readonly step: number | null;
  /** One per column; null: no value. */
  readonly cells: readonly (GalleryCell | null)[];
}

/** One row per step; a step that was logged twice in a run has two. */
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

/** Index of the row that has this value; 0 if none has. */
export function rowOf(rows: readonly GalleryRow[], series: number, index: number): number {
  const found = rows.findIndex((row) => row.cells.some((cell) => cell?.series === series && cell.index === index));
  return Math.max(0, found);
}
