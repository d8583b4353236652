// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { toSvg } from "./export_svg";
import { toSeries, WHOLE_VIEW } from "./model";
import { layOutPicture, LIGHT_COLORS, type PictureSpec } from "./picture";

const x = Float64Array.from([0, 10, 20, 30, 40]);
const SPEC: PictureSpec = {
  title: "train/<loss> & more",
  xLabel: "step",
  legend: [
    { label: 'run "one"', color: "#111111", dash: [] },
    { label: "run two", color: "#222222", dash: [4, 2] },
  ],
  colors: LIGHT_COLORS,
  font: "Inter, sans-serif",
  widthPx: 400,
  heightPx: 200,
  series: [
    toSeries(x, Float64Array.from([1, 2, Number.NaN, 4, 5])),
    toSeries(x, Float64Array.from([5, 4, 3, 2, 1])),
    toSeries(Float64Array.from([20]), Float64Array.from([3])),
  ],
  strokes: [
    { color: "#111111", widthPx: 1, alpha: 0.5, dash: [], axis: "left" },
    { color: "#222222", widthPx: 2, alpha: 1, dash: [4, 2], axis: "right" },
    { color: "#333333", widthPx: 2, alpha: 1, dash: [], axis: "left" },
  ],
  areas: [
    {
      table: x,
      low: Float64Array.from([0, 1, 2, 3, 4]),
      high: Float64Array.from([2, 3, 4, 5, 6]),
      color: "#111111",
      alpha: 0.2,
      axis: "left",
    },
  ],
  firstFound: 0,
  xKind: "step",
  xScale: "linear",
  yScale: "linear",
  y2Scale: "linear",
  cutsOutliers: false,
  breaksFalls: false,
  view: WHOLE_VIEW,
};

const parse = (spec: PictureSpec): Document => new DOMParser().parseFromString(toSvg(spec), "image/svg+xml");
const texts = (svg: Document): string[] => Array.from(svg.querySelectorAll("text"), (text) => text.textContent ?? "");

describe("toSvg", () => {
  const svg = parse(SPEC);

  it("is well formed for any names", () => {
    expect(svg.querySelector("parsererror")).toBeNull();
    expect(svg.querySelector("title")?.textContent).toBe("train/<loss> & more");
    expect(
      parse({ ...SPEC, title: "bell \u0007 & 'quotes' <script>alert(1)</script>" }).querySelector(
        "parsererror, script",
      ),
    ).toBeNull();
  });

  it("has a path for each line, a band behind them, and a mark for NaN", () => {
    const paths = Array.from(svg.querySelectorAll(".lines path"));
    expect(paths.map((path) => path.getAttribute("stroke"))).toEqual(["#111111", "#222222"]);
    expect(paths[0]?.getAttribute("d")?.match(/M/g)).toHaveLength(2);
    expect(paths[0]?.getAttribute("stroke-opacity")).toBe("0.5");
    expect(paths[1]?.getAttribute("stroke-dasharray")).toBe("4 2");
    expect(Array.from(svg.querySelectorAll(".lines circle"), (dot) => dot.getAttribute("fill"))).toEqual(["#333333"]);
    expect(svg.querySelectorAll(".bands polygon")).toHaveLength(1);
    expect(svg.querySelectorAll(".marks path")).toHaveLength(1);
  });

  it("writes title, ticks of both axes, axis and legend as text", () => {
    expect(texts(svg)).toEqual(
      expect.arrayContaining(["train/<loss> & more", "step", 'run "one"', "run two", "0", "20", "40"]),
    );
    const anchors = Array.from(svg.querySelectorAll("text"), (text) => text.getAttribute("text-anchor"));
    expect(new Set(anchors)).toEqual(new Set(["start", "middle", "end"]));
    const dashed = svg.querySelector('.axes path[stroke="#222222"]');
    expect(dashed?.getAttribute("stroke-dasharray")).toBe("4 2");
  });

  it("keeps all text inside the picture", () => {
    const [width, height] = ["width", "height"].map((name) => Number(svg.documentElement.getAttribute(name))) as [
      number,
      number,
    ];
    for (const text of svg.querySelectorAll("text")) {
      expect(Number(text.getAttribute("x"))).toBeGreaterThan(0);
      expect(Number(text.getAttribute("x"))).toBeLessThan(width);
      expect(Number(text.getAttribute("y"))).toBeLessThan(height);
    }
  });

  it("puts the data where the axes are", () => {
    const grid = Array.from(svg.querySelectorAll(".axes path")).filter(
      (line) => line.getAttribute("stroke") === LIGHT_COLORS.grid,
    );
    const startOf = (path: Element | null | undefined): number =>
      Number(/^M([\d.]+) /.exec(path?.getAttribute("d") ?? "")?.[1]);
    expect(startOf(svg.querySelector(".lines path"))).toBeCloseTo(startOf(grid[0]), 0);
  });

  it("shows the zoomed range", () => {
    const zoomed = parse({ ...SPEC, view: { x: [10, 20], y: [2, 3], y2: null } });
    expect(texts(zoomed)).toContain("2.4");
    expect(texts(zoomed)).not.toContain("40");
  });
});

describe("layOutPicture", () => {
  it("grows with the legend, whose rows do not overlap", () => {
    const legend = Array.from({ length: 30 }, (_, i) => ({
      label: `a run with a long name ${i}`,
      color: "#000000",
      dash: [],
    }));
    const picture = layOutPicture({ ...SPEC, legend });
    expect(picture.heightPx).toBeGreaterThan(layOutPicture(SPEC).heightPx + 100);
    const rows = new Set(picture.texts.filter((text) => text.text.startsWith("a run")).map((text) => text.yPx));
    expect(rows.size).toBeGreaterThan(9);
    expect(Math.max(...rows)).toBeLessThan(picture.heightPx);
  });
});
