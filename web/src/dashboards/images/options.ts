// Options of all image cards, kept in the address: display options, and zoom and file for each tag.

import type { Settings } from "../../state/view/settings.svelte";
import { readZoom, WHOLE, writeZoom, type Zoom } from "./view_box";

export const CHANNELS = ["all", "red", "green", "blue", "alpha", "grey"] as const;
export type Channel = (typeof CHANNELS)[number];
export type Scaling = "nearest" | "linear";

export interface DisplayOptions {
  /** Each 1: as stored. */
  readonly brightness: number;
  readonly contrast: number;
  readonly gamma: number;
  readonly channel: Channel;
  /** For enlarging; reduced images are always averaged. */
  readonly scaling: Scaling;
  /** One image pixel per page pixel. */
  readonly isActualSize: boolean;
}

export const PLAIN: DisplayOptions = {
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
const FILE = "images.sample/";

const nameOf = (field: keyof DisplayOptions): string => `images.${field === "isActualSize" ? "actual" : field}`;

export function readDisplay(settings: Settings): DisplayOptions {
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

export function setDisplay(settings: Settings, change: Partial<DisplayOptions>): void {
  for (const [name, value] of Object.entries(change)) {
    const field = name as keyof DisplayOptions;
    const text = typeof value === "boolean" ? (value ? "1" : "") : String(value);
    settings.setOption(nameOf(field), text, field === "isActualSize" ? "" : String(PLAIN[field]));
  }
}

export const isAdjusted = (display: DisplayOptions): boolean =>
  display.brightness !== 1 || display.contrast !== 1 || display.gamma !== 1 || display.channel !== "all";

/** One zoom per tag, for all runs. */
export const zoomOf = (settings: Settings, tag: string): Zoom => readZoom(settings.option(ZOOM + tag));
export const setZoom = (settings: Settings, tag: string, zoom: Zoom): void =>
  settings.setOption(ZOOM + tag, writeZoom(zoom), writeZoom(WHOLE));
export const isZoomed = (settings: Settings, tag: string): boolean => settings.option(ZOOM + tag) !== "";

export function forgetZooms(settings: Settings): void {
  settings.set({ options: new Map([...settings.options].filter(([name]) => !name.startsWith(ZOOM))) });
}

/** Index of the file to show; null: all of them. One per tag, so that runs show the same index. */
export function fileOf(settings: Settings, tag: string): number | null {
  const text = settings.option(FILE + tag);
  return text === "" ? null : Math.max(0, Math.trunc(Number(text)) || 0);
}
export const setFile = (settings: Settings, tag: string, file: number | null): void =>
  settings.setOption(FILE + tag, file === null ? "" : String(file));
