import { describe, expect, it } from "vitest";
import {
  addChart,
  type Category,
  changeChart,
  type Chart,
  exactPattern,
  exactTag,
  mergeCategories,
  readLayout,
  removeChart,
  toPython,
  writeLayout,
} from "./layout";

const lines = (title: string, ...tags: string[]): Chart => ({ title, kind: "multiline", tags, series: [] });
const margin = (title: string, ...values: string[]): Chart => ({
  title,
  kind: "margin",
  tags: [],
  series: values.map((value) => ({ value, lower: `${value}/low`, upper: `${value}/high` })),
});
const LAYOUT: Category[] = [
  { title: "Loss", isClosed: false, charts: [lines("both", "loss/.*"), margin("spread", "mean")] },
  { title: "Rest", isClosed: true, charts: [lines("lr", "lr$")] },
];

describe("JSON", () => {
  it("comes back as it was written", () => {
    expect(readLayout(writeLayout(LAYOUT))).toEqual(LAYOUT);
    expect(JSON.parse(writeLayout(LAYOUT))).toEqual({
      category: [
        {
          title: "Loss",
          chart: [
            { title: "both", multiline: { tag: ["loss/.*"] } },
            { title: "spread", margin: { series: [{ value: "mean", lower: "mean/low", upper: "mean/high" }] } },
          ],
        },
        { title: "Rest", chart: [{ title: "lr", multiline: { tag: ["lr$"] } }], closed: true },
      ],
    });
  });

  it("takes from odd JSON what makes sense, and says when nothing does", () => {
    expect(readLayout('{"category": [{"chart": [{"multiline": {"tag": [3, "loss"]}}, 7, {}]}, "x"]}')).toEqual([
      { title: "", isClosed: false, charts: [lines("", "loss"), { title: "", kind: "empty", tags: [], series: [] }] },
    ]);
    expect(() => readLayout("{")).toThrow("This is no JSON");
    expect(() => readLayout("[1]")).toThrow('a list "category"');
  });
});

describe("toPython", () => {
  it("is the call that logs it", () => {
    expect(toPython(LAYOUT)).toContain(`writer.add_custom_scalars({
    "Loss": {
        "both": ["Multiline", ["loss/.*"]],
        "spread": ["Margin", ["mean", "mean/low", "mean/high"]],
    },
    "Rest": {
        "lr": ["Multiline", ["lr$"]],
    },
})`);
  });

  it("gives every chart a name of its own and one band", () => {
    const code = toPython([
      { title: 'a "b"', isClosed: false, charts: [lines("x", "a"), lines("x", "b"), margin("m", "u", "v")] },
    ]);
    expect(code).toContain('"a \\"b\\"": {');
    expect(code).toContain('"x": ["Multiline", ["a"]]');
    expect(code).toContain('"x (2)": ["Multiline", ["b"]]');
    expect(code).toContain('"m: u": ["Margin", ["u", "u/low", "u/high"]]');
    expect(code).toContain('"m: v": ["Margin"');
  });
});

describe("changes", () => {
  it("adds to a category, or makes it", () => {
    expect(addChart(LAYOUT, "Rest", lines("x", "x"))[1]?.charts.map((chart) => chart.title)).toEqual(["lr", "x"]);
    expect(addChart(LAYOUT, "New", lines("x", "x")).map((category) => category.title)).toEqual(["Loss", "Rest", "New"]);
  });

  it("changes a chart in its place, and moves it to another category", () => {
    expect(
      changeChart(LAYOUT, { category: 0, chart: 0 }, "Loss", lines("new", "x"))[0]?.charts.map((chart) => chart.title),
    ).toEqual(["new", "spread"]);
    const moved = changeChart(LAYOUT, { category: 1, chart: 0 }, "Loss", lines("lr", "lr$"));
    expect(moved.map(({ title, charts }) => [title, charts.length])).toEqual([["Loss", 3]]);
  });

  it("removes a category with its last chart", () => {
    expect(removeChart(LAYOUT, { category: 1, chart: 0 }).map((category) => category.title)).toEqual(["Loss"]);
    expect(removeChart(LAYOUT, { category: 0, chart: 0 })[0]?.charts.map((chart) => chart.title)).toEqual(["spread"]);
  });

  it("merges categories by their title and charts that are equal", () => {
    const other: Category[] = [
      { title: "Loss", isClosed: true, charts: [lines("both", "loss/.*"), lines("both", "other")] },
      { title: "New", isClosed: true, charts: [] },
    ];
    const merged = mergeCategories(LAYOUT, other);
    expect(merged.map(({ title, isClosed, charts }) => [title, isClosed, charts.length])).toEqual([
      ["Loss", false, 3],
      ["Rest", true, 1],
      ["New", true, 0],
    ]);
  });
});

describe("exact patterns", () => {
  it("stand for one tag, whatever letters it has", () => {
    for (const tag of ["loss", "a.b/c (1)", "x$", "a\\b", "[z]+"]) {
      expect(new RegExp(exactPattern(tag), "y").test(tag)).toBe(true);
      expect(new RegExp(exactPattern(tag), "y").test(`${tag}2`)).toBe(false);
      expect(exactTag(exactPattern(tag))).toBe(tag);
    }
    expect(exactTag("loss")).toBeNull();
    expect(exactTag("loss.*$")).toBeNull();
  });
});
