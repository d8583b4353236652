import { expect, test } from "vitest";
import type { Tree } from "../answer";
import { firstBranch, foldedStacks, layOut, pathTo } from "./layout";

const tree: Tree = {
  unit: "ps",
  name: ["", "main", "step", "small", "large", "1 smaller"],
  parent: [-1, 0, 1, 2, 2, 2],
  total: [1024, 1024, 1024, 256, 767, 1],
  own: [0, 0, 0, 256, 767, 1],
  count: [0, 1, 1, 3, 7, 1],
  event: [-1, 0, 1, 2, 3, -1],
  notes: [],
};

test("children stand below their parent, the largest first, too small ones not at all", () => {
  expect(layOut(tree, 0, 100)).toEqual([
    { node: 0, depth: 0, from: 0, to: 1 },
    { node: 1, depth: 1, from: 0, to: 1 },
    { node: 2, depth: 2, from: 0, to: 1 },
    { node: 4, depth: 3, from: 0, to: 767 / 1024 },
    { node: 3, depth: 3, from: 767 / 1024, to: 1023 / 1024 },
  ]);
});

test("a focused node has the whole width, below those around it", () => {
  expect(layOut(tree, 3, 100)).toEqual([0, 1, 2, 3].map((node, depth) => ({ node, depth, from: 0, to: 1 })));
  expect(pathTo(tree, 3)).toEqual([0, 1, 2, 3]);
});

test("it opens where it branches", () => {
  expect(firstBranch(tree)).toBe(2);
  expect(firstBranch({ ...tree, parent: [-1, 0, 0, 1, 1, 1] })).toBe(0);
});

test("stacks are written as flame graph tools read them", () => {
  expect(foldedStacks({ ...tree, name: ["", "main", "a;b", "small", "large", "1 smaller"] })).toBe(
    "main;a,b;small 256\nmain;a,b;large 767\nmain;a,b;1 smaller 1\n",
  );
});
