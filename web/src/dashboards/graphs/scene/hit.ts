// What is under a point of the picture.

import type { Composed } from "../layout/composed";
import { TITLE_PX } from "../layout/place";

export interface Hit {
  /** Place in the picture. */
  readonly node: number;
  /** On the sign that opens or closes it. */
  readonly isChevron: boolean;
}

const CHEVRON_PX = 22;
/** A little more than what is drawn, for discs and fingers. */
const SLACK_PX = 3;

/** The innermost node; an open group only where no node of it is. */
export function hitNode({ x, y, width, height, isOpen }: Composed, atX: number, atY: number): Hit | null {
  // Children come after their parents.
  for (let node = x.length - 1; node >= 0; node--) {
    const [dx, dy] = [atX - (x[node] as number), atY - (y[node] as number)];
    const slack = isOpen[node] || (height[node] as number) > 20 ? 0 : SLACK_PX;
    if (dx < -slack || dy < -slack || dx > (width[node] as number) + slack || dy > (height[node] as number) + slack)
      continue;
    return { node, isChevron: dx < CHEVRON_PX && dy < TITLE_PX };
  }
  return null;
}
