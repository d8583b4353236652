import { describe, expect, it } from "vitest";
import type { TagIndex } from "../../api/types";
import { makeSections, runsWithTag, splitTag, tagsOfRuns } from "./tag_sections";

const all = (): boolean => true;

describe("sections", () => {
  it("are made of what stands before the first slash, in natural order", () => {
    const tags = ["val/loss", "loss", "train/layer10/norm", "train/layer2/norm", "/odd", "val/acc"];
    expect(makeSections(tags, all)).toEqual([
      { name: "", tags: ["/odd", "loss"] },
      { name: "train", tags: ["train/layer2/norm", "train/layer10/norm"] },
      { name: "val", tags: ["val/acc", "val/loss"] },
    ]);
  });

  it("leave out tags that the filter does not want, and sections without any", () => {
    expect(makeSections(["a/x", "b/y"], (tag) => tag.endsWith("y"))).toEqual([{ name: "b", tags: ["b/y"] }]);
  });
});

describe("splitTag", () => {
  it("parts a tag before its last piece", () => {
    expect(["loss", "train/loss", "a/b/c", "a/b/", "/"].map(splitTag)).toEqual([
      ["", "loss"], ["train/", "loss"], ["a/b/", "c"], ["a/", "b/"], ["", "/"],
    ]);
  });
});

describe("tags of runs", () => {
  const index: TagIndex = { generation: 1, runs: { a: 0, b: 0, c: 1 }, tag_sets: [{ loss: "scalar" }, JSON.parse('{"loss": "scalar", "toString": "scalar"}') as Record<string, "scalar">] };

  it("come from the shared sets", () => {
    expect([...tagsOfRuns(index, ["a", "b"])]).toEqual(["loss"]);
    expect([...tagsOfRuns(index, ["a", "c", "unknown"])].sort()).toEqual(["loss", "toString"]);
  });

  it("tell which runs have a tag", () => {
    expect(runsWithTag(index, ["a", "b", "c", "unknown"], "loss")).toEqual(["a", "b", "c"]);
    expect(runsWithTag(index, ["a", "b", "c"], "toString")).toEqual(["c"]);
  });
});
