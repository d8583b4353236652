// How large each node of a level is drawn, for the layout.

import { formatCount } from "../../../base/count";
import { textWidthPx } from "../../../base/text_width";
import type { Level, LevelNode } from "../answer";
import { isGhost } from "../layout/ghosts";
import { ASIDE, BOX, DISC, type LevelShape } from "../layout/level_shape";
import { ASIDE_ROW_PX, ASIDE_WIDTH_PX, DISC_PX, NODE_PX, PILL_GAP_PX, TEXT, discSign, pillText } from "./sizes";

const MAX_TEXT_PX = 220;
const MIN_WIDTH_PX = 76;
/** Above this many nodes nobody reads them at once, and measuring them takes longer than laying them out. */
const MANY = 5_000;
const LETTER_PX = 6.4;

export function levelShape(level: Level): LevelShape {
  const { nodes, edges, in: ins = [], out: outs = [] } = level;
  const isLarge = nodes.length > MANY;
  const measure = (text: string, sizePx: number): number =>
    isLarge ? (text.length * LETTER_PX * sizePx) / 12 : textWidthPx(text, sizePx);
  const n = nodes.length;
  const [width, height, margin] = [new Float32Array(n), new Float32Array(n), new Float32Array(n)];
  const place = new Uint8Array(n);
  const canOpen = new Uint8Array(n);
  nodes.forEach((node, i) => {
    canOpen[i] = Number(node.can_open === true);
    place[i] = node.is_aside ? ASIDE : discSign(node) ? DISC : BOX;
    width[i] = node.is_aside ? ASIDE_WIDTH_PX : discSign(node) ? DISC_PX : boxWidth(node, measure);
    height[i] = node.is_aside ? ASIDE_ROW_PX : discSign(node) ? DISC_PX : NODE_PX;
    const pill = pillText(node);
    if (pill) margin[i] = PILL_GAP_PX + pillWidth(pill, measure);
  });
  // A shape stands where it changes: not behind a node that it came into.
  const arriving: (Set<string> | undefined)[] = [];
  for (const { to: target, label } of [...edges, ...ins]) if (label) (arriving[target] ??= new Set()).add(label);
  const all = [...edges, ...ins.map((edge) => ({ ...edge, from: -1 })), ...outs.map((edge) => ({ ...edge, to: -1 }))];
  const hasGhost = ({ from, to }: { from: number; to: number }): boolean =>
    [from, to].some((node) => node >= 0 && isGhost(nodes[node] as LevelNode));
  return {
    group: level.group,
    ids: nodes.map(({ id }) => id),
    width,
    height,
    margin,
    canOpen,
    place,
    edges: {
      from: Int32Array.from(all, ({ from }) => from),
      to: Int32Array.from(all, ({ to }) => to),
      outer: all.map((edge) => ("outer" in edge ? edge.outer : "")),
      labelWidth: Float32Array.from(all, ({ from, to, label }) =>
        from < 0 || to < 0 || (label && arriving[from]?.has(label)) ? 0 : labelPx(label, measure),
      ),
      isBack: Uint8Array.from(all, (edge) => Number("is_back" in edge && edge.is_back === true)),
      isWeak: Uint8Array.from(all, (edge) => Number(edge.control === true || hasGhost(edge))),
    },
  };
}

type MeasureText = (text: string, sizePx: number) => number;

/** Room for the name, what stands behind it, and a value on the right that may come later. */
function boxWidth(node: LevelNode, measure: MeasureText): number {
  const name = Math.min(measure(node.label, TEXT.nodePx), MAX_TEXT_PX);
  const side = node.type === "argument" || node.type === "result" ? node.shape : undefined;
  const behind = side ?? (node.can_open ? (node.count ? formatCount(node.count) : "") : (node.op ?? ""));
  const hasBehind = behind !== "" && behind !== node.label;
  const behindPx = hasBehind ? Math.min(measure(behind, TEXT.behindPx), MAX_TEXT_PX / 2) + 8 : 0;
  const times = node.repeats ? measure(`× ${formatCount(node.repeats)}`, TEXT.valuePx) + 12 : 0;
  return Math.ceil(Math.max(MIN_WIDTH_PX, 20 + (node.can_open ? 11 : 0) + name + behindPx + times + VALUE_ROOM_PX));
}

const VALUE_ROOM_PX = 44;

const labelPx = (label: string | undefined, measure: MeasureText): number =>
  label ? Math.ceil(measure(label, TEXT.labelPx)) : 0;

export const pillWidth = (text: string, measure: MeasureText): number => Math.ceil(measure(text, TEXT.labelPx)) + 16;
