// Exact value, step and time of the points under the pointer. A line carries one x only, so the other columns are fetched for
// the few runs that are looked at, and kept until the series grows.

import type { Client } from "../../api/client";
import type { Points, XAxis } from "../../api/types";
import type { CardLine } from "./card_lines.svelte";

export interface PointDetail {
  readonly step: number;
  readonly wallTimeS: number;
  readonly value: number;
}

// Longer series would move megabytes for one tooltip.
const MAX_POINTS = 20_000;
const MAX_SERIES = 16;

export class PointDetails {
  readonly #points = new Map<string, Points | "asked">();
  /** Grows with every answer, so that what reads it looks again. */
  #answers = $state(0);

  constructor(
    private readonly client: Client,
    private readonly tag: string,
  ) {}

  /** Ask for what is not here yet. */
  load(lines: readonly CardLine[]): void {
    for (const line of lines.slice(0, MAX_SERIES)) {
      if (line.total > MAX_POINTS || this.#points.has(keyOf(line))) continue;
      this.#points.set(keyOf(line), "asked");
      this.client.points(line.run, this.tag).then(
        (points) => {
          this.#points.set(keyOf(line), points);
          for (const key of [...this.#points.keys()].slice(0, -2 * MAX_SERIES)) this.#points.delete(key);
          this.#answers++;
        },
        // Only a detail: the tooltip does without it, and the next one asks again.
        () => this.#points.delete(keyOf(line)),
      );
    }
  }

  find(line: CardLine, x: number, axis: XAxis): PointDetail | null {
    void this.#answers;
    const points = this.#points.get(keyOf(line));
    return points && points !== "asked" ? findPoint(points, x, axis) : null;
  }
}

const keyOf = (line: CardLine): string => `${line.generation} ${line.run}`;

/** The point at this x; of several, the last, which is the one drawn on top. */
export function findPoint(points: Points, x: number, axis: XAxis): PointDetail | null {
  const first = Number(points.wall_time[0] ?? 0);
  for (let i = points.step.length - 1; i >= 0; i--) {
    const step = points.step[i] as number;
    const wallTimeS = Number(points.wall_time[i]);
    // Relative times were subtracted on the server, so the last bits may differ.
    const isHere = axis === "step" ? step === x : axis === "wall" ? wallTimeS === x : Math.abs(wallTimeS - first - x) < 1e-6;
    if (isHere) return { step, wallTimeS, value: Number(points.value[i]) };
  }
  return null;
}
