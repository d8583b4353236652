// Positions of section headings and rows of cards in the virtual grid: one small object per row. Sections with few
// cards share a strip of the page. Pure.

import type { Section } from "./tag_sections";

export const GAP_PX = 12;
export const HEADING_PX = 32;

export interface CardSize {
  readonly heightPx: number;
  /** Of that, what is below the card's own content, such as a table: it does not shrink what is above it. */
  readonly belowPx?: number;
  /** Takes a row of its own. */
  readonly isWide: boolean;
  /** Columns that it takes at least, but no more than half of them; default: one. */
  readonly columns?: number;
  /** As high as its content: rows do not stretch it, and it does not stretch rows of other cards. */
  readonly isFitted?: boolean;
  /** Shows more when it is larger: its row is higher where it is wide. */
  readonly isPicture?: boolean;
  /** Its greatest height so far: short cards of a section are below each other in one column. */
  readonly stackPx?: number;
}

export interface Row {
  readonly key: string;
  readonly topPx: number;
  readonly heightPx: number;
  readonly section: Section;
  /** Its first column, and how many it takes; fractions where fewer cards than columns share a row. */
  readonly column: number;
  readonly span: number;
  /** Null: this row is the section's heading. */
  readonly ids: readonly string[] | null;
  /** Columns of each card. */
  readonly spans: readonly number[];
  /** Set if some cards are below each other: the first column and the top of each card in the row. */
  readonly places?: readonly { readonly column: number; readonly topPx: number }[];
}

/** By height: rows that are side by side have one top and one height. */
export interface Layout {
  readonly rows: readonly Row[];
  readonly heightPx: number;
}

/** What the cards are laid out in. */
export interface Room {
  /** Width of a column. */
  readonly columnPx: number;
  /** Height of what is visible at once. */
  readonly viewPx: number;
  /** Whether any cards have a `stackPx`. */
  readonly canStack?: boolean;
}

// Height of a card to its width, where there is room.
const CHART_RATIO = 0.6;
const PICTURE_RATIO = 0.8;
// Cards below each other are no higher than this together: about as high as a chart.
const STACK_PX = 250;
// The margin below the last row.
const BOTTOM_PX = 16;

/** Rather a column more than wider cards: two beside the run table of a window of 900 px. */
export const countColumns = (widthPx: number, cardWidthPx: number): number =>
  Math.max(1, Math.round(widthPx / cardWidthPx + 0.05));

export const spanPx = (columns: number, columnPx: number): number =>
  Math.floor(columns * columnPx + (columns - 1) * GAP_PX);

/** Where a column begins. */
export const columnLeftPx = (column: number, columnPx: number): number => Math.round(column * (columnPx + GAP_PX));

interface Part {
  readonly section: Section;
  readonly ids: readonly string[];
}

/** The fewest columns of a card, and whether it has a row of its own. */
interface Need {
  readonly columns: number;
  readonly isWide: boolean;
}

export function layOut(
  sections: readonly Section[],
  isCollapsed: (section: Section) => boolean,
  columns: number,
  sizeOfCard: (id: string) => CardSize,
  room: Room = { columnPx: 0, viewPx: 0 },
): Layout {
  const rows: Row[] = [];
  let topPx = 0;
  // Cards below each other are laid out as one, under the id of the first.
  const stacks = new Map<string, readonly string[]>();
  const sizeOf = (id: string): CardSize => {
    const stack = stacks.get(id);
    return stack ? sizeOfStack(stack.map(sizeOfCard)) : sizeOfCard(id);
  };
  const needOf = (id: string): Need => {
    const { columns: wanted = 1, isWide } = sizeOf(id);
    return { columns: Math.max(1, Math.min(wanted, Math.floor(columns / 2))), isWide };
  };
  const columnsOf = (ids: readonly string[]): number[] => ids.map((id) => needOf(id).columns);
  const addHeadings = (parts: readonly Part[], spans: readonly number[]): void => {
    if (parts.every(({ section }) => section.isBare)) return;
    let column = 0;
    parts.forEach(({ section }, i) => {
      const span = spans[i] as number;
      rows.push({
        key: `section ${section.key}`,
        topPx,
        heightPx: HEADING_PX,
        section,
        column,
        span,
        ids: null,
        spans: [],
      });
      column += span;
    });
    topPx += HEADING_PX;
  };
  /** Cards of one section, or of several beside each other. */
  const addCards = (parts: readonly Part[], spans: readonly number[]): void => {
    const heightPx = heightOf(
      parts.flatMap(({ ids }) => ids.map(sizeOf)),
      spans,
      room,
    );
    let [column, card] = [0, 0];
    for (const { section, ids } of parts) {
      const own = spans.slice(card, card + ids.length);
      const span = sum(own);
      const cards = ids.some((id) => stacks.has(id)) ? unstack(ids, own, stacks, sizeOfCard) : { ids, spans: own };
      rows.push({ key: `card ${ids[0]}`, topPx, heightPx, section, column, span, ...cards });
      column += span;
      card += ids.length;
    }
    topPx += heightPx + GAP_PX;
  };
  // More cards fill their rows, and are easier to read side by side.
  const idsOf = ({ ids }: Section): readonly string[] =>
    room.canStack && ids.length <= columns ? stack(ids, sizeOfCard, stacks) : ids;
  for (const strip of stripsOf(sections, isCollapsed, columns, idsOf, needOf)) {
    const [first] = strip;
    if (!first) continue;
    if (first.ids.length === 0) {
      addHeadings(
        strip,
        strip.map(() => 1),
      );
    } else if (strip.length > 1) {
      const spans = fill(columnsOf(strip.flatMap(({ ids }) => ids)), columns);
      let card = 0;
      addHeadings(
        strip,
        strip.map(({ ids }) => sum(spans.slice(card, (card += ids.length)))),
      );
      addCards(strip, spans);
    } else {
      addHeadings(strip, [columns]);
      chunk(first.ids, columns, needOf).forEach((ids, i) => {
        const spans = columnsOf(ids);
        // One picture below rows of them is as large as those.
        const isLast = i > 0 && ids.length < 2 && sizeOf(ids[0] ?? "").isPicture;
        addCards([{ section: first.section, ids }], isLast ? spans : fill(spans, columns));
      });
    }
  }
  return fillView({ rows, heightPx: topPx }, sizeOfCard, room);
}

const stackHeight = (heightsPx: readonly number[]): number => sum(heightsPx) + (heightsPx.length - 1) * GAP_PX;

const sizeOfStack = (sizes: readonly CardSize[]): CardSize => ({
  heightPx: stackHeight(sizes.map(({ heightPx }) => heightPx)),
  isWide: false,
  isFitted: true,
  stackPx: 0,
});

/** The first card of each stack. */
function stack(
  ids: readonly string[],
  sizeOf: (id: string) => CardSize,
  stacks: Map<string, readonly string[]>,
): readonly string[] {
  const groups: string[][] = [];
  let usedPx = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const { stackPx, isWide } = sizeOf(id);
    const heightPx = isWide ? Number.POSITIVE_INFINITY : (stackPx ?? Number.POSITIVE_INFINITY);
    if (usedPx + GAP_PX + heightPx <= STACK_PX) {
      groups.at(-1)?.push(id);
      usedPx += GAP_PX + heightPx;
    } else {
      groups.push([id]);
      usedPx = heightPx;
    }
  }
  for (const group of groups) if (group.length > 1) stacks.set(group[0] as string, group);
  return groups.length === ids.length ? ids : groups.map(([first = ""]) => first);
}

/** All cards of a row with stacks. */
function unstack(
  ids: readonly string[],
  spans: readonly number[],
  stacks: ReadonlyMap<string, readonly string[]>,
  sizeOf: (id: string) => CardSize,
): Pick<Row, "ids" | "spans" | "places"> {
  let column = 0;
  const cards = ids.flatMap((first, i) => {
    const span = spans[i] ?? 1;
    let topPx = 0;
    const placed = (stacks.get(first) ?? [first]).map((id) => {
      const card = { id, span, place: { column, topPx } };
      topPx += sizeOf(id).heightPx + GAP_PX;
      return card;
    });
    column += span;
    return placed;
  });
  return {
    ids: cards.map(({ id }) => id),
    spans: cards.map(({ span }) => span),
    places: cards.map(({ place }) => place),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Which sections are beside each other: those that fit into one row together, and collapsed ones. */
function stripsOf(
  sections: readonly Section[],
  isCollapsed: (section: Section) => boolean,
  columns: number,
  idsOf: (section: Section) => readonly string[],
  needOf: (id: string) => Need,
): Part[][] {
  const strips: Part[][] = [];
  let strip: Part[] = [];
  let used = 0;
  for (const section of sections) {
    const isShut = isCollapsed(section) && !section.isBare;
    const ids = isShut ? [] : idsOf(section);
    // Headings line up, so a section without one has a strip of its own.
    const needs = section.isBare || ids.length >= columns ? null : ids.map(needOf);
    const width = needs ? Math.max(1, sum(needs.map((need) => need.columns))) : columns;
    const isAlone = needs === null || width >= columns || needs.some(({ isWide }) => isWide);
    const isOther = strip.length > 0 && isShut !== (strip[0]?.ids.length === 0);
    if (isAlone || isOther || used + width > columns) {
      if (strip.length > 0) strips.push(strip);
      strip = [];
      used = 0;
    }
    if (isAlone) {
      strips.push([{ section, ids }]);
      continue;
    }
    strip.push({ section, ids });
    used += width;
  }
  if (strip.length > 0) strips.push(strip);
  return strips;
}

/** Shares out the columns that are left over: cards of one kind are equally wide, two of them in three columns too. */
const fill = (needed: readonly number[], columns: number): number[] =>
  needed.map((each) => each + (columns - sum(needed)) / needed.length);

/** Cards in rows. The last row has no single card if there are others to join it. */
function chunk(ids: readonly string[], columns: number, needOf: (id: string) => Need): string[][] {
  const chunks: string[][] = [];
  let row: string[] = [];
  let used = 0;
  const flush = (): void => {
    if (row.length > 0) chunks.push(row);
    row = [];
    used = 0;
  };
  for (const id of ids) {
    const need = needOf(id);
    if (need.isWide || used + need.columns > columns) flush();
    row.push(id);
    used += need.isWide ? columns : need.columns;
  }
  const before = chunks.at(-1);
  if (row.length === 1 && used < columns && columns > 2 && before?.length === columns)
    row.unshift(before.pop() as string);
  flush();
  return chunks;
}

function heightOf(sizes: readonly CardSize[], spans: readonly number[], { columnPx, viewPx }: Room): number {
  // A stack is never cut: its last card would be.
  const stretched = sizes.filter(({ isFitted, stackPx }) => !isFitted || stackPx === 0);
  const ownPx = Math.max(...(stretched.length > 0 ? stretched : sizes).map(({ heightPx }) => heightPx));
  if (!sizes.every(({ isPicture }) => isPicture)) return ownPx;
  const wantedPx = PICTURE_RATIO * spanPx(Math.min(...spans), columnPx);
  return Math.max(ownPx, Math.min(Math.floor(wantedPx), viewPx - HEADING_PX - GAP_PX - BOTTOM_PX));
}

/** The only row of cards of a page grows into the height that is left, as far as its cards are wide enough. */
function fillView(layout: Layout, sizeOf: (id: string) => CardSize, { columnPx, viewPx }: Room): Layout {
  const cards = layout.rows.filter((row) => row.ids !== null);
  const [first] = cards;
  if (!first || cards.some((row) => row.topPx !== first.topPx)) return layout;
  if (cards.some(({ ids }) => ids?.some((id) => sizeOf(id).isFitted))) return layout;
  const narrowestPx = spanPx(Math.min(...cards.flatMap(({ spans }) => spans)), columnPx);
  const leftPx = viewPx - (layout.heightPx - first.heightPx) - BOTTOM_PX;
  const belowPx = Math.max(...cards.flatMap(({ ids }) => ids?.map((id) => sizeOf(id).belowPx ?? 0) ?? []));
  const heightPx = Math.max(first.heightPx, belowPx + Math.min(leftPx, Math.floor(CHART_RATIO * narrowestPx)));
  const morePx = heightPx - first.heightPx;
  if (morePx === 0) return layout;
  return {
    rows: layout.rows.map((row) =>
      row.topPx === first.topPx
        ? { ...row, heightPx }
        : row.topPx > first.topPx
          ? { ...row, topPx: row.topPx + morePx }
          : row,
    ),
    heightPx: layout.heightPx + morePx,
  };
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

/** The section whose cards are at this height: the first of those side by side. */
export function sectionAt(layout: Layout, topPx: number): Section | null {
  let low = 0;
  let high = layout.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((layout.rows[middle] as Row).topPx <= topPx) low = middle + 1;
    else high = middle;
  }
  let at = Math.max(0, low - 1);
  while (at > 0 && (layout.rows[at - 1] as Row).topPx === (layout.rows[at] as Row).topPx) at--;
  return layout.rows[at]?.section ?? null;
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
