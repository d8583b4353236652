// Where section headings and rows of cards stand on a page that is never drawn whole: ten thousand cards cost one
// small object a row.

import type { Section } from "./tag_sections";

export const GAP_PX = 12;
export const HEADING_PX = 32;
export const CARD_PX = 236;
const COLUMN_PX = 380;

export interface Row {
  readonly key: string;
  readonly topPx: number;
  readonly heightPx: number;
  readonly section: Section;
  /** Null: this row is the section's heading. */
  readonly tags: readonly string[] | null;
}

export interface Layout {
  readonly rows: readonly Row[];
  readonly heightPx: number;
}

export const countColumns = (widthPx: number): number => Math.max(1, Math.round(widthPx / COLUMN_PX));

export function layOut(sections: readonly Section[], isCollapsed: (section: string) => boolean, columns: number): Layout {
  const rows: Row[] = [];
  let topPx = 0;
  for (const section of sections) {
    rows.push({ key: `#${section.name}`, topPx, heightPx: HEADING_PX, section, tags: null });
    topPx += HEADING_PX;
    if (isCollapsed(section.name)) continue;
    for (let at = 0; at < section.tags.length; at += columns) {
      const tags = section.tags.slice(at, at + columns);
      rows.push({ key: `${tags[0]}`, topPx, heightPx: CARD_PX, section, tags });
      topPx += CARD_PX + GAP_PX;
    }
  }
  return { rows, heightPx: topPx };
}

/** The rows that reach into the stretch from top to bottom. */
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
  for (let i = low; i < layout.rows.length && (layout.rows[i] as Row).topPx < bottomPx; i++) found.push(layout.rows[i] as Row);
  return found;
}
