import { describe, expect, it } from "vitest";
import { fuzzyMatch, rank, rankSlices } from "./fuzzy";

const best = (query: string, texts: string[], limit = 10): string[] =>
  rank(query, texts, (text) => text, limit).map(({ item }) => item);

describe("fuzzy search", () => {
  it("finds letters in order, ignoring case, and returns their positions", () => {
    expect(fuzzyMatch("vlo", "val/loss")?.marks).toEqual([0, 4, 5]);
    expect(fuzzyMatch("LOSS", "val/loss")?.marks).toEqual([4, 5, 6, 7]);
    expect(fuzzyMatch("solv", "val/loss")).toBeNull();
  });

  it("takes words in any order, all of them", () => {
    expect(fuzzyMatch("loss val", "val/loss")).not.toBeNull();
    expect(fuzzyMatch("loss train", "val/loss")).toBeNull();
    expect(fuzzyMatch("loss val", "val/loss")?.marks).toEqual([0, 1, 2, 4, 5, 6, 7]);
  });

  it("puts whole words and starts of parts before scattered letters", () => {
    expect(best("loss", ["layer/o/s/s", "glossy", "train/loss"])).toEqual(["train/loss", "glossy", "layer/o/s/s"]);
    expect(best("vl", ["interval/large_x", "val/loss"])[0]).toBe("val/loss");
    expect(best("pl", ["simple", "PageLink"])[0]).toBe("PageLink");
  });

  it("prefers the shorter of two equal matches, and is stable", () => {
    expect(best("loss", ["loss/regularisation", "loss"])).toEqual(["loss", "loss/regularisation"]);
    expect(best("", ["b", "a"])).toEqual(["b", "a"]);
    expect(best("x", ["x1", "x2", "x3"], 2)).toEqual(["x1", "x2"]);
  });

  it("handles odd names", () => {
    expect(fuzzyMatch("(", "a(b")?.marks).toEqual([1]);
    expect(fuzzyMatch("<b>", "<b>bold</b>")?.marks).toEqual([0, 1, 2]);
    expect(fuzzyMatch("i", "İstanbul")).toBeNull();
    expect(fuzzyMatch("a", "x".repeat(10_000))).toBeNull();
    expect(best("a", [])).toEqual([]);
  });

  it("gives the same result in slices as in one go", () => {
    const tags = Array.from({ length: 10_000 }, (_, i) => `layer${i % 97}/block${i}/weight_norm`);
    const slices = [...rankSlices("block 77 norm", tags, (tag) => tag, 20)];
    expect(slices.length).toBeGreaterThan(1);
    expect(slices.at(-1)).toEqual(rank("block 77 norm", tags, (tag) => tag, 20));
    expect(slices.at(-1)?.[0]?.item).toBe("layer77/block77/weight_norm");
  });
});
