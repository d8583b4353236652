// The user's settings for all distributions, stored in the address.

import type { ScaleKind } from "../../chart/model";
import type { Settings } from "../../state/view/settings.svelte";
import type { TimeAxis } from "../../state/view/view";
import { readPercentiles, readZoom, USUAL, writeZoom, type Zoom } from "./bands";

const PERCENTILES = "distributions.percentiles";
const OVERLAY = "distributions.overlay";
const SCALE = "distributions.scale";
const SCALES: readonly ScaleKind[] = ["linear", "log", "symlog"];

export const percentilesText = (settings: Settings): string => settings.option(PERCENTILES, USUAL);
export const setPercentiles = (settings: Settings, text: string): void => settings.setOption(PERCENTILES, text, USUAL);

/** Falls back to the default percentiles if the address contains invalid ones. */
export function percentilesOf(settings: Settings): readonly number[] {
  const { values } = readPercentiles(percentilesText(settings));
  return values.length > 0 ? values : readPercentiles(USUAL).values;
}

export const scaleOf = (settings: Settings): ScaleKind =>
  SCALES.find((scale) => scale === settings.option(SCALE)) ?? "linear";
export const setScale = (settings: Settings, scale: ScaleKind): void => settings.setOption(SCALE, scale, "linear");

/** Whether a card shows all runs of a tag. */
export const isOverlaid = (settings: Settings): boolean => settings.option(OVERLAY) === "1";
export const setOverlaid = (settings: Settings, is: boolean): void => settings.setOption(OVERLAY, is ? "1" : "");

const zoomOption = (id: string): string => `distributions.zoom.${id}`;

export const zoomOf = (settings: Settings, id: string, axis: TimeAxis): Zoom =>
  readZoom(settings.option(zoomOption(id)), axis);
export const setZoom = (settings: Settings, id: string, zoom: Zoom): void =>
  settings.setOption(zoomOption(id), writeZoom(zoom));
