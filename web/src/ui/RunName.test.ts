import { describe, expect, it } from "vitest";
import { splitName } from "./RunName.svelte";

describe("splitName", () => {
  it("keeps the end of a long last part, which tells runs apart", () => {
    expect(splitName("sweep/adam-lr0.001-seed3", true)).toEqual(["sweep/", "adam-lr0.0", "01-seed3"]);
    expect(splitName("sweep/adam", true)).toEqual(["sweep/", "adam", ""]);
  });

  it("splits only paths at slashes", () => {
    expect(splitName("with/without dropout", false)).toEqual(["", "with/without", " dropout"]);
    expect(splitName("a/b", false)).toEqual(["", "a/b", ""]);
  });

  it("never splits a character", () => {
    const [, start, end] = splitName("🦊".repeat(14), true);
    expect(start + end).toBe("🦊".repeat(14));
    expect([...end]).toHaveLength(7);
  });
});
