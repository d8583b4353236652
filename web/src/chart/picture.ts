// A chart as a still picture for exports: its spec, and everything except the lines as texts, rules and boxes that both
// formats draw. Knows nothing of files or runs: names and colours come with the spec.

import { type Charted, frameCharted, layOutChart } from "./chart_layout";
import type { Frame, Margins, Range } from "./model";

export interface PictureColors {
  readonly surface: string;
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
}

export const LIGHT_COLORS: PictureColors = { surface: "#ffffff", text: "#1a2030", faint: "#566173", grid: "#e2e5ea" };

export interface LegendEntry {
  readonly label: string;
  readonly color: string;
  readonly dash: readonly number[];
}

/**
 * What a chart shows, and the text around it. The size is that of the chart; title and legend make the picture larger.
 */
export interface PictureSpec extends Charted {
  readonly title: string;
  /** Under the x axis: "step", "relative time". */
  readonly xLabel: string;
  readonly legend: readonly LegendEntry[];
  readonly colors: PictureColors;
  readonly font: string;
  readonly breaksFalls: boolean;
}

export interface PictureText {
  readonly text: string;
  readonly xPx: number;
  /** The baseline of the letters. */
  readonly yPx: number;
  readonly sizePx: number;
  readonly color: string;
  readonly anchor: "start" | "middle" | "end";
  readonly isBold: boolean;
}

export interface PictureRule {
  readonly from: Range;
  readonly to: Range;
  readonly color: string;
  readonly widthPx: number;
  readonly dash: readonly number[];
}

export interface Picture {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly frame: Frame;
  readonly rules: readonly PictureRule[];
  readonly texts: readonly PictureText[];
}

const EDGE_PX = 12;
const TITLE_PX = 14;
const TICK_PX = 10.5;
const LEGEND_PX = 11;
const LEGEND_ROW_PX = 18;
const SWATCH_PX = 18;
// Wide enough for most letters of most fonts; without a screen they cannot be measured.
const LETTER_PX = 6.4;
const LABEL_HEIGHT_PX = 16;
// The longest name that leaves room for others.
const MAX_LABEL = 60;

/** Lays out a picture; only the frame for a canvas uses `pixelRatio`. */
export function layOutPicture(spec: PictureSpec, pixelRatio = 1): Picture {
  const { colors } = spec;
  const titleHeightPx = spec.title ? TITLE_PX + EDGE_PX : 4;
  const entries = placeLegend(spec.legend, spec.widthPx - 2 * EDGE_PX);
  const legendHeightPx = (entries.at(-1)?.row ?? -1) + 1;
  const xLabelHeightPx = spec.xLabel ? LABEL_HEIGHT_PX : 0;

  const layout = layOutChart(spec);
  // The chart keeps its size; the text around it comes on top.
  const margins: Margins = {
    left: layout.margins.left + EDGE_PX,
    right: layout.margins.right + EDGE_PX,
    top: layout.margins.top + titleHeightPx,
    bottom: layout.margins.bottom + xLabelHeightPx + legendHeightPx * LEGEND_ROW_PX + EDGE_PX,
  };
  const widthPx = spec.widthPx + 2 * EDGE_PX;
  const heightPx = spec.heightPx + titleHeightPx + xLabelHeightPx + legendHeightPx * LEGEND_ROW_PX + EDGE_PX;
  const { breaksFalls, firstFound } = spec;
  const frame = frameCharted(
    { axes: layout.axes, margins },
    { widthPx, heightPx, pixelRatio, breaksFalls, firstFound },
  );
  const [dx, dy] = [EDGE_PX, titleHeightPx];
  const { axes } = layout;
  const [left, right, bottom] = [axes.plot.left + dx, axes.plot.right + dx, axes.plot.bottom + dy];

  const rules: PictureRule[] = [];
  const texts: PictureText[] = [];
  const rule = (from: Range, to: Range, color: string, dash: readonly number[] = [], width = 1): void =>
    void rules.push({ from, to, color, dash, widthPx: width });
  const write = (
    text: string,
    xPx: number,
    yPx: number,
    anchor: PictureText["anchor"],
    sizePx = TICK_PX,
    color = colors.faint,
    isBold = false,
  ): void => void texts.push({ text, xPx, yPx, anchor, sizePx, color, isBold });

  if (spec.title) write(spec.title, left, TITLE_PX + 8, "start", TITLE_PX, colors.text, true);
  for (const tick of layout.yMarks) {
    const at = axes.y.toPx(tick.value) + dy;
    rule([left, at], [right, at], colors.grid);
    write(tick.label, left - 8, at + 3.5, "end");
  }
  for (const tick of layout.y2Marks) {
    const at = axes.y2.toPx(tick.value) + dy;
    rule([right, at], [right + 4, at], colors.faint);
    write(tick.label, right + 8, at + 3.5, "start");
  }
  for (const tick of layout.xMarks) {
    const at = axes.x.toPx(tick.value) + dx;
    rule([at, bottom], [at, bottom + 4], colors.faint);
    write(tick.label, at, bottom + 17, "middle");
  }
  rule([left, bottom], [right, bottom], colors.faint);
  if (spec.xLabel) write(spec.xLabel, (left + right) / 2, bottom + 17 + LABEL_HEIGHT_PX, "middle");

  const legendTopPx = spec.heightPx + titleHeightPx + xLabelHeightPx;
  for (const { entry, label, row, offsetPx } of entries) {
    const middlePx = legendTopPx + row * LEGEND_ROW_PX + LEGEND_ROW_PX / 2;
    rule([EDGE_PX + offsetPx, middlePx], [EDGE_PX + offsetPx + SWATCH_PX, middlePx], entry.color, entry.dash, 2);
    write(label, EDGE_PX + offsetPx + SWATCH_PX + 6, middlePx + 4, "start", LEGEND_PX, colors.text);
  }
  return { widthPx, heightPx, frame, rules, texts };
}

interface PlacedEntry {
  readonly entry: LegendEntry;
  readonly label: string;
  readonly row: number;
  readonly offsetPx: number;
}

/** Entries side by side as far as they fit, then in the next row. */
function placeLegend(legend: readonly LegendEntry[], widthPx: number): PlacedEntry[] {
  let row = 0;
  let offsetPx = 0;
  return legend.map((entry) => {
    const label = entry.label.length > MAX_LABEL ? `${entry.label.slice(0, MAX_LABEL - 1)}…` : entry.label;
    const entryPx = SWATCH_PX + 6 + label.length * LETTER_PX + 14;
    if (offsetPx > 0 && offsetPx + entryPx > widthPx) {
      row++;
      offsetPx = 0;
    }
    const placed = { entry, label, row, offsetPx };
    offsetPx += entryPx;
    return placed;
  });
}
