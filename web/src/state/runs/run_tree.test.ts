import { describe, expect, it } from "vitest";
import { makeList, makeRows, makeTree, parentIndex, type RunRow, runsBetween } from "./run_tree";

const drawn = (rows: readonly RunRow[]): string[] =>
  rows.map(
    ({ node, level, isOpen }) =>
      `${"  ".repeat(level - 1)}${isOpen === null ? "" : isOpen ? "v " : "> "}${node.label}${node.isRun ? " *" : ""}`,
  );
const rowsOf = (names: string[], collapsed: string[] = []): RunRow[] =>
  makeRows(makeTree(names), (path) => collapsed.includes(path));

describe("the tree of runs", () => {
  it("puts runs below their directories", () => {
    expect(drawn(rowsOf(["a/train", "a/val", "b"]))).toEqual(["v a", "  train *", "  val *", "b *"]);
  });

  it("makes one row of a directory that is itself a run", () => {
    const rows = rowsOf(["base", "base/train", "base/validation"]);
    expect(drawn(rows)).toEqual(["v base *", "  train *", "  validation *"]);
    expect(rows[0]?.node.runs).toEqual(["base", "base/train", "base/validation"]);
  });

  it("makes one row of a chain of directories", () => {
    expect(drawn(rowsOf(["x/y/z/a", "x/y/z/b"]))).toEqual(["v x/y/z", "  a *", "  b *"]);
    expect(drawn(rowsOf(["x/y/z"]))).toEqual(["x/y/z *"]);
    expect(drawn(rowsOf(["x/y", "x/y/z"]))).toEqual(["v x/y *", "  z *"]);
  });

  it("splits a name only at slashes, and keeps the root", () => {
    expect(drawn(rowsOf([".", "a b/<i>", "a b/ü"]))).toEqual([". *", "v a b", "  <i> *", "  ü *"]);
    expect(drawn(rowsOf(["ab", "a/b"]))).toEqual(["ab *", "a/b *"]);
  });

  it("keeps the order of the names, with a directory at its first run", () => {
    expect(drawn(rowsOf(["b/2", "a", "b/1"]))).toEqual(["v b", "  2 *", "  1 *", "a *"]);
  });

  it("leaves out rows below a collapsed directory and gives the position of each row", () => {
    const rows = rowsOf(["a/x", "a/y", "b/x", "b/y"], ["a"]);
    expect(drawn(rows)).toEqual(["> a", "v b", "  x *", "  y *"]);
    expect(rows.map(({ place, siblings }) => `${place}/${siblings}`)).toEqual(["1/2", "2/2", "1/2", "2/2"]);
    expect(rows.map((_, i) => parentIndex(rows, i))).toEqual([-1, -1, 1, 1]);
  });

  it("can be flat", () => {
    expect(drawn(makeRows(makeList(["a/x", "a/y"]), () => false))).toEqual(["a/x *", "a/y *"]);
  });

  it("selects from row to row in either direction, with everything in a collapsed directory", () => {
    const rows = rowsOf(["a/x", "a/y", "b", "b/x", "c"], ["a"]);
    expect(drawn(rows)).toEqual(["> a", "v b *", "  x *", "c *"]);
    expect(runsBetween(rows, 0, 1)).toEqual(["a/x", "a/y", "b"]);
    expect(runsBetween(rows, 3, 2)).toEqual(["b/x", "c"]);
  });

  it("makes a tree of ten thousand runs that share all but the last directory", () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `sweep/lr=${i % 10}/seed=${i}`);
    const tree = makeTree(names);
    expect(tree[0]?.runs.length).toBe(10_000);
    expect(makeRows(tree, () => false).length).toBe(10_011);
  });
});
