// How a line looks: colour by run, dashes by tag. A few lines are bold, a thousand are thin and translucent. Pure.

import type { Area, AxisSide, Stroke } from "../chart/model";
import type { CardBand, CardLine, CardSpec, LineRole } from "./card_model";

const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [12, 6]];

/** The dashes of a panel's tags, in their order; the first is solid. */
export const dashOf = (spec: CardSpec, tag: string): readonly number[] =>
  DASHES[Math.max(0, spec.tags.indexOf(tag)) % DASHES.length] as readonly number[];

export const sideOf = (spec: CardSpec, tag: string): AxisSide => (spec.right.includes(tag) ? "right" : "left");

export function strokeStyle(lines: number, role: LineRole, theme: "light" | "dark"): Pick<Stroke, "widthPx" | "alpha"> {
  if (role === "earlier") return { widthPx: 1, alpha: (theme === "dark" ? 0.45 : 0.38) * (lines > 20 ? 0.6 : 1) };
  if (role === "raw") return { widthPx: 1, alpha: (theme === "dark" ? 0.3 : 0.24) * (lines > 20 ? 0.6 : 1) };
  if (lines <= 30) return { widthPx: role === "center" ? 2 : 1.6, alpha: 1 };
  // Wider lines cost eight times as much to draw.
  return { widthPx: 1, alpha: lines <= 150 ? 0.85 : 0.45 };
}

const EARLIER_DASH = [3, 3];

export function strokesOf(
  spec: CardSpec,
  lines: readonly CardLine[],
  firstFound: number,
  theme: "light" | "dark",
  color: (run: string) => string,
): Stroke[] {
  // Lines share most of their look, which is made once.
  const looks = new Map<string, Omit<Stroke, "color">>();
  return lines.map((line) => {
    const key = `${line.role} ${line.tag}`;
    let look = looks.get(key);
    if (!look) {
      const dash = line.role === "earlier" ? EARLIER_DASH : dashOf(spec, line.tag);
      look = { ...strokeStyle(lines.length - firstFound, line.role, theme), dash, axis: sideOf(spec, line.tag) };
      looks.set(key, look);
    }
    return { color: color(line.run), ...look };
  });
}

export function areasOf(
  spec: CardSpec,
  bands: readonly CardBand[],
  theme: "light" | "dark",
  color: (group: string) => string,
): Area[] {
  const alpha = (theme === "dark" ? 0.22 : 0.16) * (bands.length > 8 ? 0.6 : 1);
  return bands.map(({ group, tag, low, high }) => ({
    table: low.table,
    low: low.y,
    high: high.y,
    color: color(group),
    alpha,
    axis: sideOf(spec, tag),
  }));
}
