// The colour and the dashes of every run: its own, or those of its group, and the legend that explains them. Pure.

import { assignColors, type Color, deep, faded, once, PALETTE, tellApart } from "./colors";
import { type Trainings, trainingOfGroup, findTrainings, type Look } from "./trainings";
import { groupRuns, hparamOf, type HParamsOfRuns, labeler, UNGROUPED } from "./groups";
import { mixHex } from "./oklab";
import type { ColorBy, GroupBy } from "../view/view";

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
  /** How the lines of runs differ from their colour where they meet other parts of their training. */
  readonly looks: ReadonlyMap<string, Look>;
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

const ramped = new Map<number, Color>();
const MAX_RAMPED = 10_000;

/** The same object for the same share, so that equal colours are seen to be equal. */
export function rampColor(share: number): Color {
  let color = ramped.get(share);
  if (!color) {
    if (ramped.size >= MAX_RAMPED) ramped.clear();
    ramped.set(share, (color = mixRamp(share)));
  }
  return color;
}

function mixRamp(share: number): Color {
  const mix = (stops: readonly string[]): string => {
    const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
    const first = Math.min(Math.floor(place), stops.length - 2);
    return mixHex(stops[first] as string, stops[first + 1] as string, place - first);
  };
  return { light: mix(RAMP.light), dark: mix(RAMP.dark) };
}

/** Which runs are shown together, and the colours that the user gave to some of them. */
export interface Shown {
  readonly runs: readonly string[];
  readonly own: ReadonlyMap<string, string>;
  /** Runs that the user hid: a scale of colours is not for them. */
  readonly hidden?: ReadonlyMap<string, boolean>;
}
const NOTHING: Shown = { runs: [], own: new Map() };

const HEX = /^#[0-9a-f]{6}$/i;

export const shadeOf = (color: Color, look: Look | undefined): Color =>
  look?.shade === "faded" ? faded(color) : look?.shade === "deep" ? deep(color) : color;

/**
 * `names` oldest first, so that a newer run does not change other colours. Runs or groups that are shown together are
 * told apart.
 */
export function colorRuns(
  names: readonly string[],
  by: ColorBy,
  hparams: HParamsOfRuns,
  shown: Shown = NOTHING,
  trainings: Trainings = findTrainings(names),
): RunColors {
  const { looks } = trainings;
  if (by === "run") return { colors: colorTrainings(names, trainings, shown, (run) => run), legend: NO_LEGEND, looks };
  const colored =
    (by.startsWith("hparam:") && colorByNumber(names, by.slice("hparam:".length), hparams, shown)) ||
    colorByGroup(names, by, hparams, shown);
  // The shade of a colour that stands for a value would be another value.
  return { ...colored, looks: new Map([...looks].map(([name, { dash }]) => [name, dashed(dash)])) };
}

const dashed = once((dash: readonly number[]): Look => ({ shade: "own", dash }));

/**
 * The colours of runs whose charts show a band per group: those of their groups. Runs that are coloured by something
 * else keep it where it is the same in the whole group.
 */
export function colorBands(
  names: readonly string[],
  groupBy: Exclude<GroupBy, "">,
  hparams: HParamsOfRuns,
  shown: readonly string[],
  by: ColorBy,
): RunColors {
  const bands = colorByGroup(names, groupBy, hparams, { runs: shown, own: NOTHING.own });
  const label = labeler(groupBy, hparams);
  const looks = new Map(
    names.flatMap((name) => {
      const look = bands.looks.get(label(name) ?? "");
      return look ? [[name, dashed(look.dash)] as const] : [];
    }),
  );
  const { colors, legend } = by === "run" ? { ...bands, legend: NO_LEGEND } : colorRuns(names, by, hparams);
  const common = new Map(bands.colors);
  for (const { runs } of by === "run" ? [] : groupRuns(names, groupBy, hparams)) {
    const [first, ...others] = new Set(runs.map((run) => colors.get(run)));
    if (first && others.length === 0) for (const run of runs) common.set(run, first);
  }
  return { colors: common, legend, looks };
}

export const NO_LEGEND: ColorLegend = { kind: "none" };

/** One hue per training. `labelOf`: what stands for a run here. */
function colorTrainings(
  labels: readonly string[],
  { of, names: trainings }: Trainings,
  { runs, own }: Shown,
  labelOf: (run: string) => string | null,
): Map<string, Color> {
  const together = new Set<string>();
  const fixed: string[] = [];
  for (const run of runs) {
    const [color, training] = [own.get(run), of.get(labelOf(run) ?? "")];
    if (color !== undefined) fixed.push(...(HEX.test(color) ? [color] : []));
    else if (training !== undefined) together.add(training);
  }
  const slots = assignColors(trainings);
  const placed = tellApart(
    trainings.filter((training) => together.has(training)),
    slots,
    fixed,
  );
  return new Map(
    labels.map((label) => {
      const training = of.get(label) as string;
      const slot = placed.get(training) ?? slots.get(training) ?? 0;
      return [label, PALETTE[slot] as Color];
    }),
  );
}

function colorByGroup(
  names: readonly string[],
  by: Exclude<ColorBy, "run">,
  hparams: HParamsOfRuns,
  shown: Shown,
): Pick<RunColors, "colors" | "legend"> & Pick<Trainings, "looks"> {
  const label = labeler(by, hparams);
  const groups = groupRuns(names, by, hparams);
  // A group may have the same label as the runs without one.
  const labels = groups.filter(({ runs }) => label(runs[0] as string) !== null).map((group) => group.label);
  const trainings = findTrainings(labels, trainingOfGroup);
  const byLabel = colorTrainings(labels, trainings, shown, label);
  const colorOf = (name: string | null): Color =>
    name === null ? GREY : shadeOf(byLabel.get(name) ?? GREY, trainings.looks.get(name));
  const colors = new Map(names.map((name) => [name, colorOf(label(name))]));
  const listed = groups.map(({ label: title, runs }) => ({
    label: title,
    color: colors.get(runs[0] as string) ?? GREY,
    count: runs.length,
  }));
  // The runs without a group come last.
  listed.sort((a, b) => Number(a.label === UNGROUPED) - Number(b.label === UNGROUPED));
  return { colors, legend: { kind: "groups", groups: listed }, looks: trainings.looks };
}

/** Null if the values are not numbers, or fewer than three: then they are groups. */
function colorByNumber(
  names: readonly string[],
  hparam: string,
  hparams: HParamsOfRuns,
  { hidden }: Shown,
): Pick<RunColors, "colors" | "legend"> | null {
  const values = names.map((name) => hparamOf(hparams, name, hparam));
  const numbers = values.filter(
    (value, i) => typeof value === "number" && Number.isFinite(value) && !hidden?.has(names[i] as string),
  ) as number[];
  if (new Set(numbers).size < 3 || values.some((value) => value !== null && typeof value !== "number")) return null;
  const low = numbers.reduce((a, b) => Math.min(a, b));
  const high = numbers.reduce((a, b) => Math.max(a, b));
  const isLog = low > 0 && high / low > LOG_RATIO;
  const place = (value: number): number =>
    isLog ? Math.log(Math.max(value / low, 1)) / Math.log(high / low) : (value - low) / (high - low);
  const colorOf = (value: unknown): Color =>
    typeof value === "number" && Number.isFinite(value) ? rampColor(place(value)) : GREY;
  return {
    colors: new Map(names.map((name, i) => [name, colorOf(values[i])])),
    legend: { kind: "scale", name: hparam, low, high, isLog },
  };
}
