// Counts for people. Formatted by hand: the browser's number formats take 40 ms to initialise, and the first page shows
// counts.

/** 12,345 */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 1 run, 12,345 runs */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
