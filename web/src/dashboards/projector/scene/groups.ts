// Where groups of points are, so that their names can go beside them. Pure.

import { project, type View } from "./camera";
import type { ClusterNames } from "./cloud.svelte";
import type { NamePlace } from "./labels";

/** Of one group: the middle and the spread along each axis, and how many of its points are drawn. */
export interface Group {
  readonly name: string;
  readonly detail: string;
  readonly middle: readonly [number, number, number];
  readonly spread: readonly [number, number, number];
  readonly count: number;
  /** Most of its points are greyed. */
  readonly isGreyed: boolean;
}

/** The largest first. */
export function groupsOf(
  { codes, names }: ClusterNames,
  positions: Float32Array,
  hidden: Uint8Array | null,
  greyed: Uint8Array | null,
): Group[] {
  const size = names.length;
  const sums = new Float64Array(6 * size);
  const counts = new Uint32Array(size);
  const grey = new Uint32Array(size);
  const rows = Math.min(codes.length, positions.length / 3);
  for (let row = 0; row < rows; row++) {
    const code = codes[row] as number;
    if (!(code >= 0 && code < size) || hidden?.[row]) continue;
    const [x, y, z] = [positions[3 * row], positions[3 * row + 1], positions[3 * row + 2]] as [number, number, number];
    if (x !== x) continue;
    const at = 6 * code;
    counts[code] = (counts[code] as number) + 1;
    if (greyed?.[row]) grey[code] = (grey[code] as number) + 1;
    sums[at] = (sums[at] as number) + x;
    sums[at + 1] = (sums[at + 1] as number) + y;
    sums[at + 2] = (sums[at + 2] as number) + z;
    sums[at + 3] = (sums[at + 3] as number) + x * x;
    sums[at + 4] = (sums[at + 4] as number) + y * y;
    sums[at + 5] = (sums[at + 5] as number) + z * z;
  }
  const groups: Group[] = [];
  names.forEach(({ name, detail = "" }, code) => {
    const count = counts[code] as number;
    if (count === 0 || name === "") return;
    const mean = (i: number): number => (sums[6 * code + i] as number) / count;
    const spread = (i: number): number => Math.sqrt(Math.max(mean(i + 3) - mean(i) ** 2, 0));
    groups.push({
      name,
      detail,
      middle: [mean(0), mean(1), mean(2)],
      spread: [spread(0), spread(1), spread(2)],
      count,
      isGreyed: (grey[code] as number) > count / 2,
    });
  });
  return groups.sort((a, b) => b.count - a.count);
}

const EDGE = 1.75;

export function namePlaces(
  groups: readonly Group[],
  view: View,
  measure: (text: string, sizePx: number, isBold: boolean) => number,
  sizes: { readonly namePx: number; readonly detailPx: number },
): NamePlace[] {
  return groups.flatMap(({ name, detail, middle, spread, isGreyed }) => {
    const [x, y, depth] = project(view, ...middle);
    if (!(depth > 0)) return [];
    const perUnit = view.scale * (view.distance / depth);
    const is2d = view.dimensions === 2;
    const around = Math.hypot(...spread) / Math.sqrt(3);
    const [halfX, halfY] = [EDGE * perUnit * (is2d ? spread[0] : around), EDGE * perUnit * (is2d ? spread[1] : around)];
    return {
      name,
      detail,
      isGreyed,
      x,
      y,
      box: { left: x - halfX, top: y - halfY, right: x + halfX, bottom: y + halfY },
      nameWidthPx: measure(name, sizes.namePx, true),
      detailWidthPx: detail === "" ? 0 : measure(detail, sizes.detailPx, false),
    };
  });
}
