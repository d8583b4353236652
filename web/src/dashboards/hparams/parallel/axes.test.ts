import { describe, expect, it } from "vitest";
import { type Column, readTable } from "../columns";
import { hparam, sampleAnswer } from "../sample_answer";
import { makeScale } from "../scales";
import {
  brushBetween,
  brushedParts,
  chooseAxes,
  drawOrder,
  moveAxis,
  nearestRow,
  rowPlaces,
  toPlace,
  toPx,
} from "./axes";

const table = readTable(sampleAnswer());
const column = (id: string, of = table): Column => of.byId.get(id) as Column;
const RANGE = { topPx: 0, bottomPx: 100, missingPx: 120 };
const ids = (columns: readonly Column[]): string[] => columns.map(({ id }) => id);

describe("chooseAxes", () => {
  const main = column("m:|accuracy|last");

  it("takes what differs, with the main metric at the end", () => {
    expect(ids(chooseAxes(table.columns, main, [], []))).toEqual([
      "h:lr",
      "h:optimizer",
      "h:batch",
      "m:val|loss|last",
      "m:|accuracy|last",
    ]);
  });

  it("hides and adds what the user toggled, and keeps moved axes where they are", () => {
    const order = ["m:|accuracy|last", "h:batch", "h:optimizer", "m:val|loss|last"];
    const shown = chooseAxes(table.columns, main, ["h:lr", "h:epochs"], order);
    // The constant one is new: it goes after the one that it usually follows.
    expect(ids(shown)).toEqual(["m:|accuracy|last", "h:batch", "h:epochs", "h:optimizer", "m:val|loss|last"]);
  });

  it("leaves out settings that hardly any run has", () => {
    const rare = hparam("rare", { values: [1, null, null, null, null] });
    const common = hparam("common", { values: [1, 2, null, null, null] });
    const mixed = readTable(sampleAnswer(5, { hparams: [rare, common] }));
    const shown = ids(chooseAxes(mixed.columns, null, [], []));
    expect(shown).toContain("h:common");
    expect(shown).not.toContain("h:rare");
  });

  it("begins with the metrics when there are too many axes to see at once", () => {
    const many = Array.from({ length: 80 }, (_, i) => hparam(`p${i}`, { values: [i, 1, 2, 3, 4] }));
    const wide = readTable(sampleAnswer(5, { hparams: many }));
    expect(ids(chooseAxes(wide.columns, column("m:|accuracy|last", wide), [], []))[0]).toBe("m:|accuracy|last");
  });

  it("moves one axis", () => {
    expect(moveAxis(["a", "b", "c"], "a", 2)).toEqual(["b", "c", "a"]);
    expect(moveAxis(["a", "b", "c"], "c", 0)).toEqual(["c", "a", "b"]);
  });
});

describe("rowPlaces", () => {
  const order = Uint32Array.of(0, 1, 2, 3, 4);

  it("puts missing values at their own place, and flips", () => {
    const scale = makeScale(column("m:|accuracy|last"), "linear");
    expect([...rowPlaces(scale, RANGE, false, order)]).toEqual([100, 120, 0, 50, 120]);
    expect([...rowPlaces(scale, RANGE, true, order)]).toEqual([0, 120, 100, 50, 120]);
  });

  it("spreads the lines of a category within its band", () => {
    const ys = rowPlaces(makeScale(column("h:optimizer")), RANGE, false, order);
    expect(new Set(ys).size).toBe(5);
    for (const row of [0, 2, 4]) expect(Math.abs((ys[row] as number) - 75)).toBeLessThan(25);
    expect(ys[0]).toBeGreaterThan(ys[4] as number);
    expect(ys[3]).toBe(120);
  });

  it("finds the place of a pixel again", () => {
    for (const isFlipped of [true, false])
      expect(toPlace(RANGE, toPx(RANGE, 0.3, isFlipped), isFlipped)).toBeCloseTo(0.3);
  });
});

describe("drawOrder", () => {
  it("draws the brightest last, and grey first", () => {
    expect([...drawOrder(Uint8Array.of(3, 48, 0, 3, 47), 48)]).toEqual([1, 2, 0, 3, 4]);
  });
});

describe("brushBetween", () => {
  it("selects values of a continuous axis with few digits, up to its ends", () => {
    const scale = makeScale(column("h:lr"), "log");
    expect(brushBetween(column("h:lr"), scale, 0.2, 1)).toEqual({ ranges: [[1e-4, 1]], levels: null });
    const [[low, high]] = brushBetween(column("h:lr"), scale, 0.777, 0.333).ranges as [[number, number]];
    expect(low).toBeCloseTo(10 ** (-5 + 5 * 0.333), 4);
    expect(String(high).length).toBeLessThan(7);
  });

  it("selects whole categories", () => {
    const text = column("h:optimizer");
    expect(brushBetween(text, makeScale(text), 0.6, 0.7).levels).toEqual(["sgd"]);
    const batch = column("h:batch");
    const scale = makeScale(batch, "category");
    const brush = { column: "h:batch", missing: false, ...brushBetween(batch, scale, 0, 1) };
    expect(brush.ranges).toEqual([
      [64, 64],
      [128, 128],
    ]);
    expect(brushedParts(batch, scale, brush)).toHaveLength(2);
  });
});

describe("nearestRow", () => {
  it("follows the curve between two axes, among included rows", () => {
    const left = { x: 0, ys: Float32Array.of(0, 100) };
    const right = { x: 100, ys: Float32Array.of(100, 0) };
    const both = Uint8Array.of(1, 1);
    expect(nearestRow(left, right, { x: 25, y: 16 }, both, 5)).toBe(0);
    expect(nearestRow(left, right, { x: 25, y: 84 }, both, 5)).toBe(1);
    expect(nearestRow(left, right, { x: 25, y: 84 }, Uint8Array.of(1, 0), 5)).toBeNull();
    expect(nearestRow(left, right, { x: 25, y: 50 }, both, 5)).toBeNull();
  });
});
