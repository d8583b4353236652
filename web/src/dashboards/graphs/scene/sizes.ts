// Sizes and signs of what is drawn, shared by the layout, the scene and the pictures that are exported.

import type { LevelNode } from "../answer";

export const NODE_PX = 26;
export const DISC_PX = 16;
export const ASIDE_WIDTH_PX = 128;
export const ASIDE_ROW_PX = 20;
/** Between a node and the pills at its right. */
export const PILL_GAP_PX = 8;
/** Below this size on the screen, rounded corners and what is as small as they are left out. */
export const SHOW_ROUND = 0.3;
export const TEXT = { nodePx: 12, behindPx: 10.5, valuePx: 11, labelPx: 10 } as const;

/** Ops that join two values are small discs with a sign, wherever they are no group. */
const SIGNS: Readonly<Record<string, string>> = {
  add: "+",
  addv2: "+",
  add_: "+",
  iadd: "+",
  sum: "+",
  addn: "+",
  mul: "×",
  mul_: "×",
  multiply: "×",
  imul: "×",
  sub: "−",
  subtract: "−",
  div: "÷",
  realdiv: "÷",
  truediv: "÷",
  concat: "∥",
  concatv2: "∥",
  cat: "∥",
  concatenate: "∥",
};

/** "aten.add.Tensor", "aten::add_", "AddV2" → "+"; "" for ops that are boxes. */
export function discSign({ type, op, ports }: Pick<LevelNode, "type" | "op" | "ports">): string {
  if (type !== "op" || !op || ports?.some(({ kind }) => kind !== "constant")) return "";
  const name = /^(?:aten|prims|onnx|torch\.ops\.aten)(?:::|\.)(\w+)/.exec(op)?.[1] ?? op;
  return SIGNS[name.toLowerCase()] ?? "";
}

/** What the pill at a node says: the name of what is set aside, or of how many. */
export function pillText({ aside_uses: uses }: Pick<LevelNode, "aside_uses">): string {
  if (!uses || uses.length === 0) return "";
  const [first = ""] = uses;
  const name = first.slice(first.lastIndexOf("/") + 1);
  const short = name.length > 18 ? `${name.slice(0, 17)}…` : name;
  return uses.length === 1 ? short : `${short} + ${uses.length - 1}`;
}
