// How heavy a line is: a few lines are drawn boldly, a thousand so that the crowd has shape.

import type { Stroke } from "../../chart/model";

export function strokeStyle(lines: number, isRaw: boolean, theme: "light" | "dark"): Pick<Stroke, "widthPx" | "alpha"> {
  if (isRaw) return { widthPx: 1, alpha: (theme === "dark" ? 0.3 : 0.24) * (lines > 20 ? 0.6 : 1) };
  if (lines <= 24) return { widthPx: 1.6, alpha: 1 };
  return lines <= 150 ? { widthPx: 1.2, alpha: 0.8 } : { widthPx: 1, alpha: 0.45 };
}
