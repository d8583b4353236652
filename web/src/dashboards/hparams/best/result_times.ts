// When the result of each run was there: at its end, or at its start where the end is not known. Pure.

import type { SessionTable } from "../columns";

/** Seconds since 1970; NaN where neither is known. */
export function resultTimes({ byId, rows }: SessionTable): Float64Array {
  const started = byId.get("s:started")?.numbers;
  const duration = byId.get("s:duration")?.numbers;
  return Float64Array.from({ length: rows }, (_, row) => {
    const start = started?.[row] ?? Number.NaN;
    const length = duration?.[row] ?? Number.NaN;
    return Number.isNaN(length) ? start : start + length;
  });
}
