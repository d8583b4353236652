// The colours of histogram charts: shades of the run's colour; older steps are closer to the background.

import type { HistogramColors } from "../../chart/draw_histograms";
import { mixColors } from "../../chart/mix_colors";

type Theme = "light" | "dark";

// Copies --surface and --text from theme.css, because a canvas cannot use CSS variables.
const PAPER: Readonly<Record<Theme, { surface: string; ink: string }>> = {
  light: { surface: "#ffffff", ink: "#1a2030" },
  dark: { surface: "#151a22", ink: "#e7eaf0" },
};
// The oldest must still be visible on the background.
const OLDEST_PART = 0.55;

export const chartColors = (color: string, theme: Theme): HistogramColors => ({ ...PAPER[theme], heat: color });

/** From oldest to newest. A single step gets the full colour. */
export function shadesOf(color: string, count: number, theme: Theme): string[] {
  const { surface } = PAPER[theme];
  return Array.from({ length: count }, (_, i) =>
    mixColors(surface, color, count < 2 ? 1 : OLDEST_PART + (1 - OLDEST_PART) * (i / (count - 1))),
  );
}
