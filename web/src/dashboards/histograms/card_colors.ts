// The colours of histogram pictures: shades of a run's own, older ones nearer to the background.

import type { HistogramColors } from "../../chart/draw_histograms";
import { mixColors } from "../../chart/mix_colors";

type Theme = "light" | "dark";

// As --surface and --text of theme.css, which a canvas cannot name.
const PAPER: Readonly<Record<Theme, { surface: string; ink: string }>> = {
  light: { surface: "#ffffff", ink: "#1a2030" },
  dark: { surface: "#151a22", ink: "#e7eaf0" },
};
const OLDEST_PART = 0.28;

export const chartColors = (color: string, theme: Theme): HistogramColors => ({ ...PAPER[theme], heat: color });

/** From the oldest to the newest; alone, a step has the full colour. */
export function shadesOf(color: string, count: number, theme: Theme): string[] {
  const { surface } = PAPER[theme];
  return Array.from({ length: count }, (_, i) =>
    mixColors(surface, color, count < 2 ? 1 : OLDEST_PART + (1 - OLDEST_PART) * (i / (count - 1))),
  );
}
