import { expect, it } from "vitest";
import type { ListedEmbedding } from "./answer";
import { firstEmbedding, shortName, stepAt } from "./embedding_ref";

const listed = (name: string, part: Partial<ListedEmbedding> = {}): ListedEmbedding => ({
  run: "a",
  name,
  steps: [],
  rows: 10,
  dimensions: 3,
  dtype: "float32",
  path: "",
  has_metadata: true,
  has_sprite: false,
  has_bookmarks: false,
  is_offered: false,
  problem: null,
  ...part,
});

it("begins with the most telling embedding of a shown run", () => {
  const all = [
    listed("broken", { problem: "no file", rows: 99 }),
    listed("offered", { is_offered: true, rows: 99 }),
    listed("plain", { has_metadata: false, rows: 99 }),
    listed("elsewhere", { run: "b", rows: 99 }),
    listed("small"),
    listed("large", { rows: 50 }),
  ];
  expect(firstEmbedding(all, ["a"])?.name).toBe("large");
  expect(firstEmbedding(all, ["b"])?.name).toBe("elsewhere");
  expect(firstEmbedding(all, [])?.name).toBe("elsewhere");
  expect(firstEmbedding([], ["a"])).toBeNull();
});

it("shows the last step that is not after the cursor", () => {
  expect(stepAt([], 5)).toBeNull();
  expect(stepAt([1, 5, 9], null)).toBe(9);
  expect(stepAt([1, 5, 9], 7)).toBe(5);
  expect(stepAt([1, 5, 9], 0)).toBe(1);
});

it("leaves out what every variable of a checkpoint ends with", () => {
  expect(shortName("embedding/.ATTRIBUTES/VARIABLE_VALUE")).toBe("embedding");
  expect(shortName("words")).toBe("words");
});
