// The colour of every session by one column: numbers by their rank on one ramp, categories by the palette of runs. Few
// colours, so that lines can be drawn in batches of one colour. Pure.

import { type Color, HUES, PALETTE } from "../../state/runs/colors";
import { GREY, rampColor } from "../../state/runs/run_colors";
import { type Column, numberText, type SessionTable, VALUE } from "./columns";
import { sortedNumbers } from "./scales";

const STEPS = 48;
/** In the legend. */
const STOPS = 9;

export interface RowColors {
  /** Index into `palette`, by row. */
  readonly codes: Uint8Array;
  readonly palette: readonly Color[];
  readonly css: (row: number, theme: keyof Color) => string;
  readonly legend: RowLegend;
}

export type RowLegend =
  | { readonly kind: "none" }
  | {
      readonly kind: "ramp";
      readonly from: string;
      readonly to: string;
      readonly stops: readonly Color[];
      /** Rows without a number. */
      readonly hasGrey: boolean;
    }
  | { readonly kind: "categories"; readonly entries: readonly { readonly text: string; readonly color: Color }[] };

const ACCENT: Color = { light: "#2f5bd8", dark: "#7b9bff" };

/** Null: one colour for all. The best values of a metric have the brightest end of the ramp. */
export function colorRows(table: SessionTable, column: Column | null): RowColors {
  if (!column) return asColors(new Uint8Array(table.rows), [ACCENT], { kind: "none" });
  return column.levels ? colorLevels(table, column, column.levels) : colorNumbers(table, column);
}

function asColors(codes: Uint8Array, palette: readonly Color[], legend: RowLegend): RowColors {
  return { codes, palette, legend, css: (row, theme) => (palette[codes[row] ?? 0] ?? GREY)[theme] };
}

function colorLevels({ rows }: SessionTable, { numbers, state }: Column, levels: readonly string[]): RowColors {
  // Hues repeat beyond the palette's shades: then the axis tells levels apart, not the colour.
  const count = Math.min(levels.length, PALETTE.length);
  const palette = [...PALETTE.slice(0, Math.max(count, 1)), GREY];
  const codes = new Uint8Array(rows);
  for (let row = 0; row < rows; row++)
    codes[row] = state[row] === VALUE ? (numbers[row] as number) % count : palette.length - 1;
  const entries = levels.map((text, i) => ({ text, color: PALETTE[i % PALETTE.length] as Color }));
  return asColors(codes, palette, { kind: "categories", entries: entries.slice(0, HUES * 3) });
}

function colorNumbers({ rows }: SessionTable, column: Column): RowColors {
  const { numbers, state, goal } = column;
  const sorted = sortedNumbers(column);
  const isFlipped = goal === "min";
  const palette = [...Array.from({ length: STEPS }, (_, i) => rampColor(i / (STEPS - 1))), GREY];
  // The first value of each step of the ramp: a row's step is found by bisection.
  const limits = new Float64Array(STEPS);
  const last = Math.max(0, sorted.length - 1);
  for (let i = 0; i < STEPS; i++) limits[i] = sorted[Math.ceil((i * last) / STEPS)] ?? 0;
  const codes = new Uint8Array(rows);
  let hasGrey = false;
  for (let row = 0; row < rows; row++) {
    if (state[row] !== VALUE) {
      codes[row] = STEPS;
      hasGrey = true;
      continue;
    }
    const value = numbers[row] as number;
    let [low, high] = [0, STEPS - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((limits[middle] as number) <= value) low = middle;
      else high = middle - 1;
    }
    codes[row] = isFlipped ? STEPS - 1 - low : low;
  }
  const ends = sorted.length > 0 ? [sorted[0] as number, sorted.at(-1) as number] : [];
  const texts = ends.map((value) => numberText(column, value));
  if (isFlipped) texts.reverse();
  const stops = Array.from({ length: STOPS }, (_, i) => rampColor(i / (STOPS - 1)));
  return asColors(codes, palette, { kind: "ramp", from: texts[0] ?? "", to: texts[1] ?? "", stops, hasGrey });
}
