import { describe, expect, it } from "vitest";
import type { TagIndex } from "../api/types";
import {
  ALL_MEMBERS,
  allIds,
  allTags,
  arrangeSections,
  groupTags,
  hasMovedSections,
  inOrder,
  isCollapsed,
  makeSection,
  memberOption,
  moveSection,
  resetSections,
  type Section,
  setsOf,
  splitTag,
  tagsOfSets,
  writeMembers,
} from "./tag_sections";

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

  it("parts a module from those around it, and leaves numbers and file names whole", () => {
    const tags = ["norm/decoder.layers.0.attn.k_proj", "val/top.5.accuracy", "a/step.1.25", "x/photo.png"];
    expect(tags.map((tag) => splitTag(tag)[1])).toEqual(["k_proj", "accuracy", "step.1.25", "photo.png"]);
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

const NO_ORDER: ReadonlyMap<string, readonly string[]> = new Map();
const made = (...tags: string[]): Section[] =>
  [...groupTags(tags)].map(([key, ids]) => ({ key, title: key || "Other", ids, total: ids.length }));
const arrange = (
  sections: Section[],
  { order = NO_ORDER, options = new Map<string, string>(), isBelow = false } = {},
): Section[] => arrangeSections(sections, { order, members: writeMembers(options), isBelow });

describe("arrangeSections", () => {
  const keys = (sections: Section[]): string[] => sections.map(({ key }) => key);

  it("puts train, validation, loss and accuracy first, then goes by name", () => {
    const sections = made("zeta/x", "accuracy/a", "Loss/a", "alpha/x", "val_epoch/x", "eval/x", "train/x", "test/x");
    expect(keys(arrange(sections))).toEqual([
      "train",
      "val_epoch",
      "test",
      "eval",
      "Loss",
      "accuracy",
      "alpha",
      "zeta",
    ]);
    // Words that only begin alike.
    expect(keys(arrange(made("lossless/x", "a/x", "trainer/x", "values/x")))).toEqual([
      "a",
      "lossless",
      "trainer",
      "values",
    ]);
  });

  it("shows tags without a prefix first and without a heading, or as others", () => {
    const titles = (sections: Section[]): unknown[] => sections.map(({ title, isBare }) => (isBare ? null : title));
    expect(titles(arrange(made("lr", "optim/x")))).toEqual([null, "optim"]);
    expect(titles(arrange(made("loss", "lr", "train/x")))).toEqual([null, "train"]);
    expect(titles(arrange(made("epoch", "train/x", "zeta/x")))).toEqual(["train", "zeta", "Other"]);
    expect(titles(arrange(made("loss", "train/x"), { isBelow: true }))).toEqual(["Other", "train"]);
  });

  it("folds sections that differ by a number into one, of which one member is shown", () => {
    const layers = made("layer10/w", "layer2/b", "layer2/w", "layer1/w", "conv1/w", "conv2/w", "plain/w");
    const [, , numbered, plain] = arrange(layers);
    expect(keys(arrange(layers)).filter((key) => !key.startsWith("/"))).toEqual(["conv1", "conv2", "plain"]);
    expect([numbered?.title, numbered?.ids, numbered?.total, numbered?.numbered?.at, plain?.key]).toEqual([
      "layer1 … layer10",
      ["layer1/w"],
      4,
      0,
      "plain",
    ]);
    const option = memberOption(numbered?.key ?? "");
    const shown = (value: string): readonly string[] | undefined =>
      arrange(layers, { options: new Map([[option, value]]) })[2]?.ids;
    expect(shown("layer2")).toEqual(["layer2/b", "layer2/w"]);
    expect(shown("gone")).toEqual(["layer1/w"]);
    expect(shown(ALL_MEMBERS)).toEqual(["layer1/w", "layer2/b", "layer2/w", "layer10/w"]);
    expect(numbered && allIds(numbered)).toEqual(["layer1/w", "layer2/b", "layer2/w", "layer10/w"]);
    expect(writeMembers(new Map([["text.mode", "raw"]]))).toBe(writeMembers(new Map()));
  });

  it("tells numbered sections of different names apart", () => {
    const blocks = ["block_0", "block_1", "block_2", "block_0_bn", "block_1_bn", "block_2_bn"];
    expect(arrange(made(...blocks.map((each) => `${each}/w`))).map(({ title }) => title)).toEqual([
      "block_0 … block_2",
      "block_0_bn … block_2_bn",
    ]);
  });

  it("keeps the order that the user made, and forgets it when asked", () => {
    const sections = made("a/x", "b/x", "c/x", "d/x");
    const shown = ["a", "b", "c", "d"];
    const toTop = moveSection(NO_ORDER, shown, "c", 0);
    expect(keys(arrange(sections, { order: toTop }))).toEqual(["c", "a", "b", "d"]);
    const down = moveSection(toTop, ["c", "a", "b", "d"], "c", 1);
    expect(keys(arrange(sections, { order: down }))).toEqual(["a", "c", "b", "d"]);
    const last = moveSection(NO_ORDER, shown, "a", 3);
    expect(keys(arrange(sections, { order: last }))).toEqual(["b", "c", "d", "a"]);
    // A page without some sections keeps their places for other pages.
    const elsewhere = moveSection(toTop, ["a", "b"], "b", 0);
    expect(keys(arrange(sections, { order: elsewhere })).slice(0, 2)).toEqual(["b", "a"]);
    expect([...(elsewhere.get("/sections") ?? [])]).toContain("c");
    expect([hasMovedSections(toTop), hasMovedSections(resetSections(toTop))]).toEqual([true, false]);
    expect(keys(arrange(sections, { order: resetSections(toTop) }))).toEqual(shown);
  });
});
