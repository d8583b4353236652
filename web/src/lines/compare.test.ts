import { describe, expect, it } from "vitest";
import { judge } from "./compare";

describe("judge", () => {
  it("derives the direction from the tag's name", () => {
    expect(judge(-1, "val/loss")).toBe("good");
    expect(judge(1, "epoch_loss")).toBe("bad");
    expect(judge(1, "val/accuracy")).toBe("good");
    expect(judge(-1, "Top-1 Acc")).toBe("bad");
    expect(judge(1, "learning_rate")).toBe("");
    expect(judge(0, "loss")).toBe("");
  });
});
