import { describe, expect, it } from "vitest";
import { type CardRef, cardId, readCardId } from "./card_id";

describe("the id of a card", () => {
  it.each<CardRef>([
    { kind: "image", run: "a;b/c\\", tag: "x;@y" },
    { kind: "pr_curve", run: null, tag: "" },
    { kind: "assets/profile", run: "a;b", tag: "plugins/profile/x;1/host.xplane.pb" },
    { kind: "graph", run: "a", tag: "g" },
    { kind: "assets/graph", run: "a", tag: "g" },
    { kind: "scalar", run: null, tag: "train/loss" },
  ])("says what the card is about: %o", (ref) => {
    expect(readCardId(cardId(ref))).toEqual(ref);
  });

  it("keeps a kind and a family of the same name apart", () => {
    expect(cardId({ kind: "assets/graph", run: "a", tag: "g" })).toBe("@assets/graph;a;g");
    expect(cardId({ kind: "graph", run: "a", tag: "g" })).toBe("@graph;a;g");
  });

  it("leaves tags that only look like one to scalars", () => {
    expect(readCardId("@home/loss")).toEqual({ kind: "scalar", run: null, tag: "@home/loss" });
  });
});
