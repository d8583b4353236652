import { describe, expect, it } from "vitest";
import { compilePattern, exactly } from "../base/pattern";

describe("the pattern for one tag", () => {
  it.each(["train/loss", "a.b*c", "(x)[y]{z}", "back\\slash", "a|b^c$", "emoji 🎉", "-_~"])(
    "matches %s and nothing around it",
    (tag) => {
      const pattern = compilePattern(exactly(tag));
      expect(pattern.error).toBe("");
      expect(pattern.matches(tag)).toBe(true);
      expect(pattern.matches(`${tag}x`)).toBe(false);
      expect(pattern.matches(`x${tag}`)).toBe(false);
    },
  );
});
