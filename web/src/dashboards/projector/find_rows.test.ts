import { describe, expect, it } from "vitest";
import type { Column, ColumnInfo } from "./answer";
import { readCondition } from "./find_rows";

const info = (name: string, type: ColumnInfo["type"]): ColumnInfo => ({
  name,
  type,
  distinct: 2,
  missing: 0,
  is_categorical: type !== "number",
  is_logged: false,
  min: null,
  max: null,
});
const infos = [info("label", "category"), info("predicted", "category"), info("loss", "number"), info("name", "text")];
const coded = (name: string, levels: string[], codes: number[]): Column => ({
  name,
  type: "category",
  levels,
  codes: Int32Array.from(codes),
});
const columns = new Map<string, Column>([
  ["label", coded("label", ["Shirt", "Coat"], [0, 0, 1, -1])],
  ["predicted", coded("predicted", ["Shirt", "Coat"], [0, 1, 1, 0])],
  ["loss", { name: "loss", type: "number", numbers: Float64Array.from([0.1, 2, NaN, 0.5]) }],
  ["name", coded("name", ["a", "b"], [0, 1, 1, 1])],
]);
const find = (text: string): number[] => [...(readCondition(text, infos)?.find(columns, 4) ?? [])];

describe("conditions", () => {
  it("compare columns with values and with each other", () => {
    expect(find("label = Shirt and predicted ≠ Shirt")).toEqual([1]);
    expect(find("label == predicted")).toEqual([0, 2]);
    expect(find("loss > 0.4 or name = a")).toEqual([0, 1, 3]);
    expect(find("label is missing")).toEqual([3]);
    expect(readCondition("loss > 0.4 or name = a", infos)?.names).toEqual(["loss", "name"]);
  });

  it("are told from text to search for", () => {
    expect(readCondition("ankle boot", infos)).toBeNull();
    expect(readCondition("label", infos)).toBeNull();
    expect(readCondition("a = b", infos)).toBeNull();
    expect(readCondition("C++ (2", infos)).toBeNull();
  });

  it("say what is wrong", () => {
    expect(readCondition("label = Shirt and", infos)?.error).toMatch(/^At character/);
    expect(readCondition("loss > x", infos)?.error).not.toBe("");
  });
});
