// A layout: categories of charts. Converts from the server's form, to and from TensorBoard's JSON form, and to Python
// that logs it, and edits it. Pure.

import type { LoggedLayout } from "../../api/types";

export interface MarginSeries {
  readonly value: string;
  readonly lower: string;
  readonly upper: string;
}

export interface Chart {
  readonly title: string;
  readonly kind: "multiline" | "margin" | "empty";
  /** For a multiline chart: regular expressions, matched from the start of a tag. */
  readonly tags: readonly string[];
  /** For a margin chart: exact tags. */
  readonly series: readonly MarginSeries[];
}

export interface Category {
  readonly title: string;
  readonly isClosed: boolean;
  readonly charts: readonly Chart[];
}

export const fromServer = ({ categories }: LoggedLayout): Category[] =>
  categories.map(({ title, is_closed, charts }) => ({
    title,
    isClosed: is_closed,
    charts: charts.map(({ chart }) => chart),
  }));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads the JSON form of TensorBoard's layout message. Throws an error that explains what is invalid. */
export function readLayout(text: string): Category[] {
  let layout: unknown;
  try {
    layout = JSON.parse(text);
  } catch (cause) {
    throw new Error(`This is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (!isRecord(layout) || !Array.isArray(layout["category"])) {
    throw new Error(
      'A layout is an object with a list "category": {"category": [{"title": …, "chart": [{"title": …, "multiline": {"tag": […]}}]}]}.',
    );
  }
  return layout["category"].filter(isRecord).map((category) => ({
    title: textOf(category["title"]),
    isClosed: category["closed"] === true,
    charts: listOf(category["chart"]).filter(isRecord).map(readChart),
  }));
}

function readChart(chart: Record<string, unknown>): Chart {
  const { multiline, margin } = chart;
  const tags = isRecord(multiline) ? listOf(multiline["tag"]).filter((tag) => typeof tag === "string") : [];
  const series = (isRecord(margin) ? listOf(margin["series"]).filter(isRecord) : []).map((each) => ({
    value: textOf(each["value"]),
    lower: textOf(each["lower"]),
    upper: textOf(each["upper"]),
  }));
  const kind = tags.length > 0 ? "multiline" : series.length > 0 ? "margin" : "empty";
  return {
    title: textOf(chart["title"]),
    kind,
    tags: kind === "multiline" ? tags : [],
    series: kind === "margin" ? series : [],
  };
}

/** Set `indent` for human readers. */
export function writeLayout(categories: readonly Category[], indent = 0): string {
  const content = ({ kind, tags, series }: Chart): object =>
    kind === "multiline" ? { multiline: { tag: tags } } : kind === "margin" ? { margin: { series } } : {};
  const category = categories.map(({ title, isClosed, charts }) => ({
    title,
    chart: charts.map((chart) => ({ title: chart.title, ...content(chart) })),
    ...(isClosed && { closed: true }),
  }));
  return JSON.stringify({ category }, null, indent);
}

// JSON string quoting is also valid in Python.
const quote = (text: string): string => JSON.stringify(text);

/**
 * Writes Python that logs the layout. The call takes one band per chart and names each chart once, so some charts
 * become several.
 */
export function toPython(categories: readonly Category[]): string {
  const lines = [
    "from torch.utils.tensorboard import SummaryWriter  # or: from runglass import SummaryWriter",
    "",
    'writer = SummaryWriter("runs/layout")',
    "writer.add_custom_scalars({",
  ];
  for (const { title, charts } of categories) {
    const entries = charts.flatMap(pythonCharts);
    if (entries.length === 0) continue;
    lines.push(`    ${quote(title)}: {`);
    const taken = new Set<string>();
    for (const [name, value] of entries) {
      let unique = name;
      for (let n = 2; taken.has(unique); n++) unique = `${name} (${n})`;
      taken.add(unique);
      lines.push(`        ${quote(unique)}: ${value},`);
    }
    lines.push("    },");
  }
  return [...lines, "})", "writer.close()", ""].join("\n");
}

function pythonCharts({ title, kind, tags, series }: Chart): [string, string][] {
  const list = (texts: readonly string[]): string => `[${texts.map(quote).join(", ")}]`;
  if (kind === "multiline") return [[title, `["Multiline", ${list(tags)}]`]];
  return series.map(({ value, lower, upper }) => [
    series.length > 1 ? `${title}: ${value}` : title,
    `["Margin", ${list([value, lower, upper])}]`,
  ]);
}

/** A chart's position among the categories. */
export interface Place {
  readonly category: number;
  readonly chart: number;
}

/** Appends the chart to the category with this title. Creates the category if it does not exist. */
export function addChart(categories: readonly Category[], title: string, chart: Chart): Category[] {
  if (!categories.some((category) => category.title === title))
    return [...categories, { title, isClosed: false, charts: [chart] }];
  return categories.map((category) =>
    category.title === title ? { ...category, charts: [...category.charts, chart] } : category,
  );
}

/** The changed chart stays in place unless its category changes. */
export function changeChart(categories: readonly Category[], at: Place, title: string, chart: Chart): Category[] {
  if (categories[at.category]?.title !== title) return addChart(removeChart(categories, at), title, chart);
  return categories.map((category, i) =>
    i === at.category
      ? { ...category, charts: category.charts.map((each, j) => (j === at.chart ? chart : each)) }
      : category,
  );
}

/** Removing a category's last chart also removes the category. */
export function removeChart(categories: readonly Category[], at: Place): Category[] {
  return categories
    .map((category, i) =>
      i === at.category ? { ...category, charts: category.charts.filter((_, j) => j !== at.chart) } : category,
    )
    .filter((category, i) => i !== at.category || category.charts.length > 0);
}

/** Merges the charts of one category: the second list follows the first, without duplicates. */
export function mergeCategories(first: readonly Category[], second: readonly Category[]): Category[] {
  let merged = [...first];
  for (const { title, isClosed, charts } of second) {
    if (!merged.some((category) => category.title === title)) merged.push({ title, isClosed, charts: [] });
    for (const chart of charts) {
      const known = merged.find((category) => category.title === title)?.charts ?? [];
      if (!known.some((each) => isSameChart(each, chart))) merged = addChart(merged, title, chart);
    }
  }
  return merged;
}

const isSameChart = (a: Chart, b: Chart): boolean =>
  JSON.stringify([a.title, a.tags, a.series]) === JSON.stringify([b.title, b.tags, b.series]);

/** A pattern that matches only this tag. */
export const exactPattern = (tag: string): string => `${tag.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;

/** The tag that `exactPattern` made this pattern from, or null for any other pattern. */
export function exactTag(pattern: string): string | null {
  if (!pattern.endsWith("$")) return null;
  const tag = pattern.slice(0, -1).replace(/\\(.)/gs, "$1");
  return exactPattern(tag) === pattern ? tag : null;
}
