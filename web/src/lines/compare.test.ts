import { describe, expect, it } from "vitest";
import { goalOf, judge } from "./compare";

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

describe("goalOf", () => {
  it("reads words as the server does: the last one that tells", () => {
    const goals = {
      "val/topLoss_total": "min",
      mAP: "max",
      error_score: "max",
      "score/error": "min",
      images_per_s: "max",
    };
    expect(Object.fromEntries(Object.keys(goals).map((tag) => [tag, goalOf(tag)]))).toEqual(goals);
    expect(["lr", "glossy", "accent", "weights/norm"].map(goalOf)).toEqual([null, null, null, null]);
  });
});
