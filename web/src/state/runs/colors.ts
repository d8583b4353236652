// Colours of runs. A run's colour comes from a hash of its name. Colours are assigned oldest first, and a run whose
// colour is taken gets a free one, so a newer run never changes an older one's colour.

import { hashName } from "./run_key";

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
