import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern";

describe("compilePattern", () => {
  it("finds anywhere, in any case", () => {
    const { matches, error } = compilePattern("train|VAL");
    expect(error).toBe("");
    expect(["run/Train", "val", "test"].map(matches)).toEqual([true, true, false]);
  });

  it("matches everything when empty", () => {
    expect(compilePattern("  ").matches("anything")).toBe(true);
  });

  it("says what is wrong with a broken one and hides nothing", () => {
    const { matches, error } = compilePattern("lr=(0.1");
    expect(error).toBe("Not a regular expression: unterminated group");
    expect(matches("anything")).toBe(true);
  });

  it("takes escapes that only strict patterns refuse", () => {
    expect(compilePattern("a\\-b").matches("a-b")).toBe(true);
  });
});
