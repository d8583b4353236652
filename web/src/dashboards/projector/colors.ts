// Colours of points: categories, and a gradient for numbers. Pure.

import { mixHex } from "../../state/runs/oklab";
import type { Color } from "../../state/runs/colors";

// In the order of categories. Alike in both themes, lighter on dark.
const CATEGORIES: Readonly<Record<keyof Color, readonly string[]>> = {
  light: "#2f6bde #c29200 #e8710a #d6336c #7c4fd8 #16a3d6 #0b9480 #7f9400 #6b7890 #b4531f".split(" "),
  dark: "#6f9bff #e3bf4d #ff9c4a #f56b9d #ab8dff #4fc4f1 #2fc6ab #b6ca45 #9ba8bf #c67a55".split(" "),
};
/** Further rounds through the colours are darker, then paler. */
const SHADES = [
  { with: "#000000", part: 0 },
  { with: "#000000", part: 0.38 },
  { with: "#ffffff", part: 0.45 },
] as const;
/** More categories are not told apart by colour: the rest shares one. */
export const MAX_COLORS = 30;

const MISSING: Color = { light: "#aab2c0", dark: "#566175" };
export const missingColor = (theme: keyof Color): string => MISSING[theme];

export function categoryColor(place: number, theme: keyof Color): string {
  if (place >= MAX_COLORS) return MISSING[theme];
  const colors = CATEGORIES[theme];
  const shade = SHADES[Math.floor(place / colors.length)] ?? SHADES[0];
  return mixHex(colors[place % colors.length] as string, shade.with, shade.part);
}

// From deep blue over red to yellow: order is seen without hue too, as lightness only grows.
const RAMP: Readonly<Record<keyof Color, readonly string[]>> = {
  light: "#1f2d86 #6a2c9c #b8327f #e2594a #f0932b #e6b800".split(" "),
  dark: "#4557d6 #8f49c9 #d14b97 #f0705c #f8a24a #f5d95e".split(" "),
};
export const ramp = (theme: keyof Color): readonly string[] => RAMP[theme];

/** `at`: from 0 to 1. */
export function rampColor(at: number, theme: keyof Color): string {
  const stops = RAMP[theme];
  const place = Math.min(Math.max(at, 0), 1) * (stops.length - 1);
  const first = Math.min(Math.floor(place), stops.length - 2);
  return mixHex(stops[first] as string, stops[first + 1] as string, place - first);
}

/** As the scene takes it: 0xRRGGBB. */
export const asNumber = (color: string): number => Number.parseInt(color.slice(1, 7), 16);

const RAMP_STEPS = 256;

export interface NumberScale {
  readonly low: number;
  readonly high: number;
}

/** Of the finite numbers; the ends are those of the middle 99 % if a few lie far outside. */
export function scaleOf(numbers: ArrayLike<number>): NumberScale | null {
  const finite = Float64Array.from(numbers).filter(Number.isFinite).sort();
  if (finite.length === 0) return null;
  const at = (part: number): number => finite[Math.round(part * (finite.length - 1))] as number;
  const [min, max, low, high] = [at(0), at(1), at(0.005), at(0.995)];
  const isWide = max - min > 3 * (high - low) && high > low;
  return isWide ? { low, high } : { low: min, high: max };
}

const place = (value: number, { low, high }: NumberScale): number =>
  high > low ? Math.min(Math.max((value - low) / (high - low), 0), 1) : 0.5;

export function colorNumbers(numbers: ArrayLike<number>, scale: NumberScale, theme: keyof Color): Uint32Array {
  const table = Uint32Array.from({ length: RAMP_STEPS }, (_, i) => asNumber(rampColor(i / (RAMP_STEPS - 1), theme)));
  const missing = asNumber(MISSING[theme]);
  const colors = new Uint32Array(numbers.length);
  for (let row = 0; row < colors.length; row++) {
    const value = numbers[row] as number;
    colors[row] = Number.isFinite(value)
      ? (table[Math.round(place(value, scale) * (RAMP_STEPS - 1))] as number)
      : missing;
  }
  return colors;
}

/** How many numbers fall into each of `bins` equal parts of the scale; those outside count at its ends. */
export function binNumbers(numbers: ArrayLike<number>, scale: NumberScale, bins: number): Uint32Array {
  const counts = new Uint32Array(bins);
  for (let row = 0; row < numbers.length; row++) {
    const value = numbers[row] as number;
    if (!Number.isFinite(value)) continue;
    const bin = Math.min(Math.floor(place(value, scale) * bins), bins - 1);
    counts[bin] = (counts[bin] as number) + 1;
  }
  return counts;
}

export interface Level {
  /** In the codes of the column. */
  readonly code: number;
  readonly name: string;
  readonly count: number;
  readonly color: string;
}

/**
 * The legend of categories. As many as there are colours keep the order of the column; of more, the most frequent come
 * first and have colours.
 */
export function makeLegend(levels: readonly string[], counts: ArrayLike<number>, theme: keyof Color): readonly Level[] {
  const codes = levels.map((_, code) => code).filter((code) => (counts[code] ?? 0) > 0);
  if (codes.length > MAX_COLORS) codes.sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a - b);
  return codes.map((code, at) => ({
    code,
    name: levels[code] as string,
    count: counts[code] ?? 0,
    color: categoryColor(at, theme),
  }));
}

/** By code of the column. */
export function paletteOf(legend: readonly Level[], levels: number, theme: keyof Color): Uint32Array {
  const palette = new Uint32Array(levels).fill(asNumber(MISSING[theme]));
  for (const { code, color } of legend) palette[code] = asNumber(color);
  return palette;
}
