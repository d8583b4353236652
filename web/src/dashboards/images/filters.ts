// How a picture is made to look as it is wished: by the browser's own filters. Pure.

import type { Channel, Look } from "./options";

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
