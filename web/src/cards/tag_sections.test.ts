import { describe, expect, it } from "vitest";
import type { TagIndex } from "../api/types";
import { allTags, groupTags, inOrder, isCollapsed, makeSection, setsOf, splitTag, tagsOfSets } from "./tag_sections";

describe("groupTags", () => {
  it("goes by what stands before the first slash, in natural order", () => {
    const tags = ["val/loss", "loss", "train/layer10/norm", "train/layer2/norm", "/odd", "val/acc"];
    expect([...groupTags(tags)]).toEqual([
      ["", ["/odd", "loss"]],
      ["train", ["train/layer2/norm", "train/layer10/norm"]],
      ["val", ["val/acc", "val/loss"]],
    ]);
  });
});

describe("inOrder", () => {
  it("puts the chosen ones first and forgets those that are gone", () => {
    expect(inOrder(["a", "b", "c"], ["c", "gone"])).toEqual(["c", "a", "b"]);
    expect(inOrder(["a", "b"], undefined)).toEqual(["a", "b"]);
  });
});

describe("makeSection", () => {
  it("keeps what matches and knows how much there was", () => {
    expect(makeSection("a", "a", ["a/x", "a/y"], (id) => id.endsWith("y"))).toEqual({
      key: "a",
      title: "a",
      ids: ["a/y"],
      total: 2,
    });
    expect(makeSection("a", "a", ["a/x"], () => false)).toBeNull();
  });
});

describe("splitTag", () => {
  it("parts a tag before its last piece", () => {
    expect(["loss", "train/loss", "a/b/c", "a/b/", "/"].map(splitTag)).toEqual([
      ["", "loss"],
      ["train/", "loss"],
      ["a/b/", "c"],
      ["a/", "b/"],
      ["", "/"],
    ]);
  });
});

describe("tags of runs", () => {
  const index: TagIndex = {
    generation: 1,
    runs: { a: 0, b: 0, c: 1 },
    tag_sets: [{ loss: "scalar" }, JSON.parse('{"loss": "scalar", "toString": "scalar"}') as Record<string, "scalar">],
  };

  it("come from the shared sets", () => {
    expect(setsOf(index, ["b", "a", "unknown"])).toEqual([0]);
    expect([...tagsOfSets(index, [0])]).toEqual(["loss"]);
    expect([...tagsOfSets(index, setsOf(index, ["c", "a"]))].sort()).toEqual(["loss", "toString"]);
    expect(allTags(index).size).toBe(2);
  });
});

describe("isCollapsed", () => {
  it("counts from how the section is at first", () => {
    const open = { key: "a", title: "a", ids: [], total: 0 };
    const shut = { ...open, startsCollapsed: true };
    expect([
      isCollapsed(open, new Set()),
      isCollapsed(open, new Set(["a"])),
      isCollapsed(shut, new Set()),
      isCollapsed(shut, new Set(["a"])),
    ]).toEqual([false, true, true, false]);
  });
});
