// Draws the edges that are visible: lines, arrows, and what stands at them.

import type { Level } from "../answer";
import type { Composed } from "../layout/composed";
import { isGhost } from "../layout/ghosts";
import type { DrawTools, SceneContent, Window } from "./content";
import type { Pen } from "./pen";
import { SHOW_ROUND, TEXT } from "./sizes";

type Edges = Composed["edges"];

/** Below this size on the screen, lines are left out. */
const SHOW_LINES = 0.035;
const CORNER = 7;

interface EdgeLook {
  readonly order: number;
  readonly color: string;
  readonly alpha: number;
  readonly widthPx: number;
  readonly dash: boolean;
}

/** The lines with their arrows. */
export function drawEdges(content: SceneContent, tools: DrawTools): void {
  const { pen, palette } = tools;
  if (pen.zoom < SHOW_LINES) return;
  const { picture, levels, nodes, distances, selected, hovered, dimmed } = content;
  const { edges } = picture;
  const chosen = selected === null ? -1 : (content.places.get(selected) ?? -1);
  const pointed = hovered === null ? -1 : (content.places.get(hovered) ?? -1);
  const chosenEdges = edgesOf(picture, chosen);
  const pointedEdges = edgesOf(picture, pointed);
  // Lines of one look are drawn at once, so that a trunk that many edges share is no darker than a single one.
  const looks = new Map<string, { readonly edges: number[]; readonly look: EdgeLook }>();
  const add = (edge: number, look: EdgeLook): void => {
    const key = `${look.order} ${look.color} ${look.alpha} ${look.dash ? "-" : ""}`;
    const same = looks.get(key);
    if (same) same.edges.push(edge);
    else looks.set(key, { edges: [edge], look });
  };
  for (let edge = 0; edge < edges.from.length; edge++) {
    if (!isLineInView(edges, tools.window, edge)) continue;
    const [from, to] = [edges.from[edge] as number, edges.to[edge] as number];
    const dash = isControl(levels[edges.level[edge] as number] as Level, edges.index[edge] as number);
    const [source, target] = [nodes[from], nodes[to]];
    if ((source && isGhost(source)) || (target && isGhost(target))) {
      add(edge, { order: 3, color: palette.removed, alpha: 1, widthPx: 1.2, dash: true });
      continue;
    }
    if (distances && source && target) {
      const [far, near] = [distances.get(source.id), distances.get(target.id)];
      if (far !== undefined && near !== undefined) {
        const alpha = Math.max(0.45, 1 - Math.round(Math.max(far, near) / 2) * 0.1);
        add(edge, { order: 2, color: palette.accent, alpha, widthPx: 2, dash });
      } else add(edge, { order: 0, color: palette.faint, alpha: 0.4, widthPx: 1.3, dash });
    } else if (chosenEdges.has(edge)) add(edge, { order: 2, color: palette.accent, alpha: 1, widthPx: 2, dash });
    else if (pointedEdges.has(edge)) add(edge, { order: 1, color: palette.accent, alpha: 0.7, widthPx: 1.6, dash });
    else {
      const isDim = source !== undefined && target !== undefined && dimmed.has(source.id) && dimmed.has(target.id);
      add(edge, { order: 0, color: palette.faint, alpha: isDim ? 0.3 : 0.62, widthPx: 1.3, dash });
    }
  }
  // Thin lines vanish when all of a large graph is in view.
  const wider = Math.max(1, 0.42 / pen.zoom);
  for (const { edges: list, look } of [...looks.values()].sort((a, b) => a.look.order - b.look.order)) {
    pen.begin();
    for (const edge of list) addLine(pen, edges, edge);
    pen.stroke(look.color, look.widthPx * wider, look.alpha, look.dash ? [3, 3.5] : []);
    if (pen.zoom < SHOW_ROUND) continue;
    pen.begin();
    for (const edge of list) if (edges.hasArrow[edge]) addArrow(pen, edges, edge);
    pen.fill(look.color, look.alpha);
  }
}

function isLineInView({ start, points }: Edges, { left, right, top, bottom }: Window, edge: number): boolean {
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let k = start[edge] as number; k < (start[edge + 1] as number); k++) {
    const x = points[2 * k] as number;
    const y = points[2 * k + 1] as number;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  return minX < right && maxX > left && minY < bottom && maxY > top;
}

function addLine(pen: Pen, { start, points, hasArrow }: Edges, edge: number): void {
  const [begin, end] = [start[edge] as number, start[edge + 1] as number];
  const x = (k: number): number => points[2 * k] as number;
  const y = (k: number): number => points[2 * k + 1] as number;
  pen.moveTo(x(begin), y(begin));
  const isRound = pen.zoom >= SHOW_ROUND;
  for (let k = begin + 1; k < end; k++) {
    const isLast = k + 1 === end;
    if (isLast) {
      // The line ends inside the arrow, not at its point.
      const [dx, dy] = [x(k) - x(k - 1), y(k) - y(k - 1)];
      const length = Math.hypot(dx, dy);
      const cut = hasArrow[edge] && isRound && length > 5 ? 4 / length : 0;
      pen.lineTo(x(k) - dx * cut, y(k) - dy * cut);
      continue;
    }
    const before = Math.hypot(x(k) - x(k - 1), y(k) - y(k - 1));
    const after = Math.hypot(x(k + 1) - x(k), y(k + 1) - y(k));
    const radius = isRound ? Math.min(CORNER, before / 2, after / 2) : 0;
    if (radius < 0.5) {
      pen.lineTo(x(k), y(k));
      continue;
    }
    pen.lineTo(x(k) + ((x(k - 1) - x(k)) / before) * radius, y(k) + ((y(k - 1) - y(k)) / before) * radius);
    pen.curveTo(x(k), y(k), x(k) + ((x(k + 1) - x(k)) / after) * radius, y(k) + ((y(k + 1) - y(k)) / after) * radius);
  }
}

function addArrow(pen: Pen, { start, points }: Edges, edge: number): void {
  const last = (start[edge + 1] as number) - 1;
  const [x, y] = [points[2 * last] as number, points[2 * last + 1] as number];
  let before = last - 1;
  while (before > (start[edge] as number) && points[2 * before] === x && points[2 * before + 1] === y) before--;
  const [dx, dy] = [x - (points[2 * before] as number), y - (points[2 * before + 1] as number)];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  pen.moveTo(x, y);
  pen.lineTo(x - ux * 6.5 - uy * 3.4, y - uy * 6.5 + ux * 3.4);
  pen.lineTo(x - ux * 6.5 + uy * 3.4, y - uy * 6.5 - ux * 3.4);
  pen.close();
}

/** What stands at the lines. */
export function drawLabels(content: SceneContent, tools: DrawTools): void {
  const { pen, palette } = tools;
  const { picture, levels, distances, nodes } = content;
  const { edges } = picture;
  const { left, right, top, bottom } = tools.window;
  for (let edge = 0; edge < edges.from.length; edge++) {
    const x = edges.labelX[edge] as number;
    const y = edges.labelY[edge] as number;
    if (!(x < right && x > left - 200 && y > top - 20 && y < bottom + 20)) continue;
    const label = labelOf(levels[edges.level[edge] as number] as Level, edges.index[edge] as number);
    const ids = [nodes[edges.from[edge] as number]?.id ?? "", nodes[edges.to[edge] as number]?.id ?? ""];
    const isLit = distances !== null && ids.every((id) => distances.has(id));
    if (label) pen.text(label, x, y, { sizePx: TEXT.labelPx, color: isLit ? palette.accent : palette.muted });
  }
}

/** All pieces of the edges of a node, also those outside of the groups that it is in. */
export function edgesOf({ edges: { from, to }, parent }: Composed, node: number): ReadonlySet<number> {
  const found = new Set<number>();
  if (node < 0) return found;
  // Outside of a group, a piece joins the group itself to the other end.
  const beyond = new Set<number>();
  const pairs = from.length + parent.length;
  const climb = (other: number, isInto: boolean): void => {
    let group = node;
    while (other >= 0 && parent[group] !== parent[other] && (parent[group] as number) >= 0) {
      group = parent[group] as number;
      beyond.add(isInto ? other * pairs + group : group * pairs + other);
    }
  };
  for (let edge = 0; edge < from.length; edge++) {
    if (from[edge] !== node && to[edge] !== node) continue;
    found.add(edge);
    climb((from[edge] === node ? to[edge] : from[edge]) as number, to[edge] === node);
  }
  if (beyond.size > 0)
    for (let edge = 0; edge < from.length; edge++)
      if (beyond.has((from[edge] as number) * pairs + (to[edge] as number))) found.add(edge);
  return found;
}

/** Edges of a level are counted through: those inside, then those that come in, then those that go out. */
function edgeOf({ edges, in: ins = [], out: outs = [] }: Level, index: number): { control?: boolean; label?: string } {
  return edges[index] ?? ins[index - edges.length] ?? outs[index - edges.length - ins.length] ?? {};
}

const isControl = (level: Level, index: number): boolean => edgeOf(level, index).control === true;
const labelOf = (level: Level, index: number): string => edgeOf(level, index).label ?? "";
