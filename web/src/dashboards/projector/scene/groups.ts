// Where groups of points are, so that their names can go beside them. Pure.

import { project, type View } from "./camera";
import type { ClusterNames, Placed } from "./cloud.svelte";
import type { NamePlace } from "./labels";

/** Of one group: the middle and the spread of its densest part, and how many of its points are drawn. */
export interface Group {
  readonly name: string;
  readonly detail: string;
  readonly middle: readonly [number, number, number];
  readonly spread: readonly [number, number, number];
  readonly count: number;
  /** Most of its points are greyed. */
  readonly isGreyed: boolean;
}

/** More names than this are never on the screen together, and each needs memory. */
const MAX_GROUPS = 400;
const CELLS = { 2: [24, 24, 1], 3: [12, 12, 12] } as const;
/** How far the densest part reaches, in parts of all points' extent. */
const REACH = 0.14;

/** The largest first. A group may lie in several places: its name goes to where most of it is. */
export function groupsOf(
  { codes, names }: ClusterNames,
  { positions, dimensions, bounds }: Pick<Placed, "positions" | "dimensions" | "bounds">,
  hidden: Uint8Array | null,
  greyed: Uint8Array | null,
): Group[] {
  const size = Math.min(names.length, MAX_GROUPS);
  const rows = Math.min(codes.length, positions.length / 3);
  const [columns, lines, layers] = CELLS[dimensions];
  const cells = columns * lines * layers;
  const counts = new Uint32Array(size);
  const grey = new Uint32Array(size);
  const grid = new Uint32Array(size * cells);
  const low = [0, 1, 2].map((axis) => (bounds.center[axis] as number) - (bounds.half[axis] as number));
  const per = [columns, lines, layers].map((cells, axis) => cells / (2 * (bounds.half[axis] as number)));
  const cellOf = (value: number, axis: number, last: number): number =>
    Math.min(Math.max(Math.floor((value - (low[axis] as number)) * (per[axis] as number)), 0), last - 1);
  for (let row = 0; row < rows; row++) {
    const code = codes[row] as number;
    const x = positions[3 * row] as number;
    if (!(code >= 0 && code < size) || x !== x || (hidden !== null && hidden[row] === 1)) continue;
    counts[code] = (counts[code] as number) + 1;
    if (greyed !== null && greyed[row] === 1) grey[code] = (grey[code] as number) + 1;
    const column = cellOf(x, 0, columns);
    const line = cellOf(positions[3 * row + 1] as number, 1, lines);
    const layer = layers === 1 ? 0 : cellOf(positions[3 * row + 2] as number, 2, layers);
    const at = code * cells + (layer * lines + line) * columns + column;
    grid[at] = (grid[at] as number) + 1;
  }

  const dense = new Float64Array(3 * size);
  for (let code = 0; code < size; code++) {
    const own = grid.subarray(code * cells, (code + 1) * cells);
    let [best, most] = [0, 0];
    for (let cell = 0; cell < cells; cell++) {
      const count = own[cell] as number;
      if (count === 0) continue;
      const around = around3(own, cell, columns, cells) + 0.5 * count;
      if (around > most) [best, most] = [cell, around];
    }
    const at = [best % columns, Math.floor(best / columns) % lines, Math.floor(best / (columns * lines))];
    for (let axis = 0; axis < 3; axis++)
      dense[3 * code + axis] = (low[axis] as number) + ((at[axis] as number) + 0.5) / (per[axis] as number);
  }

  // Count, sums and sums of squares of the points around it.
  const sums = new Float64Array(7 * size);
  const far = (REACH * 2 * Math.max(...bounds.half)) ** 2;
  for (let row = 0; row < rows; row++) {
    const code = codes[row] as number;
    const x = positions[3 * row] as number;
    if (!(code >= 0 && code < size) || x !== x || (hidden !== null && hidden[row] === 1)) continue;
    const y = positions[3 * row + 1] as number;
    const z = positions[3 * row + 2] as number;
    const dx = x - (dense[3 * code] as number);
    const dy = y - (dense[3 * code + 1] as number);
    const dz = dimensions === 3 ? z - (dense[3 * code + 2] as number) : 0;
    if (dx * dx + dy * dy + dz * dz > far) continue;
    const at = 7 * code;
    sums[at] = (sums[at] as number) + 1;
    sums[at + 1] = (sums[at + 1] as number) + x;
    sums[at + 2] = (sums[at + 2] as number) + y;
    sums[at + 3] = (sums[at + 3] as number) + z;
    sums[at + 4] = (sums[at + 4] as number) + x * x;
    sums[at + 5] = (sums[at + 5] as number) + y * y;
    sums[at + 6] = (sums[at + 6] as number) + z * z;
  }
  const groups: Group[] = [];
  for (let code = 0; code < size; code++) {
    const { name, detail = "" } = names[code] as ClusterNames["names"][number];
    const count = counts[code] as number;
    const near = sums[7 * code] as number;
    if (near === 0 || name === "") continue;
    const mean = (i: number): number => (sums[7 * code + 1 + i] as number) / near;
    const spread = (i: number): number => Math.sqrt(Math.max(mean(i + 3) - mean(i) ** 2, 0));
    groups.push({
      name,
      detail,
      middle: [mean(0), mean(1), mean(2)],
      spread: [spread(0), spread(1), spread(2)],
      count,
      isGreyed: (grey[code] as number) > count / 2,
    });
  }
  return groups.sort((a, b) => b.count - a.count);
}

/** Where groups are while their points move. */
export function groupsBetween(
  before: ReadonlyMap<string, Group>,
  groups: readonly Group[],
  part: number,
): readonly Group[] {
  if (part >= 1) return groups;
  const mix = (from: Group["middle"], to: Group["middle"]): Group["middle"] => {
    const at = (axis: 0 | 1 | 2): number => from[axis] + (to[axis] - from[axis]) * part;
    return [at(0), at(1), at(2)];
  };
  return groups.map((group) => {
    const from = before.get(group.name);
    return from ? { ...group, middle: mix(from.middle, group.middle), spread: mix(from.spread, group.spread) } : group;
  });
}

/** With the eight cells around it, of the same layer. */
function around3(grid: Uint32Array, cell: number, columns: number, cells: number): number {
  let sum = 0;
  for (let line = -columns; line <= columns; line += columns)
    for (let at = cell + line - 1; at <= cell + line + 1; at++) if (at >= 0 && at < cells) sum += grid[at] as number;
  return sum;
}

const EDGE = 1.75;
/** In 3-D groups cover each other: a name farther away would stand at another group. */
const DEEP_EDGE = 1;
const MAX_DEEP_PX = 48;

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
    const around = Math.min(DEEP_EDGE * perUnit * (Math.hypot(...spread) / Math.sqrt(3)), MAX_DEEP_PX);
    const [halfX, halfY] = is2d ? [EDGE * perUnit * spread[0], EDGE * perUnit * spread[1]] : [around, around];
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
