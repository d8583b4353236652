// "Copy as matplotlib code": a script that draws the same chart from the logs, through `runglass.open`. Pure.

import { type Cut, layOutChart } from "../../../chart/chart_layout";
import type { Range, ScaleKind, Stroke } from "../../../chart/model";
import type { RunGroup } from "../../../state/runs/groups";
import type { Center, Spread } from "../../../state/view/view";
import type { CardLine } from "../../../lines/card_model";
import type { CardDrawing } from "./export_drawings";

export interface CodeContext {
  /** As passed to the server. */
  readonly locations: readonly string[];
  readonly title: (run: string) => string;
  readonly center: Center;
  readonly spread: Spread;
}

// A longer legend would cover the chart.
export const MAX_LEGEND = 30;
const DOTS_PER_INCH = 100;
const COLUMNS = 2;
const MIN_WIDTH_INCHES = 6.4;
const MIN_HEIGHT_INCHES = 3.6;

/** Writes one figure with a chart for each drawing. */
export function toPython(drawings: readonly CardDrawing[], context: CodeContext): string {
  const uses = (test: (drawing: CardDrawing) => boolean): boolean => drawings.some(test);
  const isWall = uses((drawing) => drawing.x === "wall");
  const head = [
    '"""Drawn from the logs by what Runglass wrote. Needs runglass and matplotlib."""',
    "",
    ...(isWall ? ["from datetime import datetime", ""] : []),
    "import matplotlib.pyplot as plt",
    ...(uses((drawing) => drawing.breaksFalls) ? ["import numpy as np"] : []),
    "",
    "import runglass",
    "",
    `log = runglass.open(${context.locations.map(text).join(", ")})`,
    "",
  ];
  const widthPx = Math.max(...drawings.map((drawing) => drawing.widthPx), 1);
  const heightPx = Math.max(...drawings.map((drawing) => drawing.heightPx), 1);
  // Cards on a full page are too small for a figure.
  const width = Math.max(widthPx / DOTS_PER_INCH, MIN_WIDTH_INCHES);
  const height = Math.max((width * heightPx) / widthPx, MIN_HEIGHT_INCHES);
  const columns = Math.min(drawings.length, COLUMNS);
  const rows = Math.ceil(drawings.length / COLUMNS);
  const size = `figsize=(${inches(width * columns)}, ${inches(height * rows)}), layout="constrained"`;
  const isOne = drawings.length === 1;
  const figure = isOne
    ? [`figure, axes = plt.subplots(${size})`]
    : [
        `figure, grid = plt.subplots(${rows}, ${columns}, ${size}, squeeze=False)`,
        ...(drawings.length % columns ? ['grid.flat[-1].axis("off")'] : []),
      ];
  const charts = drawings.flatMap((drawing, i) => [
    "",
    ...(isOne ? [] : [`axes = grid.flat[${i}]`]),
    ...chartCode(drawing, context),
  ]);
  return [...head, ...figure, ...charts, "", "plt.show()", ""].join("\n");
}

function chartCode(drawing: CardDrawing, context: CodeContext): string[] {
  const { spec, lines, strokes, groups, x } = drawing;
  const found = lines.slice(drawing.firstFound);
  const hasRight = strokes.some((stroke) => stroke.axis === "right");
  const code: string[] = hasRight ? ["right = axes.twinx()"] : [];
  for (const tag of [...new Set(lines.map((line) => line.tag))]) code.push(...tagCode(tag, drawing, context, groups));
  if (lines.some((line) => line.role === "earlier"))
    code.push('# What restarts overwrote is not drawn here: log.scalars(run, tag, attempts="all") has it.');

  const layout = layOutChart({ ...drawing, series: lines.map((line) => line.series) });
  code.push(`axes.set_title(${text(spec.tags.join(", "))})`, `axes.set_xlabel(${text(xLabel(x))})`);
  code.push(...scaleCode("axes.set_xscale", layout.axes.x.kind), ...scaleCode("axes.set_yscale", drawing.yScale));
  if (hasRight) code.push(...scaleCode("right.set_yscale", drawing.y2Scale));
  if (drawing.view.x) code.push(`axes.set_xlim(${drawing.view.x.map((value) => position(value, x)).join(", ")})`);
  // matplotlib would not choose an axis that leaves out outliers.
  const isCut = (cut: Cut | null): boolean => cut !== null && (cut.above !== null || cut.below !== null);
  if (drawing.view.y || isCut(layout.left)) code.push(limits("axes", layout.axes.y.domain));
  if (hasRight && (drawing.view.y2 || isCut(layout.right))) code.push(limits("right", layout.axes.y2.domain));
  code.push("axes.grid(alpha=0.3)");
  if (found.length <= MAX_LEGEND) code.push(...legendCode(hasRight));
  else code.push(`# ${found.length} lines: a legend would cover them.`);
  return code;
}

type Drawn = { line: CardLine; stroke: Stroke };

/** In the order of the first of each. */
function byDash(drawn: readonly Drawn[]): [Drawn, ...Drawn[]][] {
  const groups = new Map<string, [Drawn, ...Drawn[]]>();
  for (const each of drawn) {
    const key = each.stroke.dash.join(" ");
    const same = groups.get(key);
    if (same) same.push(each);
    else groups.set(key, [each]);
  }
  return [...groups.values()];
}

/** Draws the lines of one tag, which differ only in run, colour and dashes. */
function tagCode(
  tag: string,
  drawing: CardDrawing,
  context: CodeContext,
  groups: readonly RunGroup[] | null,
): string[] {
  const { lines, strokes, x, smoothing } = drawing;
  const of = (role: CardLine["role"]): Drawn[] =>
    lines.flatMap((line, i) =>
      line.tag === tag && line.role === role ? [{ line, stroke: strokes[i] as Stroke }] : [],
    );
  const [main, raw, centers] = [of("smoothed"), of("raw")[0]?.stroke, of("center")];
  const axis = `x=${text(x)}`;
  const smoothed =
    smoothing.kind === "none" ? axis : `${axis}, smoothing=(${text(smoothing.kind)}, ${number(smoothing.amount)})`;
  const isSeveral = drawing.spec.tags.length > 1;
  const label = (name: string): string => text(isSeveral ? `${name} · ${tag}` : name);
  const code: string[] = [];
  // A loop for every kind of dashes.
  for (const same of byDash(main)) {
    const [first] = same;
    code.push("for run, label, color in [");
    for (const { line, stroke } of same)
      code.push(`    (${text(line.run)}, ${label(context.title(line.run))}, ${text(stroke.color)}),`);
    code.push("]:");
    const draw = (options: string, style: string): string[] => [
      `    x, y = log.line(run, ${text(tag)}, ${options})`,
      ...penLifts(drawing),
      ...wallTimes(x),
      `    ${sideOf(first.stroke)}.plot(x, y, color=color, ${style})`,
    ];
    if (raw) code.push(...draw(axis, `${strokeCode(raw)}, zorder=1`));
    code.push(...draw(smoothed, `${strokeCode(first.stroke)}, label=label`));
  }
  for (const same of byDash(centers)) {
    const [center] = same;
    const area = drawing.areas.find((each) => each.axis === center.stroke.axis);
    code.push("for label, color, runs in [");
    for (const { line, stroke } of same) {
      const runs = groups?.find((group) => group.label === line.run)?.runs ?? [];
      code.push(
        `    (${label(`${line.run} (n=${line.total})`)}, ${text(stroke.color)}, [${runs.map(text).join(", ")}]),`,
      );
    }
    code.push(
      "]:",
      `    band = log.band(runs, ${text(tag)}, ${smoothed}, center=${text(context.center)}, spread=${text(context.spread)})`,
      "    x = band.x",
      ...wallTimes(x),
      `    ${sideOf(center.stroke)}.fill_between(x, band.low, band.high, color=color, alpha=${number(area?.alpha ?? 0.18)}, linewidth=0)`,
      `    ${sideOf(center.stroke)}.plot(x, band.center, color=color, ${strokeCode(center.stroke)}, label=label)`,
    );
  }
  return code;
}

const sideOf = (stroke: Stroke): string => (stroke.axis === "right" ? "right" : "axes");

function penLifts({ breaksFalls }: CardDrawing): string[] {
  return breaksFalls
    ? [
        "    falls = np.flatnonzero(np.diff(x) < 0) + 1",
        "    x, y = np.insert(x, falls, x[falls]), np.insert(y, falls, np.nan)",
      ]
    : [];
}

/** Local times, as the page shows them. */
const wallTimes = (x: string): string[] =>
  x === "wall" ? ["    x = [datetime.fromtimestamp(each) for each in x]"] : [];

function strokeCode({ widthPx, alpha, dash }: Stroke): string {
  const parts = [`linewidth=${number(widthPx)}`];
  if (alpha < 1) parts.push(`alpha=${number(alpha)}`);
  // matplotlib measures dashes in line widths.
  if (dash.length > 0) parts.push(`linestyle=(0, (${dash.map((lengthPx) => number(lengthPx / widthPx)).join(", ")}))`);
  return parts.join(", ");
}

function scaleCode(call: string, kind: ScaleKind): string[] {
  if (kind === "linear") return [];
  return [kind === "log" ? `${call}("log")` : `${call}("symlog", linthresh=1)`];
}

function legendCode(hasRight: boolean): string[] {
  if (!hasRight) return ['axes.legend(fontsize="small")'];
  return [
    "handles = [side.get_legend_handles_labels() for side in (axes, right)]",
    'axes.legend(handles[0][0] + handles[1][0], handles[0][1] + handles[1][1], fontsize="small")',
  ];
}

const limits = (side: string, [low, high]: Range): string => `${side}.set_ylim(${number(low)}, ${number(high)})`;
const position = (value: number, x: string): string =>
  x === "wall" ? `datetime.fromtimestamp(${number(value)})` : number(value);

function xLabel(x: string): string {
  if (x === "relative") return "seconds since the first point";
  return x === "wall" ? "time" : x.replace(/^=/, "");
}

const inches = (value: number): string => String(Math.round(value * 10) / 10);
/** Keeps every digit. Python can read JavaScript's number format. */
const number = (value: number): string => String(value);
/** A JSON string is a valid Python string, even with lone surrogates and control characters. */
const text = (value: string): string => JSON.stringify(value);
