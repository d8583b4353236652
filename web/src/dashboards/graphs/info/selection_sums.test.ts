import { expect, it } from "vitest";
import type { Level, LevelNode } from "../answer";
import { sumSelection } from "./selection_sums";

const node = (id: string, facts: Partial<LevelNode> = {}): LevelNode => ({ id, label: id, type: "op", ...facts });

it("sums what is known, counts edges between nodes, and a node of a selected group once", () => {
  const group = node("g", { type: "group", count: 5, parameters: 100, flops: 8 });
  const inner = node("g/a", { parameters: 60, flops: 8 });
  const other = node("b", { flops: 2 });
  const levels: Level[] = [
    { group: "", nodes: [group, other], edges: [{ from: 0, to: 1, count: 3 }], in: [], out: [] },
    { group: "g", nodes: [inner], edges: [], in: [], out: [] },
  ];
  const byId = new Map([group, inner, other].map((each) => [each.id, each]));
  const parentOf = (id: string): string | undefined => (id === "g/a" ? "g" : "");
  const sums = sumSelection(["g", "g/a", "b", "gone"], (id) => byId.get(id), parentOf, levels);
  expect(sums).toEqual({ count: 6, edges: 3, parameters: 100, flops: 10, time: null, memory: null });
});
