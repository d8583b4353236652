// Points of different runs side by side: the key of a series, its difference to the baseline, and whether that is good.
// Pure.

export const seriesKey = (run: string, tag: string): string => `${tag}\n${run}`;

export function difference(value: number | null | undefined, base: number | null | undefined): number | null {
  return value === null || value === undefined || base === null || base === undefined ? null : value - base;
}

const HIGH_IS_GOOD =
  /(^|[^a-z])(acc|accuracy|f1|auc|auroc|map|precision|recall|bleu|rouge|psnr|ssim|iou|dice|reward|return|score|r2|success|win_?rate|throughput|\w*per_s(ec)?)([^a-z]|$)/i;
const LOW_IS_GOOD =
  /(^|[^a-z])(loss|err|error|mse|rmse|mae|nll|perplexity|ppl|wer|cer|fid|kl|regret|latency)([^a-z]|$)/i;

/** Whether a difference to the baseline is good or bad, as far as the tag's name says. */
export function judge(difference: number, tag: string): "good" | "bad" | "" {
  const isLow = LOW_IS_GOOD.test(tag);
  if (difference === 0 || Number.isNaN(difference) || isLow === HIGH_IS_GOOD.test(tag)) return "";
  return difference < 0 === isLow ? "good" : "bad";
}
