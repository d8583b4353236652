// Where the nodes of a tree stand in an icicle: each below its parent, as wide as its share. Pure.

import type { Tree } from "../answer";

export interface Piece {
  readonly node: number;
  readonly depth: number;
  /** From 0 to 1 of the width. */
  readonly from: number;
  readonly to: number;
}

/** Narrower ones cannot be hit. */
const LEAST_PX = 1.5;

/** The focused node over the whole width, those around it above it, and what is below it. */
export function layOut(tree: Tree, focus: number, widthPx: number): readonly Piece[] {
  const around = pathTo(tree, focus);
  const pieces: Piece[] = around.map((node, depth) => ({ node, depth, from: 0, to: 1 }));
  const children = childrenOf(tree);
  const waiting: Piece[] = pieces.slice(-1);
  for (let at = 0; at < waiting.length; at++) {
    const { node, depth, from, to } = waiting[at] as Piece;
    const total = tree.total[node] ?? 0;
    let left = from;
    for (const child of children.get(node) ?? []) {
      const width = total > 0 ? ((to - from) * (tree.total[child] ?? 0)) / total : 0;
      const piece = { node: child, depth: depth + 1, from: left, to: left + width };
      left += width;
      if (width * widthPx < LEAST_PX) continue;
      pieces.push(piece);
      waiting.push(piece);
    }
  }
  return pieces;
}

/** The largest first, what was merged last. */
function childrenOf(tree: Tree): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  tree.parent.forEach((parent, node) => {
    if (parent < 0) return;
    const list = found.get(parent);
    if (list) list.push(node);
    else found.set(parent, [node]);
  });
  for (const list of found.values()) list.sort((a, b) => (tree.total[b] ?? 0) - (tree.total[a] ?? 0));
  return found;
}

/** From the whole to a node. */
export function pathTo(tree: Tree, node: number): readonly number[] {
  const path = [node];
  for (let up = tree.parent[node] ?? -1; up >= 0; up = tree.parent[up] ?? -1) path.unshift(up);
  return path;
}

/** A new tree opens at the first node at which it branches: what stands above it says nothing. */
export function firstBranch(tree: Tree): number {
  const children = childrenOf(tree);
  let node = 0;
  for (;;) {
    const [first, second] = children.get(node) ?? [];
    if (first === undefined) return tree.parent[node] === -1 ? node : (tree.parent[node] ?? 0);
    const isAlone = second === undefined || (tree.total[second] ?? 0) < 0.02 * (tree.total[node] ?? 1);
    if (!isAlone || (tree.own[node] ?? 0) > 0.02 * (tree.total[node] ?? 1)) return node;
    node = first;
  }
}

/** One line for each node with something of its own, as flame graph tools read it: "main;step;op 1200". */
export function foldedStacks(tree: Tree): string {
  const plain = (name: string): string => name.replace(/[;\r\n]+/g, ",");
  const lines: string[] = [];
  tree.own.forEach((own, node) => {
    if (own > 0 && node > 0)
      lines.push(
        `${pathTo(tree, node)
          .slice(1)
          .map((each) => plain(tree.name[each] ?? ""))
          .join(";")} ${own}`,
      );
  });
  return lines.map((line) => `${line}\n`).join("");
}
