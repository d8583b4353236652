import { describe, expect, it } from "vitest";
import { atThreshold, type Curve, type CurveColumn, decodeCurves, legendRows, lineOf, viewInfo } from "./curves";

const SCORES = { average_precision: 0.5, auc: 0.5, best_f1: 0.5, best_f1_threshold: 0.5 };

function curve(columns: Partial<Record<CurveColumn, number[]>>): Curve {
  const count = Object.values(columns)[0]?.length ?? 0;
  const all = ["threshold", "tp", "fp", "tn", "fn", "precision", "recall", "tpr", "fpr", "f1"] as const;
  const filled = Object.fromEntries(
    all.map((name) => [name, Float64Array.from(columns[name] ?? new Array<number>(count).fill(0))]),
  );
  return {
    run: "a",
    tag: "t",
    row: 0,
    step: 1,
    problems: [],
    scores: SCORES,
    columns: filled as Record<CurveColumn, Float64Array>,
  };
}

const TINY = curve({
  threshold: [0, 0.5, 1],
  tp: [2, 1, 0],
  fp: [2, 0, 0],
  precision: [0.5, 1, 0],
  recall: [1, 0.5, 0],
  tpr: [1, 0.5, 0],
  fpr: [1, 0, 0],
  f1: [0.6, 0.7, 0],
});
const xy = (line: ReturnType<typeof lineOf>): [number[], number[]] => [
  [...(line?.series.table ?? [])],
  [...(line?.series.y ?? [])],
];

describe("lineOf", () => {
  it("goes from left to right and leaves out thresholds above all predictions", () => {
    const line = lineOf(TINY, viewInfo("pr"));
    expect(xy(line)).toEqual([
      [0.5, 1],
      [1, 0.5],
    ]);
    expect([...(line?.order ?? [])]).toEqual([1, 0]);
    expect(line?.series.isSorted).toBe(true);
  });

  it("keeps the end of the ROC curve and every threshold of the others", () => {
    expect(xy(lineOf(TINY, viewInfo("roc")))).toEqual([
      [0, 0, 1],
      [0, 0.5, 1],
    ]);
    expect(xy(lineOf(TINY, viewInfo("f1")))).toEqual([
      [0, 0.5, 1],
      [0.6, 0.7, 0],
    ]);
    expect(xy(lineOf(TINY, viewInfo("recall")))[0]).toEqual([0, 0.5, 1]);
    expect(xy(lineOf(TINY, viewInfo("precision")))[0]).toEqual([0, 0.5]);
  });

  it("leaves a gap where a number is missing", () => {
    const gap = curve({
      threshold: [0, 0.5, 1],
      tp: [3, 2, 1],
      precision: [1, Number.NaN, 1],
      recall: [1, Number.NaN, 0.3],
    });
    expect(xy(lineOf(gap, viewInfo("pr")))).toEqual([
      [0.3, 0.3, 1],
      [1, Number.NaN, 1],
    ]);
    expect(lineOf(gap, viewInfo("pr"))?.series.isSorted).toBe(true);
  });

  it("is nothing where an axis has no meaning or the value was no curve", () => {
    expect(
      lineOf(curve({ threshold: [0, 1], fpr: [Number.NaN, Number.NaN], tpr: [1, 0] }), viewInfo("roc")),
    ).toBeNull();
    expect(lineOf(curve({ threshold: [] }), viewInfo("pr"))).toBeNull();
    expect(lineOf(curve({ threshold: [0, 1], fn: [1, 1], recall: [0, 0] }), viewInfo("pr"))).toBeNull();
    expect(lineOf(curve({ threshold: [0, 1], fp: [1, 0], tn: [0, 1] }), viewInfo("recall"))).toBeNull();
  });
});

describe("decodeCurves", () => {
  it("reads a block for every column", () => {
    const head = JSON.stringify({
      version: 1,
      curves: [{ run: "a", tag: "t", row: 0, step: 3, problems: ["x"], scores: SCORES, count: 2 }],
    }).padEnd(256);
    const body = new ArrayBuffer(8 + 256 + 10 * 16);
    new Uint8Array(body).set(new TextEncoder().encode("RGC1"));
    new DataView(body).setUint32(4, 256, true);
    new Uint8Array(body).set(new TextEncoder().encode(head), 8);
    new Float64Array(body, 264).set(Float64Array.from({ length: 20 }, (_, i) => i));
    const [found] = decodeCurves(body);
    expect(found).toMatchObject({ run: "a", step: 3, problems: ["x"], scores: SCORES });
    expect([...(found?.columns.threshold ?? [])]).toEqual([0, 1]);
    expect([...(found?.columns.f1 ?? [])]).toEqual([18, 19]);
  });
});

describe("viewInfo", () => {
  it("takes an address that says nonsense for the usual view", () => {
    expect(viewInfo("what").value).toBe("pr");
  });
});

describe("atThreshold", () => {
  it("finds the nearest threshold of a curve with its own thresholds", () => {
    const fine = curve({ threshold: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] });
    expect([0.31, 0.36, -1, 2].map((threshold) => atThreshold(fine, threshold))).toEqual([3, 4, 0, 10]);
    expect(atThreshold(TINY, 0.31)).toBe(1);
    expect(atThreshold(TINY, 0.2)).toBe(0);
  });
});

describe("legendRows", () => {
  it("has a row for a single one that would be left out", () => {
    expect([3, 4, 5, 6].map((count) => legendRows(count, false))).toEqual([3, 4, 5, 4]);
    expect([13, 14].map((count) => legendRows(count, true))).toEqual([13, 12]);
  });
});
