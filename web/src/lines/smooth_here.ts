// Smooths on the page, without a request, where it has every point: the same average as the server's. Pure.

import type { Floats, Series } from "../chart/model";
import type { Smoothing } from "../state/view/view";
import type { CardAnswer, CardLine, Question } from "./card_model";
import { levelEqualSteps } from "./equal_steps";

/**
 * The answer to a question that differs from an answered one only in its smoothing; null if the server has to compute
 * it.
 */
export function smoothHere(answer: CardAnswer, question: Question): CardAnswer | null {
  const asked = answer.question;
  if (question.body.kind !== "lines" || asked.unsmoothedKey !== question.unsmoothedKey) return null;
  const { smoothing, raw, x, x_scale: xScale } = question.body.query;
  if (smoothing?.kind !== "ema" && smoothing?.kind !== "none") return null;
  // An average starts at the first point, and includes points that the axis cannot show.
  if (question.range !== null || x !== "step" || xScale === "log") return null;
  const points = answer.lines.filter((line) => line.role === (asked.isSmoothed ? "raw" : "smoothed"));
  const known = asked.isSmoothed ? 2 * points.length : points.length;
  if (known !== answer.lines.length || !points.every(isWhole)) return null;

  const behind: CardLine[] = raw ? points.map((line) => ({ ...line, role: "raw" })) : [];
  const found = points.map((line): CardLine => ({
    ...line,
    role: "smoothed",
    series: smooth(line.series, question.smoothing),
  }));
  return { ...answer, question, lines: [...behind, ...found], firstFound: behind.length };
}

const isWhole = ({ series, total }: CardLine): boolean => series.y.length === total;

/** A whole line smoothed by an average over its points. */
export const smooth = (series: Series, { amount }: Smoothing): Series =>
  amount > 0 ? levelEqualSteps({ ...series, y: ema(series.y, amount) }) : series;

/**
 * TensorBoard's debiased exponential average over the point index. Values that are not finite stay and do not affect
 * the average.
 */
export function ema(y: Floats, weight: number): Floats {
  const out = y.slice();
  let last = 0;
  // The weight to the power of the number of points: corrects the bias of the first ones.
  let power = 1;
  let isConstant = true;
  for (let i = 0; i < y.length; i++) {
    const value = y[i] as number;
    if (value !== y[0]) isConstant = false;
    // Zero for finite numbers, NaN for all others.
    if (value - value !== 0) continue;
    last = last * weight + (1 - weight) * value;
    power *= weight;
    out[i] = weight < 1 ? last / (1 - power) : last;
  }
  // Rounding would make a constant line waver.
  return isConstant ? y : out;
}
