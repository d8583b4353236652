import { expect, test } from "vitest";
import { COLORINGS, colorOf, MEANINGS, mix, PALETTES, type Meaning, type Theme } from "./colors";

const THEMES: readonly Theme[] = ["light", "dark"];
const EVENT = { hash: 12_345, meaning: "copy", step: 3, module: 1, track: 2 } as const;

test("every meaning has a colour in both themes", () => {
  for (const theme of THEMES)
    for (const meaning of Object.keys(MEANINGS) as Meaning[])
      expect(PALETTES[theme].meanings[meaning]).toMatch(/^#[0-9a-f]{6}$/);
});

test("one event has one colour, whatever it is coloured by", () => {
  for (const theme of THEMES)
    for (const by of COLORINGS) {
      expect(colorOf(EVENT, by, theme)).toMatch(/^#[0-9a-f]{6}$/);
      expect(colorOf({ ...EVENT }, by, theme)).toBe(colorOf(EVENT, by, theme));
    }
  expect(colorOf({ ...EVENT, step: -1 }, "step", "light")).toBe(PALETTES.light.meanings.other);
  expect(colorOf({ ...EVENT, step: 4 }, "step", "light")).not.toBe(colorOf(EVENT, "step", "light"));
});

test("text on slices can be read in both themes", () => {
  for (const theme of THEMES) {
    const { meanings, surface, sliceText, mix: share } = PALETTES[theme];
    for (const color of Object.values(meanings))
      expect(contrast(mix(color, surface, share), sliceText)).toBeGreaterThan(4.5);
  }
});

test("mixing", () => {
  expect(mix("#ff0000", "#0000ff", 1)).toBe("#ff0000");
  expect(mix("#ff0000", "#0000ff", 0)).toBe("#0000ff");
  expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
});

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
