import { describe, expect, it } from "vitest";
import { asPlainText, nested, onlyText, parseJson, sliceRows } from "./cells";

const cube = { shape: [2, 2, 2], values: ["a", "b", "c", "d", "e", "f", "g", "h"] };

describe("cells", () => {
  it("takes a tensor of one cell for its text", () => {
    expect(onlyText({ shape: [], values: ["x"] })).toBe("x");
    expect(onlyText({ shape: [1, 1], values: ["x"] })).toBe("x");
    expect(onlyText({ shape: [2], values: ["x", "y"] })).toBeNull();
    expect(onlyText({ shape: [0], values: [] })).toBeNull();
  });

  it("shows two axes at a time", () => {
    expect(sliceRows(cube, [1])).toEqual([
      ["e", "f"],
      ["g", "h"],
    ]);
    expect(sliceRows(cube, [9])).toEqual([
      ["e", "f"],
      ["g", "h"],
    ]);
    expect(sliceRows({ shape: [3], values: ["a", "b", "c"] }, [])).toEqual([["a"], ["b"], ["c"]]);
    expect(sliceRows({ shape: [0, 3], values: [] }, [])).toEqual([]);
  });

  it("leaves a place for every cell that was cut off", () => {
    expect(sliceRows({ shape: [2, 2], values: ["a", "b", "c"] }, [])).toEqual([
      ["a", "b"],
      ["c", undefined],
    ]);
  });

  it("writes tensors as the server does", () => {
    expect(asPlainText(cube)).toBe("a\tb\nc\td\ne\tf\ng\th");
    expect(asPlainText({ shape: [2], values: ["a", "b"] })).toBe("a\nb");
    expect(asPlainText({ shape: [], values: ["a\tb"] })).toBe("a\tb");
  });

  it("nests tensors by their shape", () => {
    expect(nested(cube)).toEqual([
      [
        ["a", "b"],
        ["c", "d"],
      ],
      [
        ["e", "f"],
        ["g", "h"],
      ],
    ]);
    expect(nested({ shape: [2], values: ["a", "b"] })).toEqual(["a", "b"]);
    expect(nested({ shape: [], values: ["a"] })).toBe("a");
  });

  it("takes only objects and lists for JSON", () => {
    expect(parseJson(' {"a": [1]}')).toEqual({ a: [1] });
    expect(parseJson("[1]")).toEqual([1]);
    for (const text of ["1", '"a"', "null", "{a: 1}", "", "[link](x)"]) expect(parseJson(text)).toBeUndefined();
  });
});
