import { describe, expect, it } from "vitest";
import type { BestValue, Trouble } from "../../api/types";
import { ageText, differenceText, drawSparkline, leftText, troubleWords } from "./strip_text";

const best = (value: number, baseline: number | null, goal: "min" | "max"): BestValue =>
  ({ value, baseline, best: goal }) as BestValue;
const trouble = (part: Partial<Trouble>): Trouble => ({
  kind: "nan",
  name: "a",
  run: "a",
  tag: null,
  tags: 0,
  step: null,
  is_infinite: false,
  wall_time: null,
  lost_bytes: 0,
  skipped_records: 0,
  ...part,
});

describe("the strip's text", () => {
  it("gives ages and times left in one unit", () => {
    expect([-3, 8.7, 59, 1_600, 7_300, 200_000, NaN].map(ageText)).toEqual([
      "0 s",
      "8 s",
      "59 s",
      "26 min",
      "2 h",
      "2 d",
      "",
    ]);
    expect([null, 0, 20, 1_080, 7_200, 400_000].map(leftText)).toEqual([
      "",
      "",
      "< 1 min left",
      "18 min left",
      "2 h left",
      "5 d left",
    ]);
  });

  it("compares to the baseline in the direction of the metric", () => {
    expect(differenceText(best(0.9445, 0.927, "max"))).toEqual({ text: "+0.0175", isBetter: true });
    expect(differenceText(best(0.3, 0.45, "min"))).toEqual({ text: "−0.1500", isBetter: true });
    expect(differenceText(best(0.5, 0.45, "min"))?.isBetter).toBe(false);
    expect(differenceText(best(0.5, null, "min"))).toBeNull();
  });

  it("says what is wrong and where", () => {
    const words = (part: Partial<Trouble>): string[] => {
      const { what, where } = troubleWords(trouble(part), 1_600);
      return [what, where];
    };
    expect(words({ kind: "nan", tag: "loss", tags: 1, step: 412 })).toEqual(["NaN in loss", " @ 412"]);
    expect(words({ kind: "nan", tag: "l\u202eoss", tags: 1 })).toEqual(["NaN in l⟨202E⟩oss", ""]);
    expect(words({ kind: "nan", tag: "loss", tags: 4, step: 412 })).toEqual(["NaN in loss +3", " @ 412"]);
    expect(words({ kind: "nan", tag: "loss", tags: 1, is_infinite: true })).toEqual(["∞ in loss", ""]);
    expect(words({ kind: "damaged", lost_bytes: 2_100 })).toEqual(["Damaged file", ", 2.1 kB lost"]);
    expect(words({ kind: "damaged", skipped_records: 1 })).toEqual(["Damaged file", ", 1 record lost"]);
    expect(words({ kind: "silent" })).toEqual(["Silent 26 min", ""]);
    expect(words({ kind: "restarted", step: 4_000 })).toEqual(["Restarted", " @ 4,000"]);
  });

  it("draws a line that NaN interrupts", () => {
    expect(drawSparkline({ step: [0, 1, 2, 4], value: [2, 1, NaN, 0] }, 40, 10)).toEqual({
      path: "M0.0 0.0L10.0 5.0M40.0 10.0",
      end: { x: 40, y: 10 },
    });
    expect(drawSparkline({ step: [], value: [] }, 40, 10)).toEqual({ path: "", end: null });
    expect(drawSparkline({ step: [3], value: [7] }, 40, 10).end).toEqual({ x: 40, y: 5 });
  });
});
