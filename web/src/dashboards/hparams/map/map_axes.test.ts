import { describe, expect, it } from "vitest";
import { type Column, readTable } from "../columns";
import { hparam, metric, sampleAnswer } from "../sample_answer";
import { binBrush, cellFormat, inkOn, isContinuous, mapBins, orderPair, rankColors } from "./map_axes";

const rows = Array.from({ length: 40 }, (_, i) => i);
const table = readTable(
  sampleAnswer(40, {
    hparams: [
      hparam("lr", { values: rows.map((i) => 10 ** (-5 + i / 10)) }),
      hparam("batch", { values: rows.map((i) => 32 * 2 ** (i % 4)) }),
      hparam("optimizer", { type: "string", levels: ["a", "b", "c"], codes: rows.map((i) => i % 3) }),
      hparam("name", { type: "string", levels: rows.map((i) => `n${i}`), codes: rows }),
    ],
    metrics: [metric("accuracy", { values: rows }), metric("loss", { goal: "min", values: rows })],
  }),
);
const column = (id: string): Column => table.byId.get(id) as Column;
const names = (pair: readonly Column[]): string[] => pair.map(({ name }) => name);
const lr = column("h:lr");
const batch = column("h:batch");
const optimizer = column("h:optimizer");

describe("the axes of a map", () => {
  it("have names at the side and intervals across", () => {
    expect(names(orderPair(lr, optimizer))).toEqual(["optimizer", "lr"]);
    expect(names(orderPair(batch, optimizer))).toEqual(["optimizer", "batch"]);
    expect([isContinuous(lr, batch), isContinuous(lr, lr)]).toEqual([false, true]);
  });

  it("have bins for values, intervals for continuous settings, and the commonest of many names", () => {
    expect(mapBins(batch).labels).toEqual(["32", "64", "128", "256"]);
    expect(mapBins(lr).labels).toHaveLength(9);
    expect(mapBins(lr).of.filter((bin) => bin === 0)).toHaveLength(5);
    expect(mapBins(column("h:name")).labels.at(-1)).toBe("25 others");
  });

  it("brush the runs of a bin", () => {
    expect(binBrush(optimizer, mapBins(optimizer), 1)?.levels).toEqual(["b"]);
    expect(binBrush(batch, mapBins(batch), 2)?.ranges).toEqual([[128, 128]]);
    expect(binBrush(lr, mapBins(lr), 0)?.ranges[0]?.[0]).toBeCloseTo(1e-5, 9);
    expect(binBrush(column("h:name"), mapBins(column("h:name")), 15)).toBeNull();
  });
});

it("the best value has the brightest colour by either goal", () => {
  const byAccuracy = rankColors(column("m:|accuracy|last"));
  const byLoss = rankColors(column("m:|loss|last"));
  expect(byAccuracy(39, "light")).toBe(byLoss(0, "light"));
  expect(byAccuracy(39, "light")).not.toBe(byAccuracy(0, "light"));
  expect([inkOn("#2a2f8f"), inkOn("#f3db55")]).toEqual(["#fff", "#10151f"]);
});

it.each([
  [[0.58, 0.92], 0.846, ".85"],
  [[0.5, 30], 12.34, "12"],
  [[2, 2], 2, "2.0"],
  [[-0.91, 0.2], -0.5, "−.5"],
  [[1e-7, 2e-7], 1e-7, "1.0e−7"],
])("means of %j are written shortly", (means, value, text) => {
  expect(cellFormat(means)(value)).toBe(text);
});
