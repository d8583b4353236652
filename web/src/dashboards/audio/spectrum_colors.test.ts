import { expect, test } from "vitest";
import { colorTable } from "./spectrum_colors";

const lightness = (table: Uint8Array, level: number): number =>
  0.2126 * (table[3 * level] as number) +
  0.7152 * (table[3 * level + 1] as number) +
  0.0722 * (table[3 * level + 2] as number);

test.each(["light", "dark"] as const)(
  "in the %s theme, stronger is always further from the card's own colour",
  (theme) => {
    const table = colorTable(theme);
    const sign = theme === "light" ? -1 : 1;
    for (let level = 8; level < 256; level += 8)
      expect(sign * (lightness(table, level) - lightness(table, level - 8))).toBeGreaterThan(0);
  },
);
