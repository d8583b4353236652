import { describe, expect, it } from "vitest";
import { type Column, readTable } from "../columns";
import { hparam, metric, sampleAnswer } from "../sample_answer";
import { makeScale } from "../scales";
import { brushBetween, brushPlaces, makeAxis, usefulRange } from "./axis";

const accuracies = [0.1, 0.12, 0.5, 0.88, 0.9, 0.91, 0.92, 0.93, 0.94, 0.95];
const table = readTable(
  sampleAnswer(10, {
    hparams: [
      hparam("lr", { values: accuracies.map((_, i) => 10 ** (i - 9)) }),
      hparam("batch", { values: accuracies.map((_, i) => (i % 2 ? 32 : 64)) }),
      hparam("optimizer", { type: "string", levels: ["a", "b", "c", "d"], codes: accuracies.map((_, i) => i % 4) }),
    ],
    metrics: [metric("accuracy", { values: accuracies })],
  }),
);
const column = (id: string): Column => table.byId.get(id) as Column;
const accuracy = column("m:|accuracy|last");

describe("an axis", () => {
  it("has room at its ends", () => {
    const axis = makeAxis(column("h:lr"), makeScale(column("h:lr"), "log"));
    expect([axis.places[0], axis.places[9]]).toEqual([expect.closeTo(0.035, 5), expect.closeTo(0.965, 5)]);
    expect(axis.valueAt(axis.placeValue(1e-4))).toBeCloseTo(1e-4, 12);
  });

  it("cuts off what is far away, and counts it", () => {
    const axis = makeAxis(accuracy, makeScale(accuracy, "linear"), { range: [0.85, 0.95] });
    expect([axis.below, axis.above]).toEqual([3, 0]);
    expect(axis.ticks(4).map(({ text }) => text)).toContain("0.90");
    expect(axis.places[3]).toBeGreaterThan(0.035);
  });

  it("spreads a category within its band, always alike", () => {
    const scale = makeScale(column("h:optimizer"));
    const { places } = makeAxis(column("h:optimizer"), scale);
    expect(places).toEqual(makeAxis(column("h:optimizer"), scale).places);
    expect(places[0]).not.toBe(places[4]);
    for (const row of [0, 4, 8]) expect(Math.abs((places[row] as number) - 0.125)).toBeLessThan(0.08);
  });
});

describe("the useful range", () => {
  it("leaves out runs that failed", () => {
    expect(usefulRange(accuracy)).toEqual([expect.closeTo(0.95 - 2.2 * 0.045, 9), 0.95]);
  });

  it("keeps the front, and everything if nothing is far away", () => {
    expect(usefulRange(accuracy, Uint8Array.of(0, 0, 1))?.[0]).toBe(0.5);
    expect(usefulRange({ ...accuracy, numbers: accuracy.numbers.map((_, i) => i) })).toBeNull();
  });
});

describe("a drag", () => {
  it("brushes values", () => {
    const axis = makeAxis(accuracy, makeScale(accuracy, "linear"));
    const brush = brushBetween(axis, axis.placeValue(0.9001), axis.placeValue(0.5));
    expect(brush.ranges).toEqual([[0.5, 0.9]]);
    expect(brushPlaces(axis, brush)).toEqual([[axis.placeValue(0.5), axis.placeValue(0.9)]]);
  });

  it("brushes the categories that it touches", () => {
    const axis = makeAxis(column("h:optimizer"), makeScale(column("h:optimizer")));
    const brush = brushBetween(axis, 0.3, 0.6);
    expect(brush.levels).toEqual(["b", "c"]);
    expect(brushPlaces(axis, brush)).toEqual([
      [0.25, 0.5],
      [0.5, 0.75],
    ]);
    const batch = makeAxis(column("h:batch"), makeScale(column("h:batch")));
    expect(brushBetween(batch, 0.1, 0.2).ranges).toEqual([[32, 32]]);
    expect(brushPlaces(batch, brushBetween(batch, 0.1, 0.2))).toEqual([[0, 0.5]]);
  });
});
