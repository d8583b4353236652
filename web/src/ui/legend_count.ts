// How many entries of a legend do not fit. Pure.

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where the number itself stands, which covers the last entry. */
const NUMBER_PX = 34;
const SLACK_PX = 2;

/** The entries that end beyond the end of the box, or below the number that says so. */
export function countOut(entries: readonly Box[], box: Box, direction: "line" | "rows"): number {
  const isBeyond = (entry: Box, endPx: number): boolean =>
    direction === "line" ? entry.right > box.right - endPx + SLACK_PX : entry.bottom > box.bottom + SLACK_PX;
  if (!entries.some((entry) => isBeyond(entry, 0))) return 0;
  return entries.filter((entry) => isBeyond(entry, NUMBER_PX)).length;
}
