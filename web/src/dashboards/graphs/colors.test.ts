import { expect, test } from "vitest";
import type { LevelNode } from "./answer";
import { colorId, inkOn, makeEntries, NOT_ON_TPU, placeOn, rampColor, readColor, scaleTicks, valueAt } from "./colors";

test("what colours the nodes survives the address", () => {
  for (const id of ["", "op", "time", "values", "family;grad_norm/*;run;a;std"])
    expect(colorId(readColor(id))).toBe(id === "family;grad_norm/*;run;a;std" ? "family;grad_norm/*;run;mean" : id);
  expect(readColor(colorId({ kind: "family", family: "a;b", run: "x\\y", statistic: "zeros" }))).toEqual({
    kind: "family",
    family: "a;b",
    run: "x\\y",
    statistic: "zeros",
  });
  expect(readColor("nonsense")).toEqual({ kind: "category", category: "structure" });
  expect(readColor("constructor")).toEqual({ kind: "category", category: "structure" });
});

test("ink can be read on every colour of the ramp", () => {
  expect([rampColor(0, "light"), rampColor(1, "light")]).toEqual(["#fefcf8", "#b03e0c"]);
  expect([0, 0.5, 1].map((at) => inkOn(rampColor(at, "light")))).toEqual(["#1a2030", "#1a2030", "#ffffff"]);
  expect([0, 1].map((at) => inkOn(rampColor(at, "dark")))).toEqual(["#ffffff", "#1a2030"]);
});

const node = (id: string, op: string, structure: number): LevelNode =>
  ({ id, label: id, type: "op", op, structure }) as LevelNode;

test("entries are sorted by how common they are, and structures occur twice", () => {
  const nodes = [node("a", "Linear", 1), node("b", "Linear", 1), node("c", "Norm", 2)];
  expect(makeEntries(nodes, "structure", null)).toEqual([{ value: "1", label: "Linear", count: 2, index: 0 }]);
  expect(makeEntries(nodes, "op", [{ name: "Norm", count: 40 }]).map(({ value, count }) => [value, count])).toEqual([
    ["Norm", 40],
    ["Linear", 2],
  ]);
});

test("a group is a category with what a TPU cannot run if it has any of it", () => {
  const nodes = [1, 0.5, 0, 1, 1, undefined].map((tpu, i) => ({ ...node(String(i), "Op", 1), tpu }) as LevelNode);
  expect(makeEntries(nodes, "tpu", null).map(({ value, count }) => [value, count])).toEqual([
    ["can run", 3],
    [NOT_ON_TPU, 2],
  ]);
  expect(colorId(readColor("tpu"))).toBe("tpu");
});

test("values are placed on a scale and back", () => {
  const log = { low: 0.01, high: 10, isLog: true };
  expect(placeOn(log, 0.01)).toBe(0);
  expect(placeOn(log, 0)).toBe(0);
  expect(placeOn(log, 100)).toBe(1);
  expect(valueAt(log, placeOn(log, 0.3))).toBeCloseTo(0.3);
  expect(scaleTicks(log)).toEqual([0.01, 0.03, 0.1, 0.3, 1, 3, 10].map((tick) => expect.closeTo(tick) as number));
  expect(scaleTicks({ low: 0, high: 1, isLog: false })).toEqual([0, 0.5, 1]);
  expect(scaleTicks({ low: -0.66, high: 0.1, isLog: false })).toEqual([-0.6, -0.4, -0.2, 0]);
  expect(placeOn({ low: 2, high: 2, isLog: false }, 2)).toBe(0.5);
});
