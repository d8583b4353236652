import { describe, expect, it } from "vitest";
import { countLines, diffByLines, diffByWords } from "./text_diff";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `line ${i}`);

describe("diffByLines", () => {
  it("tells lines that came and went", () => {
    const blocks = diffByLines("a\nb\nc", "a\nB\nc\nd");
    expect(blocks.map(({ kind, lines }) => [kind, ...lines])).toEqual([
      ["same", "a"],
      ["removed", "b"],
      ["added", "B"],
      ["same", "c"],
      ["added", "d"],
    ]);
    expect([countLines(blocks, "added"), countLines(blocks, "removed")]).toEqual([2, 1]);
  });

  it("folds what is far from any change", () => {
    const before = numbered(40);
    const after = before.with(20, "changed");
    const blocks = diffByLines(before.join("\n"), after.join("\n"));
    expect(blocks.map(({ kind, isFolded, lines }) => [kind, isFolded, lines.length])).toEqual([
      ["same", true, 17],
      ["same", false, 3],
      ["removed", false, 1],
      ["added", false, 1],
      ["same", false, 3],
      ["same", true, 16],
    ]);
  });

  it("folds equal texts whole and knows the empty one", () => {
    expect(diffByLines(numbered(9).join("\n"), numbered(9).join("\n")).map((block) => block.isFolded)).toEqual([true]);
    expect(diffByLines("", "a").map(({ kind }) => kind)).toEqual(["added"]);
    expect(diffByLines("", "")).toEqual([]);
  });
});

describe("diffByWords", () => {
  it("tells words that came and went", () => {
    expect(diffByWords("the old cat", "the new cat")).toEqual([
      { kind: "same", text: "the " },
      { kind: "removed", text: "old" },
      { kind: "added", text: "new" },
      { kind: "same", text: " cat" },
    ]);
  });

  it("gives up on texts without anything in common before the page stands still", () => {
    const noise = (seed: number): string =>
      Array.from({ length: 20_000 }, (_, i) => ((i * seed) % 7919).toString(36)).join(" ");
    expect(diffByWords(noise(31), noise(57)).some(({ kind }) => kind === "removed")).toBe(true);
  });
});
