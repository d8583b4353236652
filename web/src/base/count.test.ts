import { describe, expect, it } from "vitest";
import { countOf, formatCount } from "./count";

describe("counts", () => {
  it("have a comma every three digits", () => {
    expect([0, 7, 999, 1_000, 12_345, 1_234_567, -1_234].map(formatCount)).toEqual([
      "0",
      "7",
      "999",
      "1,000",
      "12,345",
      "1,234,567",
      "-1,234",
    ]);
  });

  it("agree with their noun", () => {
    expect([countOf(1, "run"), countOf(0, "run"), countOf(2_000, "entry", "entries")]).toEqual([
      "1 run",
      "0 runs",
      "2,000 entries",
    ]);
  });
});
