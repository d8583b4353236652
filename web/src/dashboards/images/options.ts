// How pictures are made to look: brighter, of one channel, with hard edges. Set for all of them at once. Pure.

import type { Settings } from "../../state/view/settings.svelte";

export const CHANNELS = ["all", "red", "green", "blue", "alpha", "grey"] as const;
export type Channel = (typeof CHANNELS)[number];
export type Scaling = "nearest" | "linear";

export interface Look {
  /** Each 1: as stored. */
  readonly brightness: number;
  readonly contrast: number;
  readonly gamma: number;
  readonly channel: Channel;
  /** How pixels are enlarged. Pictures that are made smaller are always averaged. */
  readonly scaling: Scaling;
  /** A pixel of the picture is a pixel of the page. */
  readonly isActualSize: boolean;
}

export const PLAIN: Look = {
  brightness: 1,
  contrast: 1,
  gamma: 1,
  channel: "all",
  scaling: "nearest",
  isActualSize: false,
};
export const LIMITS = { brightness: [0, 2], contrast: [0, 5], gamma: [0.1, 5] } as const;
type Amount = keyof typeof LIMITS;

const nameOf = (field: keyof Look): string => `images.${field === "isActualSize" ? "actual" : field}`;

export function readLook(settings: Settings): Look {
  const amount = (field: Amount): number => {
    const value = Number(settings.option(nameOf(field), "1"));
    const [low, high] = LIMITS[field];
    return value >= low && value <= high ? value : 1;
  };
  const channel = settings.option(nameOf("channel"));
  return {
    brightness: amount("brightness"),
    contrast: amount("contrast"),
    gamma: amount("gamma"),
    channel: CHANNELS.find((each) => each === channel) ?? "all",
    scaling: settings.option(nameOf("scaling")) === "linear" ? "linear" : "nearest",
    isActualSize: settings.option(nameOf("isActualSize")) === "1",
  };
}

export function writeLook(settings: Settings, change: Partial<Look>): void {
  for (const [name, value] of Object.entries(change)) {
    const field = name as keyof Look;
    const text = typeof value === "boolean" ? (value ? "1" : "") : String(value);
    settings.setOption(nameOf(field), text, field === "isActualSize" ? "" : String(PLAIN[field]));
  }
}

/** Whether values are shown other than as stored. */
export const isAdjusted = (look: Look): boolean =>
  look.brightness !== 1 || look.contrast !== 1 || look.gamma !== 1 || look.channel !== "all";

// Rows of red, green, blue and opacity, each from red, green, blue, opacity and one.
const rows = (row: string, opacity: string): string => [row, row, row, opacity].join(" ");
const MATRICES: Readonly<Record<Exclude<Channel, "all">, string>> = {
  red: rows("1 0 0 0 0", "0 0 0 1 0"),
  green: rows("0 1 0 0 0", "0 0 0 1 0"),
  blue: rows("0 0 1 0 0", "0 0 0 1 0"),
  // All of the picture can be seen then, also where it is transparent.
  alpha: rows("0 0 0 1 0", "0 0 0 0 1"),
  grey: rows("0.2126 0.7152 0.0722 0 0", "0 0 0 1 0"),
};

/** What the browser's own filters cannot do; null: nothing. */
export function svgFilter({
  channel,
  gamma,
}: Look): { readonly matrix: string | null; readonly exponent: number | null } | null {
  if (channel === "all" && gamma === 1) return null;
  return { matrix: channel === "all" ? null : MATRICES[channel], exponent: gamma === 1 ? null : 1 / gamma };
}

/** As CSS. `id`: of the SVG filter, where there is one. */
export function cssFilter(look: Look, id: string): string {
  const parts: string[] = [];
  if (svgFilter(look)) parts.push(`url(#${id})`);
  if (look.contrast !== 1) parts.push(`contrast(${look.contrast})`);
  if (look.brightness !== 1) parts.push(`brightness(${look.brightness})`);
  return parts.join(" ") || "none";
}
