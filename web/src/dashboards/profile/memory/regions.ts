// What memory is for: names and colours, in the order in which they are listed. Pure.

import { mix, PALETTES, trackColor, type Meaning, type Theme } from "../trace/colors";
import type { Block } from "../answer";

export const REGIONS: Readonly<
  Record<Block["region"] & string, { readonly label: string; readonly meaning: Meaning }>
> = {
  parameters: { label: "Parameters", meaning: "normalisation" },
  gradients: { label: "Gradients", meaning: "communication" },
  "optimizer state": { label: "Optimizer state", meaning: "optimizer" },
  activations: { label: "Activations", meaning: "device" },
  temporary: { label: "Temporary", meaning: "elementwise" },
  unknown: { label: "Unknown", meaning: "other" },
};

export const regionColor = (region: string, theme: Theme): string =>
  PALETTES[theme].meanings[REGIONS[region as Block["region"] & string]?.meaning ?? "other"];

/** Shades by which blocks beside each other are told apart. */
const SHADES = [0.82, 0.66, 0.74] as const;

/** The colour of each block: that of what it is for, or of what made it where nothing tells what any is for. */
export function blockColors(blocks: readonly Block[], theme: Theme): readonly string[] {
  const isTold = blocks.some(({ region }) => region !== undefined && region !== "unknown");
  const makers = new Map<string, number>();
  return blocks.map(({ region, op }, i) => {
    if (!makers.has(op)) makers.set(op, makers.size);
    const color = isTold ? regionColor(region ?? "unknown", theme) : trackColor(makers.get(op) ?? 0, theme);
    return mix(color, PALETTES[theme].surface, SHADES[i % SHADES.length] as number);
  });
}
