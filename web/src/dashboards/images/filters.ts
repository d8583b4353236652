// Display options as CSS and SVG filters. Pure.

import type { Channel, DisplayOptions } from "./options";

// Rows of red, green, blue and opacity, each from red, green, blue, opacity and one.
const rows = (row: string, opacity: string): string => [row, row, row, opacity].join(" ");
const MATRICES: Readonly<Record<Exclude<Channel, "all">, string>> = {
  red: rows("1 0 0 0 0", "0 0 0 1 0"),
  green: rows("0 1 0 0 0", "0 0 0 1 0"),
  blue: rows("0 0 1 0 0", "0 0 0 1 0"),
  // Opaque, so that transparent parts are visible too.
  alpha: rows("0 0 0 1 0", "0 0 0 0 1"),
  grey: rows("0.2126 0.7152 0.0722 0 0", "0 0 0 1 0"),
};

/** For what CSS filters lack; null: nothing. */
export function svgFilter({
  channel,
  gamma,
}: DisplayOptions): { readonly matrix: string | null; readonly exponent: number | null } | null {
  if (channel === "all" && gamma === 1) return null;
  return { matrix: channel === "all" ? null : MATRICES[channel], exponent: gamma === 1 ? null : 1 / gamma };
}

/** `id`: of the SVG filter. */
export function cssFilter(display: DisplayOptions, id: string): string {
  const parts: string[] = [];
  if (svgFilter(display)) parts.push(`url(#${id})`);
  if (display.contrast !== 1) parts.push(`contrast(${display.contrast})`);
  if (display.brightness !== 1) parts.push(`brightness(${display.brightness})`);
  return parts.join(" ") || "none";
}
