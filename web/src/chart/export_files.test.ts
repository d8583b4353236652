import { describe, expect, it } from "vitest";
import { toPdf } from "./export_pdf";
import { toPgf } from "./export_pgf";
import { toSeries, WHOLE_VIEW } from "./model";
import { LIGHT_COLORS, type PictureSpec } from "./picture";
import { shapesOf } from "./picture_shapes";

const x = Float64Array.from({ length: 1_200 }, (_, i) => i);
const SPEC: PictureSpec = {
  title: "100% of train_loss (a\\b)",
  xLabel: "step",
  legend: [{ label: "run −1 · größer 中", color: "#112233", dash: [4, 2] }],
  colors: LIGHT_COLORS,
  font: "Inter",
  widthPx: 400,
  heightPx: 200,
  series: [
    toSeries(
      x,
      x.map((at) => (at === 600 ? Number.NaN : Math.sin(at))),
    ),
  ],
  strokes: [{ color: "#112233", widthPx: 1, alpha: 0.5, dash: [4, 2], axis: "left" }],
  areas: [{ table: x, low: x, high: x.map((at) => at + 1), color: "#445566", alpha: 0.2, axis: "left" }],
  firstFound: 0,
  xKind: "step",
  xScale: "linear",
  yScale: "linear",
  y2Scale: "linear",
  cutsOutliers: false,
  breaksFalls: false,
  view: WHOLE_VIEW,
};

describe("a PDF", () => {
  it("has a page per chart, and a table that finds every object", async () => {
    const bytes = new Uint8Array(await toPdf([shapesOf(SPEC), shapesOf(SPEC)]).arrayBuffer());
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    expect(text.startsWith("%PDF-1.4\n")).toBe(true);
    const offsets = [...text.matchAll(/^(\d{10}) 00000 n $/gm)].map((match) => Number(match[1]));
    expect(offsets).toHaveLength(8);
    offsets.forEach((offset, i) => expect(text.slice(offset).startsWith(`${i + 1} 0 obj\n`)).toBe(true));
    expect(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1])).startsWith("xref\n")).toBe(true);
    for (const [, length, stream] of text.matchAll(/\/Length (\d+) >>\nstream\n([^]*?)\nendstream/g))
      expect(stream).toHaveLength(Number(length));
    expect(text.match(/\/Type \/Page /g)).toHaveLength(2);
  });

  it("writes names with what Helvetica has", async () => {
    const bytes = new Uint8Array(await toPdf([shapesOf(SPEC)]).arrayBuffer());
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    expect(text).toContain("(100% of train_loss \\(a\\\\b\\)) Tj");
    expect(text).toContain("(run \u00961 · größer ?) Tj");
  });
});

describe("a TikZ picture", () => {
  const text = toPgf([shapesOf(SPEC)]);

  it("is balanced, and its names are escaped", () => {
    expect(text).toContain("100\\% of train\\_loss (a\\textbackslash{}b)");
    expect(text).toContain("run $-$1 · größer 中");
    expect(text.match(/\\begin\{/g)?.length).toBe(text.match(/\\end\{/g)?.length);
    expect(text).toContain("\\definecolor{rg");
  });

  it("has short paths without gaps but for those in the data", () => {
    const paths = text.split("\n").filter((line) => line.startsWith("\\draw[") && line.includes("opacity=0.5"));
    const points = paths.map((line) => line.match(/\([-\d.]+,[-\d.]+\)/g) ?? []);
    expect(Math.max(...points.map((each) => each.length))).toBeLessThanOrEqual(501);
    const joins = points.slice(1).filter((each, i) => each[0] === points[i]?.at(-1)).length;
    expect(points.length - 1 - joins).toBe(1);
  });
});
