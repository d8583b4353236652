import { describe, expect, it } from "vitest";
import { ALIKE, assignColors, deep, faded, HUES, PALETTE, tellApart } from "./colors";
import { distance, toOklab } from "./oklab";

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

/** Random subsets, the same in every run of the test. */
function subsets(all: readonly string[], size: number, count: number): string[][] {
  let seed = 1;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length: count }, () => {
    const chosen = new Set<string>();
    while (chosen.size < size) chosen.add(all[Math.floor(next() * all.length)] as string);
    return all.filter((name) => chosen.has(name));
  });
}

/** How far apart two colours of the palette look, in the theme where they are closer. */
const apart = (a: number, b: number): number =>
  Math.min(
    ...(["light", "dark"] as const).map((theme) =>
      distance(toOklab(PALETTE[a]?.[theme] ?? ""), toOklab(PALETTE[b]?.[theme] ?? "")),
    ),
  );

describe("tellApart", () => {
  const all = names(1_000);
  const own = assignColors(all);

  it("gives up to eight runs of a thousand eight hues, none like another", () => {
    for (const size of [2, 5, 8])
      for (const shown of subsets(all, size, 50)) {
        const slots = [...tellApart(shown, own).values()];
        expect(new Set(slots.map((slot) => slot % HUES)).size).toBe(size);
        slots.forEach((slot, i) => {
          for (const other of slots.slice(0, i)) expect(apart(slot, other)).toBeGreaterThan(0.08);
        });
      }
  });

  it("gives up to twenty-four runs as many colours", () => {
    for (const shown of subsets(all, 24, 20)) expect(new Set(tellApart(shown, own).values()).size).toBe(24);
  });

  it("lets every run keep its own colour unless an older one has one like it", () => {
    for (const shown of subsets(all, 6, 50)) {
      const placed = tellApart(shown, own);
      shown.forEach((name, i) => {
        const slot = own.get(name) as number;
        const isLike = (other: string): boolean => {
          const taken = placed.get(other) as number;
          return taken % HUES === slot % HUES || apart(taken, slot) < ALIKE;
        };
        if (placed.get(name) !== slot) expect(shown.slice(0, i).some(isLike), name).toBe(true);
      });
      expect(placed.get(shown[0] as string)).toBe(own.get(shown[0] as string));
    }
  });

  it("does not depend on what was shown before, and gives a run its colour back", () => {
    const [first = "", ...rest] = all;
    const same = rest.find((name) => own.get(name) === own.get(first)) as string;
    expect(tellApart([first, same], own).get(same)).not.toBe(own.get(same));
    expect(tellApart([same], own).get(same)).toBe(own.get(same));
    expect(tellApart([first, same], own)).toEqual(tellApart([first, same], own));
  });

  it("takes the nearest hue that is free", () => {
    // Orange is nearer to brown than any other hue.
    const [salmon, brown] = [1, 7];
    const slots = new Map([
      ["a", brown],
      ["b", brown],
    ]);
    expect(tellApart(["a", "b"], slots).get("b")).toBe(salmon);
  });

  it("keeps away from the colours that the user chose", () => {
    const slots = new Map([["a", 0]]);
    const placed = tellApart(["a"], slots, [PALETTE[0]?.light as string]).get("a") as number;
    expect(placed % HUES).not.toBe(0);
  });

  it("leaves a crowd its own colours, evenly", () => {
    const counts = new Array<number>(PALETTE.length).fill(0);
    for (const slot of tellApart(all, own).values()) counts[slot] = (counts[slot] ?? 0) + 1;
    expect(Math.min(...counts)).toBeGreaterThan(30);
  });
});

describe("shades", () => {
  it.each(["light", "dark"] as const)("of one hue differ from it and contrast with the card (%s)", (theme) => {
    const surface = theme === "light" ? "#ffffff" : "#151a22";
    for (const color of PALETTE.slice(0, HUES)) {
      for (const shade of [faded(color), deep(color)]) {
        expect(distance(toOklab(shade[theme]), toOklab(color[theme])), color[theme]).toBeGreaterThan(0.08);
        expect(contrast(shade[theme], surface), shade[theme]).toBeGreaterThan(1.5);
      }
      expect(faded(color)).toBe(faded(color));
    }
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
