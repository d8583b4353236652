// How a line looks: colour by run, or by tag where a chart shows one training; dashes by the part of a training or by
// tag. A few lines are bold, a thousand are thin and translucent. Pure.

import type { Area, AxisSide, Stroke } from "../chart/model";
import { assignColors, type Color, PALETTE } from "../state/runs/colors";
import { trainingOfRun } from "../state/runs/trainings";
import { mixHex } from "../state/runs/oklab";
import type { CardBand, CardLine, CardSpec, LineRole } from "./card_model";

const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [12, 6]];
/** The part of black or white in the shade of a tag; positive is away from the background. */
const SHADES: readonly number[] = [0, 0, 0.4, -0.4, 0.55, -0.25];
const SOLID: readonly number[] = [];
const GREY: Color = { light: "#5b6577", dark: "#a7b0c0" };

/** The dashes of a panel's tags, in their order; the first is solid. */
export const dashOf = (spec: CardSpec, tag: string): readonly number[] =>
  DASHES[Math.max(0, spec.tags.indexOf(tag)) % DASHES.length] as readonly number[];

/** The shade of a run's colour for a panel's tag: dashes alone do not tell more than two tags apart. */
function shadeOf(spec: CardSpec, tag: string, color: string, theme: keyof Color): string {
  const at = Math.max(0, spec.tags.indexOf(tag));
  // Dashes repeat after six tags, with other shades.
  const shade = SHADES[(at + 3 * Math.floor(at / DASHES.length)) % SHADES.length] as number;
  if (shade === 0) return color;
  const isLighter = shade < 0 === (theme === "light");
  return mixHex(color, isLighter ? "#ffffff" : "#000000", Math.abs(shade));
}

/** The colour and dashes of the lines of one card. */
export interface LineLook {
  /** Whether colour tells tags apart instead of runs. */
  readonly isByTag: boolean;
  readonly color: (run: string, tag: string) => string;
  readonly dash: (run: string, tag: string) => readonly number[];
  /** A tag in the legend; grey where colour tells runs. */
  readonly sample: (tag: string) => { readonly color: string; readonly dash: readonly number[] };
}

export interface LookFacts {
  readonly spec: CardSpec;
  /** The runs or groups of the card. */
  readonly runs: readonly string[];
  readonly theme: keyof Color;
  /** The colour of a run or a group. */
  readonly color: (run: string) => string;
  /** Whether the tags have several parts of a training. Where they do not, lines need no shades or dashes. */
  readonly partsMeet: boolean;
  /** The look of a run where parts meet. */
  readonly shade: (run: string) => string;
  readonly dash: (run: string) => readonly number[];
  /** The user wants colour to tell tags. */
  readonly isByTag?: boolean;
}

/** With one training and several tags, colour tells the tag: its own colour would tell nothing. */
export function makeLook(facts: LookFacts): LineLook {
  const { spec, runs, theme, partsMeet, color, shade, dash, isByTag: isWanted = false } = facts;
  const isSeveral = spec.tags.length > 1;
  if (isWanted || (isSeveral && isOneTraining(runs))) {
    const slots = assignColors(spec.tags);
    const colorOf = (tag: string): string => (PALETTE[slots.get(tag) ?? 0] as Color)[theme];
    return {
      isByTag: true,
      color: (_, tag) => colorOf(tag),
      sample: (tag) => ({ color: colorOf(tag), dash: SOLID }),
      dash: isOneTraining(runs) ? dash : (run) => DASHES[Math.max(0, runs.indexOf(run)) % DASHES.length] ?? SOLID,
    };
  }
  const sample: LineLook["sample"] = (tag) => ({
    color: shadeOf(spec, tag, GREY[theme], theme),
    dash: dashOf(spec, tag),
  });
  if (!isSeveral)
    return partsMeet
      ? { isByTag: false, color: shade, dash, sample }
      : { isByTag: false, color, dash: () => SOLID, sample };
  const ofRun = partsMeet ? shade : color;
  return {
    isByTag: false,
    sample,
    color: (run, tag) => shadeOf(spec, tag, ofRun(run), theme),
    dash: (_, tag) => dashOf(spec, tag),
  };
}

function isOneTraining(runs: readonly string[]): boolean {
  const [first] = runs;
  return first !== undefined && runs.every((run) => trainingOfRun(run) === trainingOfRun(first));
}

export const sideOf = (spec: CardSpec, tag: string): AxisSide => (spec.right.includes(tag) ? "right" : "left");

export function strokeStyle(lines: number, role: LineRole, theme: "light" | "dark"): Pick<Stroke, "widthPx" | "alpha"> {
  if (role === "earlier") return { widthPx: 1, alpha: (theme === "dark" ? 0.45 : 0.38) * (lines > 20 ? 0.6 : 1) };
  if (role === "raw") return { widthPx: 1, alpha: (theme === "dark" ? 0.3 : 0.24) * (lines > 20 ? 0.6 : 1) };
  if (lines <= 30) return { widthPx: role === "center" ? 2 : 1.6, alpha: 1 };
  // Wider lines cost eight times as much to draw.
  return { widthPx: 1, alpha: lines <= 150 ? 0.85 : 0.45 };
}

const EARLIER_DASH = [3, 3];
/** Dashes cannot be seen in a crowd, and cost several times as much to draw. */
const MAX_DASHED = 60;

export function strokesOf(
  spec: CardSpec,
  lines: readonly CardLine[],
  firstFound: number,
  theme: "light" | "dark",
  color: (run: string, tag: string) => string,
  dash: (run: string, tag: string) => readonly number[] = (_, tag) => dashOf(spec, tag),
): Stroke[] {
  // Lines share most of their look, which is made once.
  const looks = new Map<string, Omit<Stroke, "color" | "dash">>();
  const found = lines.length - firstFound;
  const isCrowd = spec.tags.length === 1 && found > MAX_DASHED;
  return lines.map(({ role, run, tag }) => {
    const key = `${role} ${tag}`;
    let look = looks.get(key);
    if (!look) looks.set(key, (look = { ...strokeStyle(found, role, theme), axis: sideOf(spec, tag) }));
    return {
      color: color(run, tag),
      // A faint line behind is solid: dashes would break up its spikes.
      dash:
        role === "earlier"
          ? EARLIER_DASH
          : isCrowd || (role === "raw" && spec.tags.length === 1)
            ? SOLID
            : dash(run, tag),
      ...look,
    };
  });
}

export function areasOf(
  spec: CardSpec,
  bands: readonly CardBand[],
  theme: "light" | "dark",
  color: (group: string, tag: string) => string,
): Area[] {
  const alpha = (theme === "dark" ? 0.22 : 0.16) * (bands.length > 8 ? 0.6 : 1);
  return bands.map(({ group, tag, low, high }) => ({
    table: low.table,
    low: low.y,
    high: high.y,
    color: color(group, tag),
    alpha,
    axis: sideOf(spec, tag),
  }));
}
