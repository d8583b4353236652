// Points of different runs side by side: the key of a series, its difference to the baseline, and whether that is good.
// Pure.

export const seriesKey = (run: string, tag: string): string => `${tag}\n${run}`;

export function difference(value: number | null | undefined, base: number | null | undefined): number | null {
  return value === null || value === undefined || base === null || base === undefined ? null : value - base;
}

export type Goal = "max" | "min";

const HIGHER =
  "accuracy|acc|top1|f1|miou|iou|dice|map|auc|auroc|bleu|rouge|psnr|ssim|r2|reward|return|score|precision|recall|success|win_rate|throughput|per_s|per_sec";
const LOWER = "loss|nll|perplexity|ppl|error|err|mse|rmse|mae|wer|cer|fid|kl|regret|latency";
const TELLING = new RegExp(`(?<=^|_)(?:(${HIGHER})|${LOWER})(?=_|$)`, "g");
const WHOLE = new RegExp(`^(?:${HIGHER}|${LOWER})$`);
const WORD = /[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+/g;

/** Whether higher or lower is better; null if the name does not tell. Later words tell more: error_score is a score. */
export function goalOf(tag: string): Goal | null {
  const words = (tag.match(/[A-Za-z0-9]+/g) ?? []).flatMap((name) =>
    // mAP is one word.
    WHOLE.test(name.toLowerCase()) ? [name] : (name.match(WORD) ?? []),
  );
  const last = [...words.join("_").toLowerCase().matchAll(TELLING)].at(-1);
  return last ? (last[1] === undefined ? "min" : "max") : null;
}

/** Whether a difference to the baseline is good or bad, as far as the tag's name says. */
export function judge(difference: number, tag: string): "good" | "bad" | "" {
  const goal = goalOf(tag);
  if (difference === 0 || Number.isNaN(difference) || goal === null) return "";
  return difference < 0 === (goal === "min") ? "good" : "bad";
}
