import { describe, expect, it } from "vitest";
import { assignColors, HUES, PALETTE } from "./colors";

const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `sweep/run_${i}`);

type Triple = [number, number, number];

const IDENTITY: Triple[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
// Full-strength colour-vision deficiencies as matrices on linear RGB (Machado, Oliveira and Fernandes, 2009).
const SIGHTS: Record<string, Triple[]> = {
  normal: IDENTITY,
  "red-blind": [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  "green-blind": [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  "blue-blind": [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (m: Triple[], v: Triple): Triple => m.map((r) => r[0] * v[0] + r[1] * v[1] + r[2] * v[2]) as Triple;

function linear(hex: string): Triple {
  return [1, 3, 5].map((i) => {
    const c = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as Triple;
}

function oklab(rgb: Triple): Triple {
  const clipped = rgb.map((c) => Math.min(1, Math.max(0, c))) as Triple;
  const lms = times(
    [
      [0.4122215, 0.5363325, 0.051446],
      [0.2119035, 0.6806995, 0.107397],
      [0.0883025, 0.2817188, 0.6299787],
    ],
    clipped,
  );
  const m: Triple[] = [
    [0.2104543, 0.7936178, -0.004072],
    [1.9779985, -2.4285922, 0.4505937],
    [0.025904, 0.7827718, -0.8086758],
  ];
  return times(m, lms.map(Math.cbrt) as Triple);
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [a, b]
    .map((hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0] ?? 0)
    .sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
}

describe("assignColors", () => {
  it("gives the first eight runs eight hues, the first twenty-four as many colours", () => {
    const slots = [...assignColors(names(24)).values()];
    expect(new Set(slots.slice(0, HUES)).size).toBe(HUES);
    expect(slots.slice(0, HUES).every((slot) => slot < HUES)).toBe(true);
    expect(new Set(slots).size).toBe(PALETTE.length);
  });

  it("spreads a thousand runs evenly", () => {
    const counts = new Array<number>(PALETTE.length).fill(0);
    for (const slot of assignColors(names(1_000)).values()) counts[slot] = (counts[slot] ?? 0) + 1;
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it("never changes a run's colour when newer runs appear", () => {
    const all = names(100);
    const before = assignColors(all.slice(0, 30));
    const after = assignColors(all);
    expect([...before].every(([name, slot]) => after.get(name) === slot)).toBe(true);
  });

  it("gives a single run the colour of its name's hash", () => {
    expect([...assignColors(["baseline"])]).toEqual([...assignColors(["baseline", "other"])].slice(0, 1));
    const alone = new Set(names(64).map((name) => assignColors([name]).get(name)));
    expect(alone.size).toBe(HUES);
  });
});

describe("the palette", () => {
  it.each(["light", "dark"] as const)("keeps its hues distinct with every kind of colour vision (%s)", (theme) => {
    for (const [sight, matrix] of Object.entries(SIGHTS)) {
      const seen = PALETTE.slice(0, HUES).map((color) => oklab(times(matrix, linear(color[theme]))));
      seen.forEach((a, i) => {
        for (const b of seen.slice(0, i)) {
          expect(Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), `${sight}`).toBeGreaterThan(0.065);
        }
      });
    }
  });

  it("contrasts with the card behind it", () => {
    for (const { light, dark } of PALETTE) {
      expect(contrast(light, "#ffffff"), light).toBeGreaterThan(1.95);
      expect(contrast(dark, "#151a22"), dark).toBeGreaterThan(2.6);
    }
  });
});
