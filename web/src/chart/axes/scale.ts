// From numbers to pixels and back. extent.ts says which numbers an axis spans, ticks.ts where its marks are.

import type { Range, ScaleKind } from "../model";

export interface Scale {
  readonly kind: ScaleKind;
  readonly domain: Range;
  /** Not finite for values that the scale cannot show. */
  readonly toPx: (value: number) => number;
  readonly toValue: (px: number) => number;
}

// Values this many times smaller than the largest of an axis are drawn linearly.
const SYMLOG_REACH = 1_000;

/**
 * Where a symlog axis changes from linear to logarithmic. Depends on the domain, so that numbers of every size get
 * decades.
 */
export const symlogBend = ([low, high]: Range): number => Math.max(Math.abs(low), Math.abs(high)) / SYMLOG_REACH || 1;

/** From a value to the number that the scale draws linearly, and back. */
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
    // The most common kind takes a shortcut: this runs for every point.
    toPx:
      kind === "linear" ? (value) => px[0] + (value - start) * factor : (value) => px[0] + (to(value) - start) * factor,
    toValue: (at) => from(start + (at - px[0]) / factor),
  };
}
