// Positions of section headings and rows of cards in the virtual grid: one small object per row. Pure.

import type { Section } from "./tag_sections";

export const GAP_PX = 12;
export const HEADING_PX = 32;

export interface CardSize {
  readonly heightPx: number;
  /** Takes a row of its own. */
  readonly isWide: boolean;
}

export interface Row {
  readonly key: string;
  readonly topPx: number;
  readonly heightPx: number;
  readonly section: Section;
  /** Null: this row is the section's heading. */
  readonly ids: readonly string[] | null;
}

export interface Layout {
  readonly rows: readonly Row[];
  readonly heightPx: number;
}

export const countColumns = (widthPx: number, cardWidthPx: number): number =>
  Math.max(1, Math.round(widthPx / cardWidthPx));

export function layOut(
  sections: readonly Section[],
  isCollapsed: (section: Section) => boolean,
  columns: number,
  sizeOf: (id: string) => CardSize,
): Layout {
  const rows: Row[] = [];
  let topPx = 0;
  const add = (section: Section, ids: readonly string[], heightPx: number): void => {
    rows.push({ key: `card ${ids[0]}`, topPx, heightPx, section, ids });
    topPx += heightPx + GAP_PX;
  };
  for (const section of sections) {
    rows.push({ key: `section ${section.key}`, topPx, heightPx: HEADING_PX, section, ids: null });
    topPx += HEADING_PX;
    if (isCollapsed(section)) continue;
    let row: string[] = [];
    let heightPx = 0;
    const flush = (): void => {
      if (row.length > 0) add(section, row, heightPx);
      row = [];
      heightPx = 0;
    };
    for (const id of section.ids) {
      const size = sizeOf(id);
      if (size.isWide) flush();
      row.push(id);
      heightPx = Math.max(heightPx, size.heightPx);
      if (size.isWide || row.length === columns) flush();
    }
    flush();
  }
  return { rows, heightPx: topPx };
}

/** Rows that overlap this vertical range. */
export function rowsBetween(layout: Layout, topPx: number, bottomPx: number): Row[] {
  let low = 0;
  let high = layout.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = layout.rows[middle] as Row;
    if (row.topPx + row.heightPx <= topPx) low = middle + 1;
    else high = middle;
  }
  const found: Row[] = [];
  for (let i = low; i < layout.rows.length && (layout.rows[i] as Row).topPx < bottomPx; i++)
    found.push(layout.rows[i] as Row);
  return found;
}

/** The section whose cards are at this height. */
export function sectionAt(layout: Layout, topPx: number): Section | null {
  let low = 0;
  let high = layout.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((layout.rows[middle] as Row).topPx <= topPx) low = middle + 1;
    else high = middle;
  }
  return layout.rows[Math.max(0, low - 1)]?.section ?? null;
}

/** How far the visible cards have moved between two layouts; 0 when they are gone. */
export function shiftOf(before: Layout, now: Layout, topPx: number, bottomPx: number): number {
  const seen = rowsBetween(before, topPx, bottomPx).filter((row) => row.ids !== null);
  const anchor = seen.find((row) => row.topPx >= topPx) ?? seen[0];
  const id = anchor?.ids?.[0];
  if (!anchor || id === undefined) return 0;
  const moved = now.rows.find((row) => row.ids?.includes(id));
  return moved ? moved.topPx - anchor.topPx : 0;
}
