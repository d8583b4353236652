// Colours of runs. A run's own colour comes from a hash of its name: they are assigned oldest first, and a run whose
// colour is taken gets a free one, so a newer run never changes an older one's. `tellApart` then separates those that
// are shown together. Pure; knows neither trainings of runs nor what is shown.

import { hashName } from "./run_key";
import { distance, type Lab, mixHex, toOklab } from "./oklab";

/** One colour in both themes: the same hue, lighter on a dark background. */
export interface Color {
  readonly light: string;
  readonly dark: string;
}

// Eight hues that stay distinct in normal, red-blind, green-blind and blue-blind sight (the test measures it), then a
// deeper and a paler shade of each.
const LIGHT = [
  "#2663f1 #e98d6c #0e9896 #d82e63 #7c4dbd #809403 #0aa4dd #b04e00",
  "#0436b1 #b16347 #036766 #99003d #502485 #576500 #00749f #712f00",
  "#588bf4 #f0a588 #65b3b1 #e76c87 #9575ca #a0b15e #6dc2ed #c2774e",
];
const DARK = [
  "#4078fe #faa180 #34aaa9 #ea4b75 #8f65c9 #93a632 #36b7ef #c36122",
  "#739efc #fecfbe #7ec4c3 #f5859b #a88dd4 #b4c37a #87d4fc #d28b65",
  "#2f5dca #d0866b #288988 #bb3a5c #6f4d9e #768627 #2e96c4 #994a15",
];

export const HUES = 8;
const darkShades = DARK.flatMap((shades) => shades.split(" "));
export const PALETTE: readonly Color[] = LIGHT.flatMap((shades) => shades.split(" ")).map((light, i) => ({
  light,
  dark: darkShades[i] as string,
}));

// Coprime to HUES, so that probing visits every hue.
const STRIDE = 3;

/** Palette indices for runs in the given order (oldest first). */
export function assignColors(names: readonly string[]): Map<string, number> {
  const assigned = new Map<string, number>();
  let isTaken = new Set<number>();
  for (const name of names) {
    if (assigned.has(name)) continue;
    // After the last shade, all colours are free again.
    if (isTaken.size === PALETTE.length) isTaken = new Set();
    const shade = Math.floor(isTaken.size / HUES);
    let hue = hashName(name) % HUES;
    while (isTaken.has(shade * HUES + hue)) hue = (hue + STRIDE) % HUES;
    isTaken.add(shade * HUES + hue);
    assigned.set(name, shade * HUES + hue);
  }
  return assigned;
}

/** Two colours that are closer than this in OKLab are alike; all hues of the palette are farther apart. */
export const ALIKE = 0.1;

const inBothThemes = ({ light, dark }: Color): readonly [Lab, Lab] => [toOklab(light), toOklab(dark)];
const apart = (a: readonly [Lab, Lab], b: readonly [Lab, Lab]): number =>
  Math.min(distance(a[0], b[0]), distance(a[1], b[1]));
const turn = (a: number, b: number): number => Math.abs(((a - b + 540) % 360) - 180);

function measurePalette() {
  const labs = PALETTE.map(inBothThemes);
  const angles = labs.slice(0, HUES).map(([[, a, b]]) => (Math.atan2(b, a) * 180) / Math.PI);
  const rows: (readonly number[])[] = [];
  return {
    labs,
    /** From one colour of the palette to all, in the theme where they are closer. Once for each that is shown. */
    distancesFrom: (slot: number) => (rows[slot] ??= labs.map((to) => apart(labs[slot] ?? to, to))),
    /** For every hue all hues, the nearest first. */
    order: angles.map((from) =>
      angles.map((_, hue) => hue).sort((p, q) => turn(from, angles[p] as number) - turn(from, angles[q] as number)),
    ),
  };
}
let measured: ReturnType<typeof measurePalette> | undefined;

/**
 * Palette indices of what is shown together, oldest first: each has its own, unless an older one keeps a colour like
 * it. Then it takes the nearest free hue and, when none is free, the colour that differs most. `fixed` are colours that
 * the user chose. Visits the palette once per name.
 */
export function tellApart(
  names: readonly string[],
  own: ReadonlyMap<string, number>,
  fixed: Iterable<string> = [],
): Map<string, number> {
  const { labs, distancesFrom, order } = (measured ??= measurePalette());
  /** How far each colour of the palette is from those that are taken. */
  const nearest = PALETTE.map(() => Number.POSITIVE_INFINITY);
  const isHueTaken = new Set<number>();
  const keepAway = (far: (slot: number) => number): void =>
    nearest.forEach((least, slot) => (nearest[slot] = Math.min(least, far(slot))));
  for (const color of new Set(fixed)) {
    const lab = toOklab(color);
    const far = labs.map((each) => apart([lab, lab], each));
    keepAway((slot) => far[slot] as number);
    far.forEach((distance, slot) => distance < ALIKE && isHueTaken.add(slot % HUES));
  }
  // Two shades of one hue are hard to tell apart as thin lines.
  const isFree = (slot: number): boolean => !isHueTaken.has(slot % HUES) && (nearest[slot] as number) >= ALIKE;

  const placed = new Map<string, number>();
  const place = (name: string, slot: number): void => {
    placed.set(name, slot);
    isHueTaken.add(slot % HUES);
    const far = distancesFrom(slot);
    keepAway((other) => far[other] as number);
  };
  const widest = (slots: readonly number[], first: number): number =>
    slots.reduce((best, slot) => ((nearest[slot] as number) > (nearest[best] as number) ? slot : best), first);
  const find = (home: number): number => {
    const untaken: number[] = [];
    for (const hue of order[home % HUES] ?? [])
      for (let slot = hue; slot < PALETTE.length; slot += HUES) {
        if (isFree(slot)) return slot;
        if (!isHueTaken.has(hue)) untaken.push(slot);
      }
    // A hue of its own, if a little near to another, is better than a shade of a hue that is taken.
    const [first] = untaken;
    if (first !== undefined) return widest(untaken, first);
    return (nearest[home] as number) >= ALIKE ? home : widest([...PALETTE.keys()], home);
  };
  const clashing = names.filter((name) => {
    const home = own.get(name) ?? 0;
    if (!isFree(home)) return true;
    place(name, home);
    return false;
  });
  for (const name of clashing) {
    const home = own.get(name) ?? 0;
    // Once every colour is taken, a thousand more change nothing.
    if (nearest.every((far) => far === 0)) placed.set(name, home);
    else place(name, find(home));
  }
  return placed;
}

// Copies --surface and --text from theme.css: exports and canvases cannot use CSS variables.
const SURFACE: Color = { light: "#ffffff", dark: "#151a22" };
const INK: Color = { light: "#1a2030", dark: "#e7eaf0" };
const FADED_PART = 0.36;
const DEEP_PART = 0.5;

const mixed = (color: Color, other: Color, part: number): Color => ({
  light: mixHex(color.light, other.light, part),
  dark: mixHex(color.dark, other.dark, part),
});

/** Makes each result once, so that equal ones are the same object. */
export function once<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    let result = made.get(key);
    if (result === undefined) made.set(key, (result = make(key)));
    return result;
  };
}

/** The same hue nearer to the background. */
export const faded = once((color: Color) => mixed(color, SURFACE, FADED_PART));
/** The same hue nearer to the text. */
export const deep = once((color: Color) => mixed(color, INK, DEEP_PART));
