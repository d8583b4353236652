// What several nodes cost together. Pure.

import type { Level, LevelNode } from "../answer";

export interface SelectionSums {
  /** Ops of the graph, groups counted with what is in them. */
  readonly count: number;
  /** Between the selected nodes. */
  readonly edges: number;
  readonly parameters: number | null;
  readonly flops: number | null;
  readonly time: number | null;
  readonly memory: number | null;
}

/** A node inside of a selected group counts once. */
export function sumSelection(
  ids: readonly string[],
  nodeOf: (id: string) => LevelNode | undefined,
  parentOf: (id: string) => string | undefined,
  levels: Iterable<Level>,
): SelectionSums {
  const chosen = new Set(ids);
  const isInside = (id: string): boolean => {
    for (let group = parentOf(id); group; group = parentOf(group)) if (chosen.has(group)) return true;
    return false;
  };
  const nodes = ids.flatMap((id) => (isInside(id) ? [] : (nodeOf(id) ?? [])));
  const sum = (key: "parameters" | "flops" | "time" | "memory"): number | null => {
    const known = nodes.flatMap((node) => node[key] ?? []);
    return known.length > 0 ? known.reduce((a, b) => a + b, 0) : null;
  };
  let edges = 0;
  for (const level of levels)
    for (const { from, to, count = 1 } of level.edges)
      if (chosen.has(level.nodes[from]?.id ?? "") && chosen.has(level.nodes[to]?.id ?? "")) edges += count;
  return {
    count: nodes.reduce((total, node) => total + (node.count ?? 1), 0),
    edges,
    parameters: sum("parameters"),
    flops: sum("flops"),
    time: sum("time"),
    memory: sum("memory"),
  };
}
