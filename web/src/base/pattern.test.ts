import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern";

describe("compilePattern", () => {
  it("matches anywhere, ignoring case", () => {
    const { matches, error } = compilePattern("train|VAL");
    expect(error).toBe("");
    expect(["run/Train", "val", "test"].map(matches)).toEqual([true, true, false]);
  });

  it("matches everything when empty", () => {
    expect(compilePattern("  ").matches("anything")).toBe(true);
  });

  it("reports an invalid pattern and hides nothing", () => {
    const { matches, error } = compilePattern("lr=(0.1");
    expect(error).toBe("Not a regular expression: unterminated group");
    expect(matches("anything")).toBe(true);
  });

  it("accepts escapes that only strict patterns reject", () => {
    expect(compilePattern("a\\-b").matches("a-b")).toBe(true);
  });
});
