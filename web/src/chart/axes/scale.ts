// From numbers to pixels and back. Which numbers an axis spans is extent.ts; where it has marks is ticks.ts.

import type { Range, ScaleKind } from "../model";

export interface Scale {
  readonly kind: ScaleKind;
  readonly domain: Range;
  /** Not finite for what the scale cannot show. */
  readonly toPx: (value: number) => number;
  readonly toValue: (px: number) => number;
}

// What lies this far below an axis' farthest end is drawn as on a straight axis.
const SYMLOG_REACH = 1_000;

/**
 * Where a symlog axis turns from straight to logarithmic. Follows the domain, so that every size of numbers has its
 * decades.
 */
export const symlogBend = ([low, high]: Range): number => Math.max(Math.abs(low), Math.abs(high)) / SYMLOG_REACH || 1;

/** The number whose distances the scale draws evenly, and back. */
export function warp(
  kind: ScaleKind,
  domain: Range,
): { to: (value: number) => number; from: (warped: number) => number } {
  switch (kind) {
    case "linear":
      return { to: (value) => value, from: (warped) => warped };
    case "log":
      return { to: Math.log10, from: (warped) => 10 ** warped };
    case "symlog": {
      const bend = symlogBend(domain);
      return {
        to: (value) => Math.sign(value) * Math.log1p(Math.abs(value) / bend),
        from: (warped) => Math.sign(warped) * Math.expm1(Math.abs(warped)) * bend,
      };
    }
    default:
      return kind satisfies never;
  }
}

export function makeScale(kind: ScaleKind, domain: Range, px: Range): Scale {
  const { to, from } = warp(kind, domain);
  const start = to(domain[0]);
  const factor = (px[1] - px[0]) / (to(domain[1]) - start);
  return {
    kind,
    domain,
    // Without the detour for the most common kind: it is called for every point.
    toPx:
      kind === "linear" ? (value) => px[0] + (value - start) * factor : (value) => px[0] + (to(value) - start) * factor,
    toValue: (at) => from(start + (at - px[0]) / factor),
  };
}
