// The colour of every run: its own, or a shared one, and the legend that explains it. Pure.

import { assignColors, type Color, PALETTE } from "./colors";
import { groupRuns, hparamOf, type HParamsOfRuns, labeler, UNGROUPED } from "./groups";
import type { ColorBy } from "../view/view";

export type ColorLegend =
  | { readonly kind: "none" }
  | {
      readonly kind: "groups";
      readonly groups: readonly { readonly label: string; readonly color: Color; readonly count: number }[];
    }
  | {
      readonly kind: "scale";
      readonly name: string;
      readonly low: number;
      readonly high: number;
      readonly isLog: boolean;
    };

export interface RunColors {
  readonly colors: ReadonlyMap<string, Color>;
  readonly legend: ColorLegend;
}

/** For runs without a group. */
export const GREY: Color = { light: "#a3abba", dark: "#5d6779" };

// From dark blue to light yellow: the order is visible with every kind of colour vision, and in grey.
const RAMP: Readonly<Record<keyof Color, readonly string[]>> = {
  light: ["#2a2f8f", "#2f62ab", "#22899a", "#56a56b", "#c9a326"],
  dark: ["#5d6de0", "#4f97d8", "#4fbcae", "#9fce6e", "#f3db55"],
};
/** Numbers over more than this ratio use a logarithmic scale. */
const LOG_RATIO = 50;

export function rampColor(share: number): Color {
  const mix = (stops: readonly string[]): string => {
    const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
    const first = Math.min(Math.floor(place), stops.length - 2);
    return mixHex(stops[first] as string, stops[first + 1] as string, place - first);
  };
  return { light: mix(RAMP.light), dark: mix(RAMP.dark) };
}

function mixHex(a: string, b: string, share: number): string {
  const parts = [1, 3, 5].map((i) => {
    const [from, to] = [Number.parseInt(a.slice(i, i + 2), 16), Number.parseInt(b.slice(i, i + 2), 16)];
    return Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${parts.join("")}`;
}

/** `names` oldest first, so that a newer run does not change other colours. */
export function colorRuns(names: readonly string[], by: ColorBy, hparams: HParamsOfRuns): RunColors {
  if (by === "run") {
    const slots = assignColors(names);
    return {
      colors: new Map([...slots].map(([name, slot]) => [name, PALETTE[slot] as Color])),
      legend: { kind: "none" },
    };
  }
  return (
    (by.startsWith("hparam:") && colorByNumber(names, by.slice("hparam:".length), hparams)) ||
    colorByGroup(names, by, hparams)
  );
}

function colorByGroup(names: readonly string[], by: Exclude<ColorBy, "run">, hparams: HParamsOfRuns): RunColors {
  const label = labeler(by, hparams);
  const groups = groupRuns(names, by, hparams);
  // A group may have the same label as the runs without one.
  const labels = groups.filter(({ runs }) => label(runs[0] as string) !== null).map((group) => group.label);
  const slots = assignColors(labels);
  const colorOf = (run: string): Color => PALETTE[slots.get(label(run) ?? "") ?? -1] ?? GREY;
  const colors = new Map(names.map((name) => [name, label(name) === null ? GREY : colorOf(name)]));
  const listed = groups.map(({ label: title, runs }) => ({
    label: title,
    color: colors.get(runs[0] as string) ?? GREY,
    count: runs.length,
  }));
  // The runs without a group come last.
  listed.sort((a, b) => Number(a.label === UNGROUPED) - Number(b.label === UNGROUPED));
  return { colors, legend: { kind: "groups", groups: listed } };
}

/** Null if the values are not numbers, or fewer than three: then they are groups. */
function colorByNumber(names: readonly string[], hparam: string, hparams: HParamsOfRuns): RunColors | null {
  const values = names.map((name) => hparamOf(hparams, name, hparam));
  const numbers = values.filter((value) => typeof value === "number" && Number.isFinite(value)) as number[];
  if (new Set(numbers).size < 3 || values.some((value) => value !== null && typeof value !== "number")) return null;
  const low = numbers.reduce((a, b) => Math.min(a, b));
  const high = numbers.reduce((a, b) => Math.max(a, b));
  const isLog = low > 0 && high / low > LOG_RATIO;
  const place = (value: number): number =>
    isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const known = new Map<number, Color>();
  const colorOf = (value: unknown): Color => {
    if (typeof value !== "number" || !Number.isFinite(value)) return GREY;
    const color = known.get(value) ?? rampColor(place(value));
    known.set(value, color);
    return color;
  };
  return {
    colors: new Map(names.map((name, i) => [name, colorOf(values[i])])),
    legend: { kind: "scale", name: hparam, low, high, isLog },
  };
}
