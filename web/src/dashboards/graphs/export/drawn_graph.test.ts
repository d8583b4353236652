import { expect, test } from "vitest";
import type { LevelNode } from "../answer";
import type { Composed } from "../layout/composed";
import { drawnGraph, writeDot } from "./drawn_graph";

const node = (id: string, label: string, op = ""): LevelNode => ({ id, label, type: "op", op });
const nodes = [node("enc", "enc"), node("enc/a", 'say "a"', "MatMul"), node("out", "out", "Add")];

const picture = {
  groups: ["", "enc"],
  level: Int32Array.of(0, 1, 0),
  index: Int32Array.of(0, 0, 1),
  parent: Int32Array.of(-1, 0, -1),
  isOpen: Uint8Array.of(1, 0, 0),
  x: Float32Array.of(0, 10, 0),
  y: Float32Array.of(0, 10, 90.26),
  width: Float32Array.of(80, 60, 60),
  height: Float32Array.of(60, 26, 26),
  // One edge in two pieces, and a control edge.
  edges: {
    level: Int32Array.of(1, 0, 0),
    index: Int32Array.of(0, 0, 1),
    from: Int32Array.of(1, 1, 1),
    to: Int32Array.of(2, 2, 2),
  },
} as unknown as Composed;

test("pieces of an edge are one edge, and values stand beside nodes", () => {
  const facts = (group: string, index: number) =>
    group === "enc" ? { label: "32×96" } : index === 1 ? { control: true } : null;
  const drawn = drawnGraph(picture, nodes, facts, new Map([["out", 2.5]]));
  expect(drawn.edges).toEqual([
    { from: "enc/a", to: "out", label: "32×96" },
    { from: "enc/a", to: "out", control: true },
  ]);
  expect(drawn.nodes.map(({ id, parent, isOpen, y, value }) => [id, parent, isOpen, y, value])).toEqual([
    ["enc", "", true, 0, undefined],
    ["enc/a", "enc", false, 10, undefined],
    ["out", "", false, 90.3, 2.5],
  ]);
  expect(writeDot(drawn)).toBe(`digraph {
  compound=true; rankdir=TB; node [shape=box, style=rounded];
  subgraph cluster_0 {
    label="enc";
    "enc/a" [label="say \\"a\\"\\nMatMul"];
  }
  "out" [label="out\\nAdd"];
  "enc/a" -> "out" [label="32×96"];
  "enc/a" -> "out" [style=dashed];
}
`);
});
