// The two settings of a map: which goes up and which across, how they are sorted into cells, and how values are
// coloured and written. Pure.

import { rampColor } from "../../../state/runs/run_colors";
import { type Bins, commonBins, discreteBins, evenBins, isDiscrete } from "../bins";
import type { Brush } from "../brushes";
import type { Column } from "../columns";
import { chooseScale, makeScale, type Scale, sortedNumbers } from "../scales";

/** More values than this are an interval, not a list. */
const MOST_VALUES = 12;
const MOST_LEVELS = 16;
const INTERVALS = 9;

const isListed = (column: Column): boolean => isDiscrete(column, MOST_VALUES);

/** Neither was picked from a list: their values have distances that can be smoothed over. */
export const isContinuous = (a: Column, b: Column): boolean => !isListed(a) && !isListed(b);

/** Names are read more easily at the side, and few of them: the other one goes across. */
export function orderPair(a: Column, b: Column): readonly [vertical: Column, horizontal: Column] {
  if (isListed(a) !== isListed(b)) return isListed(a) ? [a, b] : [b, a];
  if (!isListed(a)) return [a, b];
  if ((a.levels === null) !== (b.levels === null)) return a.levels ? [a, b] : [b, a];
  return a.distinct <= b.distinct ? [a, b] : [b, a];
}

/** Linear or logarithmic: ranks and bands have no distances that could be smoothed over. */
export const plainScale = (column: Column): Scale =>
  makeScale(column, chooseScale(column) === "log" ? "log" : positiveRatio(column) >= 50 ? "log" : "linear");

function positiveRatio(column: Column): number {
  const sorted = sortedNumbers(column);
  return sorted.length > 0 && (sorted[0] as number) > 0 ? (sorted.at(-1) as number) / (sorted[0] as number) : 0;
}

export function mapBins(column: Column): Bins {
  if (column.levels) return discreteBins(column, MOST_LEVELS) ?? commonBins(column, MOST_LEVELS);
  const values = isListed(column) ? discreteBins(column, MOST_VALUES) : null;
  if (values) return values;
  const { placeValue, valueAt } = plainScale(column);
  return evenBins(column, placeValue, valueAt, INTERVALS);
}

/** The brush of one bin; null where it is the rest of many. */
export function binBrush(column: Column, bins: Bins, bin: number): Brush | null {
  const [low, high] = bins.ranges[bin] ?? [Number.NaN, Number.NaN];
  if (Number.isNaN(low)) return null;
  const brush: Brush = { column: column.id, ranges: [], levels: null, missing: false };
  return column.levels ? { ...brush, levels: [column.levels[low] ?? ""] } : { ...brush, ranges: [[low, high]] };
}

/** A colour by the share of runs that the value beats, as in all views of the metric. */
export function rankColors(metric: Column): (value: number, theme: "light" | "dark") => string {
  const sorted = sortedNumbers(metric);
  const last = Math.max(1, sorted.length - 1);
  return (value, theme) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    const share = Math.min(1, low / last);
    // Few shades, because each is kept.
    return rampColor(Math.round((metric.goal === "min" ? 1 - share : share) * 64) / 64)[theme];
  };
}

/** Dark or light letters, whichever can be read on the colour. */
export function inkOn(color: string): string {
  const number = Number.parseInt(color.slice(1), 16);
  const light = 0.2126 * ((number >> 16) & 255) + 0.7152 * ((number >> 8) & 255) + 0.0722 * (number & 255);
  return light > 127 ? "#10151f" : "#fff";
}

/** Few digits that still tell the cells apart; a zero before the point is left out. */
export function cellFormat(means: Iterable<number>): (value: number) => string {
  const finite = [...means].filter((mean) => !Number.isNaN(mean));
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  const size = Math.max(Math.abs(low), Math.abs(high));
  const span = high > low ? high - low : size || 1;
  const decimals = Math.max(0, 1 - Math.floor(Math.log10(span)));
  if (size >= 1e5 || decimals > 4) return (value) => value.toExponential(1).replace("e+", "e").replaceAll("-", "−");
  return (value) =>
    value
      .toFixed(decimals)
      .replace(/^(-?)0\./, "$1.")
      .replace("-", "−");
}
