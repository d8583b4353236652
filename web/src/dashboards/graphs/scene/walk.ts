// Where the arrow keys lead from a node: down and up along edges, left and right to what stands beside it.

import type { Composed } from "../layout/composed";

export type Direction = "down" | "up" | "left" | "right" | "in" | "out";

/** The place of the next node, or null where there is none. */
export function walk(picture: Composed, from: number, direction: Direction): number | null {
  switch (direction) {
    case "down":
    case "up":
      return alongEdge(picture, from, direction === "down");
    case "left":
    case "right":
      return beside(picture, from, direction === "right");
    case "in":
      return firstInside(picture, from);
    case "out": {
      const parent = picture.parent[from] as number;
      return parent < 0 ? null : parent;
    }
    default:
      return direction satisfies never;
  }
}

const middleOf = ({ x, width }: Composed, node: number): number => (x[node] as number) + (width[node] as number) / 2;

/** The neighbour nearest in x, then in y. Open groups are walked into. */
function alongEdge(picture: Composed, from: number, isDown: boolean): number | null {
  const { edges, y } = picture;
  const [near, far] = isDown ? [edges.from, edges.to] : [edges.to, edges.from];
  let best: number | null = null;
  let least = Infinity;
  for (let edge = 0; edge < near.length; edge++) {
    const other = far[edge] as number;
    if (near[edge] !== from || other < 0 || other === from) continue;
    const cost =
      Math.abs(middleOf(picture, other) - middleOf(picture, from)) * 4 +
      Math.abs((y[other] as number) - (y[from] as number));
    if (cost < least) [least, best] = [cost, other];
  }
  return best;
}

/** The next node of the level that overlaps it in y. */
function beside(picture: Composed, from: number, isRight: boolean): number | null {
  const { x, y, width, height, parent } = picture;
  let best: number | null = null;
  let least = Infinity;
  for (let node = 0; node < x.length; node++) {
    if (node === from || parent[node] !== parent[from]) continue;
    const distance = isRight
      ? (x[node] as number) - (x[from] as number) - (width[from] as number)
      : (x[from] as number) - (x[node] as number) - (width[node] as number);
    const isLevel =
      (y[node] as number) < (y[from] as number) + (height[from] as number) &&
      (y[from] as number) < (y[node] as number) + (height[node] as number);
    if (isLevel && distance >= -1 && distance < least) [least, best] = [distance, node];
  }
  return best;
}

/** The topmost node of an open group. */
function firstInside(picture: Composed, group: number): number | null {
  const { parent, y, x } = picture;
  let best: number | null = null;
  for (let node = 0; node < parent.length; node++) {
    if (parent[node] !== group) continue;
    if (best === null || (y[node] as number) < (y[best] as number) - 1) best = node;
    else if (Math.abs((y[node] as number) - (y[best] as number)) <= 1 && (x[node] as number) < (x[best] as number))
      best = node;
  }
  return best;
}

/** Where a walk begins if nothing is selected: the topmost node. */
export const firstNode = (picture: Composed): number | null => firstInside(picture, -1);
