// The user's options for custom scalars, stored in the URL: what colours mean, and the charts made in the page.

import type { Settings } from "../../state/view/settings.svelte";
import { type Category, readLayout, writeLayout } from "./layout";

const COLOR = "custom_scalars.color";
const LAYOUT = "custom_scalars.layout";
const NO_LAYOUT = '{"category":[]}';

export type ColorSays = "run" | "tag";

export const colorSays = (settings: Settings): ColorSays => (settings.option(COLOR) === "tag" ? "tag" : "run");
export const setColorSays = (settings: Settings, what: ColorSays): void => settings.setOption(COLOR, what, "run");

/** The URL may contain anything. Returns an empty list if it is invalid. */
export function readMade(settings: Settings): readonly Category[] {
  try {
    return readLayout(settings.option(LAYOUT, NO_LAYOUT));
  } catch {
    return [];
  }
}

export const setMade = (settings: Settings, categories: readonly Category[]): void =>
  settings.setOption(LAYOUT, categories.length > 0 ? writeLayout(categories) : "");
