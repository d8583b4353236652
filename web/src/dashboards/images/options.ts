// What the user sets for pictures, as the address keeps it: how all of them look, and for each tag what of it is shown.

import type { Settings } from "../../state/view/settings.svelte";
import { readZoom, WHOLE, writeZoom, type Zoom } from "./view_box";

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

const ZOOM = "images.zoom/";
const SAMPLE = "images.sample/";

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

/** Of a tag, for all runs alike. */
export const zoomOf = (settings: Settings, tag: string): Zoom => readZoom(settings.option(ZOOM + tag));
export const setZoom = (settings: Settings, tag: string, zoom: Zoom): void =>
  settings.setOption(ZOOM + tag, writeZoom(zoom), writeZoom(WHOLE));
export const isZoomed = (settings: Settings, tag: string): boolean => settings.option(ZOOM + tag) !== "";

export function forgetZooms(settings: Settings): void {
  settings.set({ options: new Map([...settings.options].filter(([name]) => !name.startsWith(ZOOM))) });
}

/** Which of a value's files is looked at; null: all of them. Sample 3 of one run is compared with 3 of the others. */
export function sampleOf(settings: Settings, tag: string): number | null {
  const text = settings.option(SAMPLE + tag);
  return text === "" ? null : Math.max(0, Math.trunc(Number(text)) || 0);
}
export const setSample = (settings: Settings, tag: string, sample: number | null): void =>
  settings.setOption(SAMPLE + tag, sample === null ? "" : String(sample));
