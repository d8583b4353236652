// From a chart's data and settings to its axes: what they span, where they are, and what they leave out.

import { countUnshown, innerExtent, usableRange, withoutOutliers, xDomain, xExtent, yDomain, yExtent } from "./extent";
import {
  type Area,
  type AxisSide,
  type ChartView,
  type Frame,
  type Margins,
  type Plot,
  plotOf,
  type Range,
  type ScaleKind,
  type Series,
  type Stroke,
  type XKind,
} from "./model";
import type { Axes } from "./nearest";
import { makeScale } from "./axes/scale";
import { type Tick, xTicks, yTicks } from "./axes/ticks";

export interface Charted {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly series: readonly Series[];
  readonly strokes: readonly Stroke[];
  readonly areas: readonly Area[];
  readonly firstFound: number;
  readonly xKind: XKind;
  readonly xScale: ScaleKind;
  readonly yScale: ScaleKind;
  readonly y2Scale: ScaleKind;
  readonly cutsOutliers: boolean;
  readonly view: ChartView;
}

/** What a y axis leaves out. */
export interface Cut {
  /** All values of its lines. */
  readonly full: Range | null;
  /** The largest and the smallest value, if an automatic axis leaves them out. */
  readonly above: number | null;
  readonly below: number | null;
}

export interface ChartLayout {
  readonly axes: Axes;
  readonly margins: Margins;
  readonly xMarks: readonly Tick[];
  readonly yMarks: readonly Tick[];
  readonly y2Marks: readonly Tick[];
  readonly left: Cut;
  /** Null: no second axis. */
  readonly right: Cut | null;
  /** Lines with points that a log axis cannot show. */
  readonly unshown: number;
}

const LABEL_PX = 6.4;
const TICK_HEIGHT_PX = 45;

export function layOutChart(chart: Charted): ChartLayout {
  const { widthPx, heightPx, series, strokes, areas, firstFound, xKind, view } = chart;
  // Wall time cannot be logarithmic: it has no zero.
  const xScale = xKind === "wall" ? "linear" : chart.xScale;
  const xRange = usableRange(view.x, xDomain(xExtent(series, xScale), xScale), xScale);
  const count = Math.max(2, Math.floor(heightPx / TICK_HEIGHT_PX));
  const hasRight = strokes.some((stroke) => stroke.axis === "right") || areas.some((area) => area.axis === "right");

  const side = (axis: AxisSide, scale: ScaleKind, set: Range | null) => {
    const isMine = (_: Series, i: number): boolean => (strokes[i]?.axis ?? "left") === axis;
    const lines = hasRight ? series.filter(isMine) : series;
    const found = hasRight
      ? series.filter((line, i) => i >= firstFound && isMine(line, i))
      : firstFound > 0
        ? series.slice(firstFound)
        : series;
    const full = yExtent(lines, hasRight ? areas.filter((area) => area.axis === axis) : areas, xRange, scale);
    let extent = full;
    // A log axis has room for outliers.
    if (full && chart.cutsOutliers && scale === "linear" && !set) {
      const inner = innerExtent(found, xRange);
      if (inner) extent = withoutOutliers(full, inner);
    }
    const domain = usableRange(set, yDomain(extent, scale), scale);
    return {
      domain,
      marks: yTicks(domain, scale, count),
      unshown: countUnshown(found, xScale, scale),
      cut: {
        full,
        above: !set && full && full[1] > domain[1] ? full[1] : null,
        below: !set && full && full[0] < domain[0] ? full[0] : null,
      },
    };
  };
  const left = side("left", chart.yScale, view.y);
  const right = hasRight ? side("right", chart.y2Scale, view.y2) : null;

  // Rounded, so that charts above one another mostly align.
  const besidePx = (marks: readonly Tick[]): number =>
    Math.max(36, Math.ceil((Math.max(0, ...marks.map((tick) => tick.label.length)) * LABEL_PX + 10) / 8) * 8);
  const margins = { top: 8, right: right ? besidePx(right.marks) : 14, bottom: 22, left: besidePx(left.marks) };
  const plot: Plot = plotOf({ widthPx, heightPx, margins });
  return {
    axes: {
      x: makeScale(xScale, xRange, [plot.left, plot.right]),
      y: makeScale(chart.yScale, left.domain, [plot.bottom, plot.top]),
      y2: makeScale(right ? chart.y2Scale : "linear", right?.domain ?? [0, 1], [plot.bottom, plot.top]),
      plot,
    },
    margins,
    xMarks: xTicks(
      xRange,
      xKind,
      xScale,
      Math.max(2, Math.floor((plot.right - plot.left + 14) / (xKind === "step" ? 60 : 70))),
    ),
    yMarks: left.marks,
    y2Marks: right?.marks ?? [],
    left: left.cut,
    right: right?.cut ?? null,
    unshown: left.unshown + (right?.unshown ?? 0),
  };
}

/** What the worker needs to draw the chart. */
export function frameCharted(
  { axes, margins }: Pick<ChartLayout, "axes" | "margins">,
  rest: Pick<Frame, "widthPx" | "heightPx" | "pixelRatio" | "breaksFalls" | "firstFound">,
): Frame {
  const axis = ({ kind, domain }: Axes["x"]): Frame["x"] => ({ kind, domain });
  return { ...rest, margins, x: axis(axes.x), y: axis(axes.y), y2: axis(axes.y2) };
}
