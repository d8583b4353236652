// Formats the numbers of histograms.

import { formatStep, formatValue } from "../../base/format";

/** Counts are integers unless buckets were split. */
export const formatCount = (count: number): string =>
  Number.isInteger(count) ? formatStep(count) : formatValue(count);

export const formatShare = (share: number): string =>
  Number.isNaN(share) ? "–" : `${(share * 100).toFixed(share > 0 && share < 0.001 ? 3 : 1)} %`;

/** For example: 3 NaN, 1 ∞, 2 −∞ */
export function notFiniteText({ nan, posInf, negInf }: { nan: number; posInf: number; negInf: number }): string {
  const parts = [
    [nan, "NaN"],
    [posInf, "∞"],
    [negInf, "−∞"],
  ] as const;
  return parts.flatMap(([count, name]) => (count > 0 ? [`${formatCount(count)} ${name}`] : [])).join(", ");
}
