import { describe, expect, it } from "vitest";
import { compilePattern } from "../base/pattern";
import { completeTag, searchTags } from "./tag_search";

const tags = ["train/loss", "train/acc", "val/loss", "val/acc.top5", "odd (tag) [x]"];

describe("searchTags", () => {
  it("finds by some letters, best first", () => {
    expect(searchTags("vlo", tags).tags[0]).toBe("val/loss");
    expect(searchTags("acc", tags).tags).toHaveLength(2);
    expect(searchTags("", tags, 2)).toEqual({ tags: ["train/loss", "train/acc"], left: 3 });
  });

  it("finds by pattern if the text is one, and by letters while it is incomplete", () => {
    expect(searchTags("^val/(loss|acc)", tags).tags).toEqual(["val/loss", "val/acc.top5"]);
    expect(searchTags("odd (", tags).tags).toEqual(["odd (tag) [x]"]);
  });

  it("returns how many more there are among ten thousand", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `layer${i}/weight`);
    expect(searchTags("weight", many)).toMatchObject({ left: 9_975 });
  });
});

describe("completeTag", () => {
  it("suggests patterns that match the tag's text", () => {
    for (const { text, label } of completeTag("", tags).options)
      expect(compilePattern(text).matches(label ?? "")).toBe(true);
    expect(completeTag("top", tags)).toMatchObject({
      from: 0,
      to: 3,
      options: [{ text: "val/acc\\.top5", label: "val/acc.top5" }],
    });
  });
});
