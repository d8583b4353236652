// How numbers of histograms are written.

import { formatStep, formatValue } from "../../base/format";

/** Counts are whole unless buckets were cut. */
export const formatCount = (count: number): string =>
  Number.isInteger(count) ? formatStep(count) : formatValue(count);

export const formatShare = (share: number): string =>
  Number.isNaN(share) ? "–" : `${(share * 100).toFixed(share > 0 && share < 0.001 ? 3 : 1)} %`;

/** 3 NaN, 1 ∞, 2 −∞ */
export function notFiniteText({ nan, posInf, negInf }: { nan: number; posInf: number; negInf: number }): string {
  const parts = [
    [nan, "NaN"],
    [posInf, "∞"],
    [negInf, "−∞"],
  ] as const;
  return parts.flatMap(([count, name]) => (count > 0 ? [`${formatCount(count)} ${name}`] : [])).join(", ");
}
