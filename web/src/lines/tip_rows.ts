// The rows of the tooltip as text: exact values where they are known, those of the drawn lines until then. Pure.

import type { NearestRow } from "../api/types";
import { columnFormat, formatDuration, formatStep, formatTime } from "../base/format";
import { type Floats, lowerBound, type Series, xOf } from "../chart/model";
import type { NearPoint } from "../chart/nearest";
import type { Center } from "../state/view/view";
import type { CardLine } from "./card_model";
import { formatAt, formatSigned } from "./table_format";
import { difference, judge } from "./compare";

/** The band of a group's line, with the same points as the line. */
export interface TipBand {
  readonly low: Floats;
  readonly high: Floats;
  readonly count: Floats;
}

/** The logged bounds of a line. */
export interface TipMargin {
  readonly lower: TipBound | null;
  readonly upper: TipBound | null;
}

export interface TipBound {
  readonly tag: string;
  readonly series: Series;
}

export type TipColumnKey =
  "tag" | "smoothed" | "value" | "lower" | "upper" | "spread" | "n" | "step" | "time" | "relative" | "baseline";

export interface TipColumn {
  readonly key: TipColumnKey;
  readonly label: string;
}

export interface TipShape {
  readonly x: string;
  readonly isSmoothed: boolean;
  /** Null: lines are runs; otherwise lines are groups of runs. */
  readonly center: Center | null;
  readonly hasTags: boolean;
  readonly hasBaseline: boolean;
  readonly hasMargins?: boolean;
}

export function listTipColumns({
  isSmoothed,
  center,
  hasTags,
  hasBaseline,
  hasMargins = false,
}: TipShape): TipColumn[] {
  const columns: (TipColumn | false)[] = [
    hasTags && { key: "tag", label: "tag" },
    center === null && isSmoothed && { key: "smoothed", label: "smoothed" },
    { key: "value", label: center ?? "value" },
    hasMargins && { key: "lower", label: "lower" },
    hasMargins && { key: "upper", label: "upper" },
    center !== null && { key: "spread", label: "low – high" },
    center !== null && { key: "n", label: "n" },
    // A group's point has only an x; step and time belong to one run.
    center === null && { key: "step", label: "step" },
    center === null && { key: "time", label: "time" },
    center === null && { key: "relative", label: "relative" },
    hasBaseline && { key: "baseline", label: "Δ baseline" },
  ];
  return columns.filter((column) => column !== false);
}

export interface TipRow {
  readonly line: number;
  readonly run: string;
  readonly tag: string;
  readonly isBaseline: boolean;
  readonly cells: Readonly<Partial<Record<TipColumnKey, string>>>;
  readonly tone: "good" | "bad" | "";
}

export interface TipFacts {
  readonly shape: TipShape;
  readonly lines: readonly CardLine[];
  readonly bands: readonly TipBand[] | null;
  readonly margins?: readonly TipMargin[] | null;
  readonly baseline: string | null;
  readonly find: (run: string, tag: string) => NearestRow | undefined;
  /** Whether `find` returns points at this x. */
  readonly isCurrent: boolean;
}

type ValueKey = "smoothed" | "value" | "lower" | "upper" | "low" | "high";

/** A row before its values are written, which depends on the other rows. */
interface RawRow {
  readonly row: TipRow;
  readonly values: Readonly<Record<ValueKey, number | null>>;
}

export function makeTipRows(points: readonly NearPoint[], facts: TipFacts): TipRow[] {
  const raw = points.flatMap((point) => {
    const line = facts.lines[point.line];
    return line ? [makeRow(point, line, facts)] : [];
  });
  const writer = (...keys: ValueKey[]): ((value: number | null, missing?: string) => string) => {
    const write = columnFormat(raw.flatMap(({ values }) => keys.flatMap((key) => values[key] ?? [])));
    return (value, missing = "") => (value === null ? missing : write(value));
  };
  const [smoothed, value, lower, upper] = [writer("smoothed"), writer("value"), writer("lower"), writer("upper")];
  const spread = writer("low", "high");
  return raw.map(({ row, values }) => ({
    ...row,
    cells: {
      ...row.cells,
      smoothed: smoothed(values.smoothed),
      value: value(values.value),
      ...(facts.margins && { lower: lower(values.lower, "–"), upper: upper(values.upper, "–") }),
      ...(facts.bands && { spread: `${spread(values.low)} – ${spread(values.high)}` }),
    },
  }));
}

function makeRow(
  point: NearPoint,
  line: CardLine,
  { shape, bands, margins, baseline, find, isCurrent }: TipFacts,
): RawRow {
  const { x, isSmoothed, center } = shape;
  const { run, tag } = line;
  const exact = center === null ? find(run, tag) : undefined;
  const shown = isCurrent && exact ? Number(exact.smoothed) : point.y;
  const isBaseline = center === null && run === baseline;
  const base = baseline === null ? undefined : find(baseline, tag);
  const delta = isBaseline || !base ? null : difference(shown, Number(base.smoothed));
  const band = bands?.[point.line];
  const margin = margins?.[point.line];
  const read = (bound: TipBound | null | undefined): number | null => {
    if (!bound) return null;
    const logged = isCurrent ? find(run, bound.tag) : undefined;
    return logged ? Number(logged.value) : valueAt(bound.series, point.x);
  };
  const cells: Partial<Record<TipColumnKey, string>> = {
    tag,
    baseline: delta === null ? "" : formatSigned(delta),
    // The drawn point has its own x, which is newer than a pending response.
    step: x === "step" && !isCurrent ? formatStep(point.x) : exact ? formatStep(exact.step) : "",
    time: x === "wall" && !isCurrent ? formatTime(point.x) : exact ? formatTime(Number(exact.wall_time)) : "",
    relative:
      x === "relative" && !isCurrent ? formatDuration(point.x) : exact ? formatDuration(Number(exact.relative)) : "",
    ...(band && { n: formatAt(band.count[point.point] ?? 0, "step") }),
  };
  return {
    row: { line: point.line, run, tag, isBaseline, cells, tone: delta === null ? "" : judge(delta, tag) },
    values: {
      smoothed: shown,
      value: !isSmoothed || center !== null ? shown : exact ? Number(exact.value) : null,
      lower: read(margin?.lower),
      upper: read(margin?.upper),
      low: band ? (band.low[point.point] ?? Number.NaN) : null,
      high: band ? (band.high[point.point] ?? Number.NaN) : null,
    },
  };
}

/** The value of the point nearest to x. */
function valueAt(series: Series, x: number): number {
  const xs = xOf(series);
  const after = Math.min(lowerBound(xs, x), xs.length - 1);
  const isBefore = after > 0 && x - (xs[after - 1] as number) < (xs[after] as number) - x;
  return series.y[isBefore ? after - 1 : after] ?? Number.NaN;
}

/** Whether the row's position reads the same as that of the heading. */
export function namesX({ cells }: TipRow, at: number | null, x: string): boolean {
  const cell = x === "step" ? cells.step : x === "relative" ? cells.relative : x === "wall" ? cells.time : undefined;
  return at === null || cell === undefined || cell === "" || cell === formatAt(at, x);
}
