import { describe, expect, it } from "vitest";
import { type CardRef, cardId, readCardId } from "./card_id";

describe("the id of a card", () => {
  it.each<CardRef>([
    { kind: "image", run: "a;b/c\\", tag: "x;@y" },
    { kind: "pr_curve", run: null, tag: "" },
    { kind: "scalar", run: null, tag: "train/loss" },
  ])("says what the card is about: %o", (ref) => {
    expect(readCardId(cardId(ref))).toEqual(ref);
  });

  it("leaves tags that only look like one to scalars", () => {
    expect(readCardId("@home/loss")).toEqual({ kind: "scalar", run: null, tag: "@home/loss" });
  });
});
