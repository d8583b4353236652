// What colours the nodes: a category of theirs, a cost, a family of logged values, or values from a file. Colours are
// tints that text can be read on. Pure.

import { readParts, writeParts } from "../../base/parts";
import { mixHex } from "../../state/runs/oklab";
import { type Color, HUES, PALETTE } from "../../state/runs/colors";
import type { LevelNode } from "./answer";

export const CATEGORIES = {
  structure: { label: "Structure", hint: "Equal blocks have equal colours" },
  op: { label: "Operation", hint: "The type of the operation or module" },
  device: { label: "Device", hint: "Where the node ran, or is placed" },
  cluster: { label: "XLA cluster", hint: "Which nodes are compiled together" },
  dtype: { label: "Data type", hint: "Of the first output" },
  connected: { label: "Unconnected", hint: "Nodes without inputs and outputs" },
  tpu: { label: "TPU compatibility", hint: "Which operations a TPU can run" },
} as const;
export type Category = keyof typeof CATEGORIES;

export const MEASURES = {
  time: { label: "Time", hint: "From the step statistics or the profile of the run", unit: "us" },
  memory: { label: "Memory", hint: "From the step statistics or the profile of the run", unit: "bytes" },
  parameters: { label: "Parameters", hint: "Weights that the node holds", unit: "count" },
  flops: { label: "FLOPs", hint: "Floating-point operations, from shapes", unit: "count" },
} as const;
export type Measure = keyof typeof MEASURES;

export const STATISTICS = {
  mean: "mean",
  std: "standard deviation",
  min: "smallest",
  max: "largest",
  zeros: "zeros",
} as const;
export type Statistic = keyof typeof STATISTICS;

export type ColorBy =
  | { readonly kind: "category"; readonly category: Category }
  | { readonly kind: "measure"; readonly measure: Measure }
  /** Values of a training: those tags whose names name nodes. */
  | { readonly kind: "family"; readonly family: string; readonly run: string; readonly statistic: Statistic }
  /** Values from a file that the user gave. */
  | { readonly kind: "values" };

const isIn = <T extends object>(names: T, name: string): name is string & keyof T => Object.hasOwn(names, name);

/** As the address has it; "" is the default. */
export function colorId(by: ColorBy): string {
  switch (by.kind) {
    case "category":
      return by.category === "structure" ? "" : by.category;
    case "measure":
      return by.measure;
    case "family":
      return writeParts(["family", by.family, by.run, by.statistic]);
    case "values":
      return "values";
  }
}

export function readColor(id: string): ColorBy {
  if (isIn(CATEGORIES, id)) return { kind: "category", category: id };
  if (isIn(MEASURES, id)) return { kind: "measure", measure: id };
  if (id === "values") return { kind: "values" };
  const [kind, family, run = "", statistic = ""] = readParts(id);
  if (kind === "family" && family !== undefined)
    return { kind: "family", family, run, statistic: isIn(STATISTICS, statistic) ? statistic : "mean" };
  return { kind: "category", category: "structure" };
}

// One hue for what is measured: blue is the selection, green, red and violet the difference, yellow a match.
const RAMP: Readonly<Record<keyof Color, readonly string[]>> = {
  light: ["#fefcf8", "#fef0d6", "#fccb86", "#e97c37", "#b03e0c"],
  dark: ["#1c2029", "#332a24", "#6e431e", "#cf7a2b", "#ffcb7d"],
};
const SURFACE: Color = { light: "#ffffff", dark: "#151a22" };
const DARK_INK = "#1a2030";
const LIGHT_INK = "#ffffff";

/** `at`: from 0 to 1. */
export function rampColor(at: number, theme: keyof Color): string {
  const stops = RAMP[theme];
  const place = Math.min(Math.max(at, 0), 1) * (stops.length - 1);
  const first = Math.min(Math.floor(place), stops.length - 2);
  return mixHex(stops[first] as string, stops[first + 1] as string, place - first);
}

/** What can be read on a colour. */
export function inkOn(color: string): string {
  const linear = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const [red = 0, green = 0, blue = 0] = linear;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.24 ? DARK_INK : LIGHT_INK;
}

const TINT: Readonly<Record<keyof Color, number>> = { light: 0.2, dark: 0.3 };
/** The n-th category, as a tint of the palette of runs. */
export function tintOf(index: number, theme: keyof Color): string {
  const color = PALETTE[index % PALETTE.length] as Color;
  return mixHex(SURFACE[theme], color[theme], TINT[theme]);
}
/** The n-th category in the legend. */
export const swatchOf = (index: number, theme: keyof Color): string =>
  (PALETTE[index % PALETTE.length] as Color)[theme];

export interface Entry {
  readonly value: string;
  readonly label: string;
  readonly count: number;
  /** Of its colour; -1: it has none, because there are more categories than colours. */
  readonly index: number;
}

/** Of a node, or of some inside a closed group. */
export const NOT_ON_TPU = "cannot run";

/** "": the node has none. */
export function categoryOf(node: LevelNode, category: Category): string {
  switch (category) {
    case "structure":
      return node.structure === undefined || node.structure === null ? "" : String(node.structure);
    case "op":
      return node.op ?? "";
    case "device":
      return node.device ?? "";
    case "cluster":
      return node.cluster ?? "";
    case "dtype":
      return node.dtype ?? "";
    case "connected":
      return node.is_connected === false ? "unconnected" : "";
    case "tpu":
      return typeof node.tpu !== "number" ? "" : node.tpu < 1 ? NOT_ON_TPU : "can run";
  }
}

const MAX_ENTRIES = 200;
const COLORS = 2 * HUES;

/** Entries of the legend, the commonest first. `counts`: of the whole graph; otherwise of the nodes that are shown. */
export function makeEntries(
  nodes: Iterable<LevelNode>,
  category: Category,
  counts: readonly { readonly name: string; readonly count: number }[] | null,
): Entry[] {
  const found = new Map<string, { label: string; count: number }>();
  for (const node of nodes) {
    const value = categoryOf(node, category);
    if (value === "") continue;
    const entry = found.get(value);
    // What is one of a kind among operations says nothing about structure.
    if (entry) entry.count++;
    else found.set(value, { label: category === "structure" ? structureLabel(node) : value, count: 1 });
  }
  for (const { name, count } of counts ?? []) if (name !== "") found.set(name, { label: name, count });
  const isStructure = category === "structure";
  return [...found]
    .filter(([, { count }]) => !isStructure || count > 1)
    .sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .slice(0, MAX_ENTRIES)
    .map(([value, entry], i) => ({ value, ...entry, index: i < COLORS ? i : -1 }));
}

const structureLabel = ({ op, label }: LevelNode): string => op || label;

/** A scale from values to places on the ramp. */
export interface ValueScale {
  readonly low: number;
  readonly high: number;
  readonly isLog: boolean;
}

/** From 0 to 1. */
export function placeOn({ low, high, isLog }: ValueScale, value: number): number {
  if (!(high > low)) return 0.5;
  const at =
    isLog && low > 0 ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(Math.max(at, 0), 1);
}
export const valueAt = ({ low, high, isLog }: ValueScale, place: number): number =>
  isLog && low > 0 ? low * (high / low) ** place : low + (high - low) * place;

/** Round values along the scale, no more than about six. */
export function scaleTicks(scale: ValueScale): number[] {
  const { low, high, isLog } = scale;
  if (!(high > low)) return [low];
  if (isLog && low > 0) {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const digit of [1, 3]) {
        const tick = digit * 10 ** power;
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
      }
    const rough = ticks.length > 7 ? ticks.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9) : ticks;
    const stride = Math.ceil(rough.length / 7);
    const kept = rough.filter((_, i) => i % stride === 0);
    return kept.length >= 2 ? kept : [low, high];
  }
  const raw = (high - low) / 4;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 5, 10].find((each) => each * unit >= raw) ?? 10);
  const ticks: number[] = [];
  // By counting: added up, steps of 0.2 miss 0.
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-6; i++)
    ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}
