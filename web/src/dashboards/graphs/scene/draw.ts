// Draws what is visible of a graph with a pen: open groups, edges, nodes, and what lies on top of them. What would be
// too small to read is left out.

import { formatCount } from "../../../base/count";
import type { Level, LevelNode, NodeState } from "../answer";
import type { NodePaint } from "../graph_state.svelte";
import { isGhost } from "../layout/ghosts";
import type { DrawTools, MeasureText, SceneContent } from "./content";
import { drawEdges, drawLabels } from "./draw_edges";
import { borderOf, type Palette } from "./palette";
import type { Pen } from "./pen";
import { discSign, NODE_PX, PILL_GAP_PX, pillText, SHOW_ROUND, TEXT } from "./sizes";

type FitText = (text: string, sizePx: number, maxPx: number, isBold?: boolean) => string;

/** Below these sizes on the screen, text of nodes and what stands behind it are left out. */
const READ_NAME = 0.42;
const READ_REST = 0.58;
const RADIUS = 6;
const PANEL_RADIUS = 9;
const DIM = 0.5;
const STACK = 4;
/** A text that is cut has more letters than this. */
const LEAST_LETTERS = 4;

export function drawScene(content: SceneContent, tools: DrawTools): void {
  new Drawing(content, tools).draw();
}

class Drawing {
  readonly #fit: FitText;
  readonly #margin: number;

  constructor(
    private readonly content: SceneContent,
    private readonly tools: DrawTools,
  ) {
    const { measure } = tools;
    this.#fit = (text, sizePx, maxPx, isBold) => fitText(text, sizePx, maxPx, measure, isBold);
    this.#margin = 90;
  }

  draw(): void {
    const { picture } = this.content;
    const visible: number[] = [];
    for (let i = 0; i < picture.x.length; i++) if (this.#isInView(i)) visible.push(i);
    for (const i of visible) if (picture.isOpen[i]) this.#panel(i);
    this.#asideBoxes();
    drawEdges(this.content, this.tools);
    // Over the lines that come in from above.
    if (this.tools.pen.zoom >= READ_NAME) for (const i of visible) if (picture.isOpen[i]) this.#title(i);
    this.#nodes(visible.filter((i) => !picture.isOpen[i]));
    if (this.tools.pen.zoom >= READ_REST) drawLabels(this.content, this.tools);
    for (const i of visible) this.#marks(i);
    if (this.tools.pen.zoom < READ_NAME) this.#farTitles(visible);
  }

  #isInView(i: number): boolean {
    const { picture } = this.content;
    const { left, right, top, bottom } = this.tools.window;
    const x = picture.x[i] as number;
    const y = picture.y[i] as number;
    return (
      x - this.#margin < right &&
      x + (picture.width[i] as number) + this.#margin > left &&
      y - this.#margin < bottom &&
      y + (picture.height[i] as number) + this.#margin > top
    );
  }

  #box(i: number): readonly [x: number, y: number, width: number, height: number] {
    const { x, y, width, height } = this.content.picture;
    return [x[i] as number, y[i] as number, width[i] as number, height[i] as number];
  }

  #alpha(id: string): number {
    const { distances, dimmed } = this.content;
    return (distances && !distances.has(id)) || dimmed.has(id) ? DIM : 1;
  }

  #depth(i: number): number {
    const { parent } = this.content.picture;
    let depth = 0;
    for (let at = parent[i] as number; at >= 0; at = parent[at] as number) depth++;
    return depth;
  }

  #panel(i: number): void {
    const { pen, palette } = this.tools;
    const node = this.content.nodes[i] as LevelNode;
    const [x, y, width, height] = this.#box(i);
    const fill = palette.panels[this.#depth(i) % 3] as string;
    const line = 1 / Math.min(1, Math.max(pen.zoom, 0.3));
    for (let card = node.repeats && pen.zoom >= 0.15 ? 2 : 0; card >= 0; card--) {
      pen.begin();
      pen.box(x + card * STACK, y + card * STACK, width, height, PANEL_RADIUS);
      pen.fill(fill);
      pen.stroke(palette.borderStrong, line);
    }
    this.#ring(i, x, y, width, height, PANEL_RADIUS);
  }

  #title(i: number): void {
    const { pen, palette } = this.tools;
    const node = this.content.nodes[i] as LevelNode;
    const [x, y, width] = this.#box(i);
    const fill = palette.panels[this.#depth(i) % 3] as string;
    chevron(pen, x + 11, y + 14, true, palette.muted);
    let right = x + width - 12;
    const paint = this.content.paint.get(node.id);
    if (node.repeats) {
      const times = `× ${formatCount(node.repeats)}`;
      const pill = this.tools.measure(times, TEXT.valuePx, true) + 16;
      pen.begin();
      pen.box(right - pill + 2, y + 6, pill, 17, 8.5);
      pen.fill(palette.text);
      pen.text(times, right + 2 - pill / 2, y + 18.3, {
        sizePx: TEXT.valuePx,
        color: palette.surface,
        isBold: true,
        anchor: "middle",
      });
      right -= pill + 4;
    }
    if (paint?.text) {
      pen.text(paint.text, right, y + 18, { sizePx: TEXT.valuePx, color: palette.muted, anchor: "end" });
      right -= this.tools.measure(paint.text, TEXT.valuePx) + 8;
    }
    const name = this.#fit(node.label, TEXT.nodePx, right - x - 25, true);
    const namePx = this.tools.measure(name, TEXT.nodePx, true);
    const behind = pen.zoom < READ_REST ? "" : behindOf(node, true);
    const room = right - x - 25 - namePx - 7;
    const behindText = behind && room > 24 ? this.#fit(behind, TEXT.valuePx, room) : "";
    const behindPx = behindText ? 7 + this.tools.measure(behindText, TEXT.valuePx) : 0;
    pen.begin();
    pen.box(x + 22, y + 5, namePx + behindPx + 6, 17, 3);
    pen.fill(fill);
    pen.text(name, x + 25, y + 18, { sizePx: TEXT.nodePx, color: palette.text, isBold: true });
    if (behindText) pen.text(behindText, x + 32 + namePx, y + 18, { sizePx: TEXT.valuePx, color: palette.faint });
  }

  #mark(x: number, y: number, width: number): void {
    const { pen, palette } = this.tools;
    pen.begin();
    pen.box(x, y, width, 16, 3);
    pen.fill(palette.mark);
  }

  #ring(i: number, x: number, y: number, width: number, height: number, radius: number): void {
    const { pen, palette } = this.tools;
    const { selected, alsoSelected, hovered, currentMatch } = this.content;
    const id = (this.content.nodes[i] as LevelNode).id;
    const wide = 1 / Math.min(1, Math.max(pen.zoom, 0.08));
    if (id === selected || alsoSelected.has(id)) {
      pen.begin();
      pen.box(x - 4.5, y - 4.5, width + 9, height + 9, radius + 4);
      if (!this.content.picture.isOpen[i]) pen.fill(palette.accentSoft);
      pen.stroke(palette.accent, 2 * wide);
    } else if (id === currentMatch) {
      pen.begin();
      pen.box(x - 3, y - 3, width + 6, height + 6, radius + 3);
      pen.stroke(palette.mark, 2.5 * wide);
    } else if (id === hovered) {
      pen.begin();
      pen.box(x - 2, y - 2, width + 4, height + 4, radius + 2);
      pen.stroke(palette.accent, 1.2 * wide, 0.7);
    }
  }

  #asideBoxes(): void {
    const { pen, palette } = this.tools;
    const { asides } = this.content.picture;
    for (let k = 0; k < asides.length; k += 5) {
      const [level, x, y, width, height] = Array.from(asides.subarray(k, k + 5)) as [
        number,
        number,
        number,
        number,
        number,
      ];
      pen.begin();
      pen.box(x, y, width, height, PANEL_RADIUS);
      pen.stroke(palette.borderStrong, 1, 1, [4, 3]);
      if (pen.zoom < READ_NAME) continue;
      const count = (this.content.levels[level] as Level).nodes.filter((node) => node.is_aside).length;
      pen.text("Set aside", x + 12, y + 19, { sizePx: TEXT.nodePx, color: palette.text, isBold: true });
      pen.text(String(count), x + width - 12, y + 19, { sizePx: TEXT.valuePx, color: palette.faint, anchor: "end" });
    }
  }

  #nodes(list: readonly number[]): void {
    const { pen } = this.tools;
    if (pen.zoom >= READ_NAME) for (const i of list) this.#node(i);
    else this.#smallNodes(list);
  }

  /** Boxes alone, those of one colour at once. */
  #smallNodes(list: readonly number[]): void {
    const { pen, palette } = this.tools;
    const looks = new Map<string, number[]>();
    for (const i of list) {
      const node = this.content.nodes[i] as LevelNode;
      const fill = isGhost(node) ? palette.panels[0] : (this.content.paint.get(node.id)?.color ?? palette.surface);
      const isMatch = this.content.matches.has(node.id);
      const key = `${isMatch ? palette.mark : fill}|${this.#alpha(node.id)}`;
      const same = looks.get(key);
      if (same) same.push(i);
      else looks.set(key, [i]);
    }
    const hasBorder = pen.zoom * NODE_PX > 3.5;
    for (const [key, members] of looks) {
      const [fill, alpha] = key.split("|") as [string, string];
      pen.begin();
      for (const i of members) {
        const [x, y, width, height] = this.#box(i);
        pen.box(x, y, width, height, RADIUS);
      }
      pen.fill(fill, Number(alpha));
      const isPlain = fill === palette.surface;
      if (hasBorder || isPlain)
        pen.stroke(
          isPlain ? palette.borderStrong : borderOf(fill, palette.edgeMix),
          hasBorder ? Math.max(1, 0.6 / pen.zoom) : 0.4 / pen.zoom,
          Number(alpha),
        );
    }
    for (const i of list) this.#ring(i, ...this.#box(i), RADIUS);
  }

  #node(i: number): void {
    const { pen, palette, measure } = this.tools;
    const { paint: paints, matches, loading } = this.content;
    const node = this.content.nodes[i] as LevelNode;
    const [x, y, width, height] = this.#box(i);
    const alpha = this.#alpha(node.id);
    if (isGhost(node)) return this.#ghost(node, x, y, width, height);
    const sign = node.is_aside ? "" : discSign(node);
    const paint = paints.get(node.id);
    if (sign) return this.#disc(i, sign, x + width / 2, y + height / 2, paint, alpha);
    if (node.is_aside) return this.#aside(i, node, x, y, width, height, alpha);
    const isEnd = node.type === "argument" || node.type === "result";
    const radius = isEnd ? height / 2 : RADIUS;
    const fill = paint?.color ?? palette.surface;
    const ink = paint?.ink ?? palette.text;
    const border = paint?.color ? borderOf(paint.color, palette.edgeMix) : palette.borderStrong;
    this.#ring(i, x, y, width, height, radius);
    for (let card = node.repeats || node.type === "series" ? 2 : 0; card >= 0; card--) {
      pen.begin();
      pen.box(x + card * STACK, y + card * STACK, width, height, radius);
      // What is dimmed must not let the line below it through.
      if (alpha < 1) pen.fill(palette.background);
      pen.fill(fill, alpha);
      pen.stroke(node.id === this.content.selected ? palette.accent : border, 1, alpha);
    }
    const middle = y + height / 2 + 4.2;
    let right = x + width - (isEnd ? 13 : 9);
    let left = x + (isEnd ? 13 : 10);
    const value = paint?.text ?? (isEnd ? (node.shape ?? "") : "");
    if (value) {
      const color = isEnd && !paint ? palette.faint : ink;
      pen.text(value, right, middle, { sizePx: TEXT.behindPx, color, anchor: "end", alpha: alpha * (paint ? 0.8 : 1) });
      right -= measure(value, TEXT.behindPx) + 8;
    }
    if (node.repeats) {
      const times = `× ${formatCount(node.repeats)}`;
      pen.text(times, right, middle, { sizePx: TEXT.valuePx, color: ink, isBold: true, anchor: "end", alpha });
      right -= measure(times, TEXT.valuePx, true) + 8;
    }
    if (node.can_open) {
      chevron(pen, left - 1, y + height / 2, false, ink, alpha);
      left += 11;
    }
    const name = this.#fit(node.label, TEXT.nodePx, right - left);
    const namePx = measure(name, TEXT.nodePx);
    const isMatch = !node.can_open && matches.has(node.id);
    if (isMatch) this.#mark(left - 3, y + 5, namePx + 6);
    pen.text(name, left, middle, { sizePx: TEXT.nodePx, color: isMatch ? palette.onMark : ink, alpha });
    if (pen.zoom < READ_REST) return;
    const behind = loading.has(node.id) ? "…" : isEnd ? "" : behindOf(node);
    const room = right - left - namePx - 7;
    const seen = behind && room > 12 ? this.#fit(behind, TEXT.behindPx, room) : "";
    // Two or three letters of an operation say nothing.
    if (seen && (seen === behind || seen.length > LEAST_LETTERS))
      pen.text(seen, left + namePx + 7, middle, {
        sizePx: TEXT.behindPx,
        color: paint ? ink : palette.muted,
        alpha: alpha * (paint ? 0.66 : 1),
      });
    const ports = Math.min(node.ports?.length ?? 0, 3);
    if (ports > 0) {
      pen.begin();
      for (let port = 0; port < ports; port++)
        pen.circle(x, y + height / 2 + (port - (ports - 1) / 2) * Math.min(8, (height - 6) / ports), 2.6);
      pen.fill(palette.surface);
      pen.stroke(border, 1, alpha);
    }
    const pill = pillText(node);
    const { selected, hovered } = this.content;
    const isLit = node.aside_uses?.some((id) => id === selected || id === hovered) ?? false;
    if (pill) this.#pill(pill, x + width, y + height / 2, alpha, isLit);
  }

  #ghost(node: LevelNode, x: number, y: number, width: number, height: number): void {
    const { pen, palette } = this.tools;
    pen.begin();
    pen.box(x, y, width, height, RADIUS);
    pen.fill(palette.panels[2]);
    pen.stroke(palette.removed, 1, 1, [4, 3]);
    pen.text(this.#fit(node.label, TEXT.nodePx, width - 20), x + 11, y + height / 2 + 4.2, {
      sizePx: TEXT.nodePx,
      color: palette.removed,
    });
    badge(pen, palette, x + width - 1, y + 1, "removed");
  }

  #disc(i: number, sign: string, x: number, y: number, paint: NodePaint | undefined, alpha: number): void {
    const { pen, palette } = this.tools;
    const { distances, selected } = this.content;
    const id = (this.content.nodes[i] as LevelNode).id;
    const isLit = id === selected || (distances?.has(id) ?? false);
    const [bx, by, width, height] = this.#box(i);
    this.#ring(i, bx, by, width, height, height / 2);
    pen.begin();
    pen.circle(x, y, 8);
    if (alpha < 1) pen.fill(palette.background);
    pen.fill(paint?.color ?? palette.surface, alpha);
    const border = paint?.color ? borderOf(paint.color, palette.edgeMix) : palette.borderStrong;
    pen.stroke(isLit ? palette.accent : border, 1.3, alpha);
    const color = paint?.ink ?? (isLit ? palette.accent : palette.muted);
    pen.begin();
    const arm = 3.6;
    const slant = arm * 0.74;
    if (sign === "+" || sign === "−" || sign === "÷") {
      pen.moveTo(x - arm, y);
      pen.lineTo(x + arm, y);
    }
    if (sign === "+") {
      pen.moveTo(x, y - arm);
      pen.lineTo(x, y + arm);
    } else if (sign === "×") {
      pen.moveTo(x - slant, y - slant);
      pen.lineTo(x + slant, y + slant);
      pen.moveTo(x - slant, y + slant);
      pen.lineTo(x + slant, y - slant);
    } else if (sign === "∥") {
      pen.moveTo(x - 1.7, y - arm);
      pen.lineTo(x - 1.7, y + arm);
      pen.moveTo(x + 1.7, y - arm);
      pen.lineTo(x + 1.7, y + arm);
    }
    pen.stroke(color, 1.3, alpha);
    if (sign !== "÷") return;
    pen.begin();
    pen.circle(x, y - 3, 0.9);
    pen.circle(x, y + 3, 0.9);
    pen.fill(color, alpha);
  }

  #aside(i: number, node: LevelNode, x: number, y: number, width: number, height: number, alpha: number): void {
    const { pen, palette, measure } = this.tools;
    this.#ring(i, x, y, width, height, height / 2);
    pen.begin();
    pen.box(x, y, width, height, height / 2);
    pen.fill(this.content.paint.get(node.id)?.color ?? palette.surface);
    pen.stroke(palette.border, 1);
    const uses = node.uses ? `${node.uses} ×` : "";
    if (uses)
      pen.text(uses, x + width - 9, y + 14, {
        sizePx: TEXT.behindPx,
        color: palette.faint,
        anchor: "end",
        alpha,
      });
    const name = this.#fit(node.label, TEXT.valuePx, width - 26 - measure(uses, TEXT.behindPx));
    if (this.content.matches.has(node.id)) this.#mark(x + 7, y + 2, measure(name, TEXT.valuePx) + 6);
    pen.text(name, x + 10, y + 14, { sizePx: TEXT.valuePx, color: palette.text, alpha });
  }

  /** At a node: what it uses of the nodes that are set aside. */
  #pill(text: string, x: number, y: number, alpha: number, isLit: boolean): void {
    const { pen, palette, measure } = this.tools;
    const width = measure(text, TEXT.labelPx) + 16;
    pen.begin();
    pen.moveTo(x, y);
    pen.lineTo(x + PILL_GAP_PX, y);
    pen.stroke(isLit ? palette.accent : palette.faint, 1, alpha, [2, 3]);
    pen.begin();
    pen.box(x + PILL_GAP_PX, y - 8.5, width, 17, 8.5);
    pen.fill(palette.surface, alpha);
    pen.stroke(isLit ? palette.accent : palette.borderStrong, isLit ? 1.5 : 1, alpha, isLit ? [] : [3, 2.5]);
    pen.text(text, x + PILL_GAP_PX + width / 2, y + 3.6, {
      sizePx: TEXT.labelPx,
      color: isLit ? palette.accent : palette.muted,
      anchor: "middle",
      alpha,
    });
  }

  /** Matches inside closed groups, and what differs from another graph. */
  #marks(i: number): void {
    const { pen, palette } = this.tools;
    if (pen.zoom < SHOW_ROUND) return;
    const { matches, states, picture } = this.content;
    const node = this.content.nodes[i] as LevelNode;
    const [x, y, width] = this.#box(i);
    const count = matches.get(node.id);
    if (count !== undefined && node.can_open && !picture.isOpen[i]) {
      const text = count > 999 ? "999+" : String(count);
      const wide = Math.max(16, this.tools.measure(text, TEXT.labelPx, true) + 9);
      pen.begin();
      pen.box(x - 7, y - 6, wide, 14, 4);
      pen.fill(palette.mark);
      pen.stroke(palette.panels[2], 1.5);
      pen.text(text, x - 7 + wide / 2, y + 4.8, {
        sizePx: TEXT.labelPx,
        color: palette.onMark,
        isBold: true,
        anchor: "middle",
      });
    }
    const state = states.get(node.id);
    if (state && state !== "same" && !(state === "inside" && picture.isOpen[i]))
      badge(pen, palette, x + width - 1, y + 1, state);
  }

  /** Names of open groups that are still large on the screen, in letters that can be read. Outer groups come first. */
  #farTitles(list: readonly number[]): void {
    const { pen, palette, measure } = this.tools;
    const { picture } = this.content;
    const px = 1 / pen.zoom;
    const taken: (readonly [number, number, number, number])[] = [];
    for (const i of list) {
      if (!picture.isOpen[i]) continue;
      const node = this.content.nodes[i] as LevelNode;
      const [x, y, width, height] = this.#box(i);
      if (height < 40 * px || width < 56 * px) continue;
      const name = fitText(node.label, TEXT.labelPx, width * pen.zoom - 14, measure, true);
      const label = [x + 2 * px, y + 2 * px, (measure(name, TEXT.labelPx, true) + 6) * px, 14 * px] as const;
      const isTaken = taken.some(
        ([left, top, wide, high]) =>
          left < label[0] + label[2] && label[0] < left + wide && top < label[1] + label[3] && label[1] < top + high,
      );
      if (isTaken || name === "") continue;
      taken.push(label);
      pen.begin();
      pen.box(...label, 3 * px);
      pen.fill(palette.panels[this.#depth(i) % 3] as string, 0.85);
      pen.text(name, x + 5 * px, y + 12.5 * px, { sizePx: TEXT.labelPx * px, color: palette.text, isBold: true });
    }
  }
}

/** What stands behind a name: how many ops are in a closed group, the class of an open one, the op of a node. */
export function behindOf({ op = "", label, count, can_open: canOpen }: LevelNode, isOpen = false): string {
  if (canOpen && !isOpen) return count ? formatCount(count) : "";
  return op === label ? "" : op;
}

function chevron(pen: Pen, x: number, y: number, isOpen: boolean, color: string, alpha = 1): void {
  pen.begin();
  if (isOpen) {
    pen.moveTo(x, y - 2);
    pen.lineTo(x + 3.5, y + 2);
    pen.lineTo(x + 7, y - 2);
  } else {
    pen.moveTo(x + 1, y - 3.5);
    pen.lineTo(x + 5, y);
    pen.lineTo(x + 1, y + 3.5);
  }
  pen.stroke(color, 1.4, alpha);
}

function badge(pen: Pen, palette: Palette, x: number, y: number, state: NodeState): void {
  const color = state === "added" ? palette.added : state === "removed" ? palette.removed : palette.changed;
  pen.begin();
  pen.circle(x, y, 8.5);
  pen.fill(palette.panels[2]);
  pen.begin();
  pen.circle(x, y, 6.7);
  pen.fill(state === "inside" ? palette.surface : color);
  if (state === "inside") {
    pen.stroke(color, 1.3);
    pen.begin();
    pen.circle(x, y, 2);
    pen.fill(color);
    return;
  }
  pen.begin();
  if (state === "changed") {
    pen.moveTo(x - 3.2, y + 0.8);
    pen.curveTo(x - 1.8, y - 2.2, x, y);
    pen.curveTo(x + 1.8, y + 2.2, x + 3.2, y - 0.8);
  } else {
    pen.moveTo(x - 3, y);
    pen.lineTo(x + 3, y);
    if (state === "added") {
      pen.moveTo(x, y - 3);
      pen.lineTo(x, y + 3);
    }
  }
  pen.stroke(palette.surface, 1.7);
}

/** The text, or as much of it as fits, with "…". */
export function fitText(text: string, sizePx: number, maxPx: number, measure: MeasureText, isBold = false): string {
  // Names may be 10 kB long.
  const start = text.length > 120 ? text.slice(0, 120) : text;
  if (start.length === text.length && measure(text, sizePx, isBold) <= maxPx) return text;
  let [low, high] = [0, start.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${start.slice(0, middle)}…`, sizePx, isBold) <= maxPx) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${start.slice(0, low)}…`;
}
