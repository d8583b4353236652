import { describe, expect, it } from "vitest";
import type { TagIndex } from "../api/types";
import { hasTrainAndOthers, isSubset, runSetFinder, toRunSet } from "./run_sets";

const index: TagIndex = {
  generation: 1,
  runs: { a: 0, b: 0, c: 1 },
  tag_sets: [{ loss: "scalar" }, { loss: "scalar", acc: "scalar" }],
};

describe("runSetFinder", () => {
  const find = runSetFinder(index, ["a", "b", "c", "unlisted"]);

  it("finds the runs that have one of the tags, in their order", () => {
    expect(find(["loss"]).names).toEqual(["a", "b", "c"]);
    expect(find(["acc"]).names).toEqual(["c"]);
    expect(find(["acc", "loss"]).names).toEqual(["a", "b", "c"]);
    expect(find(["toString"]).names).toEqual([]);
  });

  it("makes one list for all cards with the same runs", () => {
    expect(find(["acc", "loss"])).toBe(find(["loss"]));
    expect(runSetFinder(index, ["a", "b", "c"])(["loss"]).key).toBe(find(["loss"]).key);
  });
});

describe("isSubset", () => {
  it("compares members", () => {
    const two = toRunSet(["a", "b"]);
    expect([
      isSubset(toRunSet(["b"]), two),
      isSubset(two, toRunSet(["b"])),
      isSubset(toRunSet(["c"]), two),
      isSubset(two, toRunSet(["a", "b"])),
    ]).toEqual([true, false, false, true]);
  });
});

it.each([
  [["a/train", "b/train"], false],
  [["a/train", "b"], true],
  [["a/validation", "b"], false],
])("knows whether %j are of training data and of other data", (names, expected) =>
  expect(hasTrainAndOthers(toRunSet(names))).toBe(expected),
);
