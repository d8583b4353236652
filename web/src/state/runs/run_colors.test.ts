import { describe, expect, it } from "vitest";
import { assignColors, HUES, PALETTE } from "./colors";
import { colorBands, colorRuns, GREY, rampColor, shadeOf } from "./run_colors";

/** How light a colour looks, 0 to 1: its luminance is enough to order colours. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((i) => (Number.parseInt(hex.slice(i, i + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const contrast = (a: string, b: string): number => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((p, q) => p - q);
  return (high + 0.05) / (low + 0.05);
};

describe("colours of runs", () => {
  it("are their own by default", () => {
    const { colors, legend } = colorRuns(["a", "b"], "run", {});
    const slots = assignColors(["a", "b"]);
    expect(colors.get("b")).toBe(PALETTE[slots.get("b") as number]);
    expect(legend).toEqual({ kind: "none" });
  });

  it("are the group's by pattern, grey for the rest", () => {
    const { colors, legend } = colorRuns(["x", "a/train", "b/train", "a/val"], "regex:(train|val)", {});
    expect(colors.get("a/train")).toBe(colors.get("b/train"));
    expect(colors.get("a/train")).not.toBe(colors.get("a/val"));
    expect(colors.get("x")).toBe(GREY);
    expect(legend.kind === "groups" && legend.groups.map(({ label, count }) => `${label} ${count}`)).toEqual([
      "train 2",
      "val 1",
      "other 1",
    ]);
  });

  it("stay when a newer run brings another group", () => {
    const before = colorRuns(["a/1", "b/1"], "directory:1", {}).colors;
    const after = colorRuns(["a/1", "b/1", "c/1"], "directory:1", {}).colors;
    expect([...before].every(([name, color]) => after.get(name) === color)).toBe(true);
  });

  it("use one scale for numbers, logarithmic over a wide range", () => {
    const hparams = { a: { lr: 1e-4 }, b: { lr: 1e-3 }, c: { lr: 1e-2 }, d: {} };
    const { colors, legend } = colorRuns(["a", "b", "c", "d"], "hparam:lr", hparams);
    expect(legend).toEqual({ kind: "scale", name: "lr", low: 1e-4, high: 1e-2, isLog: true });
    expect([colors.get("a"), colors.get("b"), colors.get("c"), colors.get("d")]).toEqual([
      rampColor(0),
      rampColor(0.5),
      rampColor(1),
      GREY,
    ]);
    expect(colorRuns(["a", "b", "c"], "hparam:n", { a: { n: -1 }, b: { n: 0 }, c: { n: 3 } }).colors.get("b")).toEqual(
      rampColor(0.25),
    );
  });

  it("do not stretch to runs that are hidden", () => {
    const hparams = { a: { lr: 1 }, b: { lr: 2 }, c: { lr: 3 }, d: { lr: 900 }, e: { lr: -5 } };
    const shown = { runs: [], own: new Map<string, string>(), hidden: new Map(["d", "e"].map((name) => [name, true])) };
    const { colors, legend } = colorRuns(Object.keys(hparams), "hparam:lr", hparams, shown);
    expect(legend).toMatchObject({ low: 1, high: 3 });
    expect(["b", "d", "e"].map((name) => colors.get(name))).toEqual([rampColor(0.5), rampColor(1), rampColor(0)]);
  });

  it("use groups for texts, and for two numbers", () => {
    expect(colorRuns(["a", "b"], "hparam:o", { a: { o: "x" }, b: { o: "y" } }).legend.kind).toBe("groups");
    expect(colorRuns(["a", "b"], "hparam:n", { a: { n: 1 }, b: { n: 2 } }).legend.kind).toBe("groups");
  });
});

const NO_MARKS = new Map<string, string>();
const hueOf = (color: unknown): number => PALETTE.indexOf(color as (typeof PALETTE)[number]) % HUES;

describe("colours of runs that are shown together", () => {
  const names = Array.from({ length: 200 }, (_, i) => `run${i}`);

  it("differ in hue, the same however they came to be shown", () => {
    const own = colorRuns(names, "run", {}).colors;
    const twins = names.filter((name) => hueOf(own.get(name)) === hueOf(own.get("run0"))).slice(0, 3);
    const shown = colorRuns(names, "run", {}, { runs: twins, own: NO_MARKS }).colors;
    expect(new Set(twins.map((name) => hueOf(shown.get(name)))).size).toBe(3);
    expect(shown.get("run0")).toBe(own.get("run0"));
    // Runs that are not shown keep theirs.
    const others = names.filter((name) => !twins.includes(name));
    expect(others.every((name) => shown.get(name) === own.get(name))).toBe(true);
  });

  it("are shades of one hue in a training, which moves as one", () => {
    const parts = names.flatMap((name) => [`${name}/train`, `${name}/val`]);
    const own = colorRuns(parts, "run", {}).colors;
    const base = (name: string): number => hueOf(own.get(`${name}/val`));
    const twin = names.slice(1).find((name) => base(name) === base("run0")) as string;
    const runs = ["run0/train", "run0/val", `${twin}/train`, `${twin}/val`];
    const { colors, looks } = colorRuns(parts, "run", {}, { runs, own: NO_MARKS });
    const lines = runs.map((run) => shadeOf(colors.get(run) ?? GREY, looks.get(run)));
    expect(new Set(lines).size).toBe(4);
    expect(colors.get(`${twin}/train`)).toBe(colors.get(`${twin}/val`));
    expect(hueOf(colors.get(`${twin}/val`))).not.toBe(base(twin));
    expect(runs.map((run) => looks.has(run))).toEqual([true, false, true, false]);
  });

  it("differ by group if they have the colours of groups", () => {
    const grouped = names.map((name, i) => `g${i % 60}/${name}`);
    const runs = grouped.filter((name) => /^g(0|8|16|24|32)\//.test(name));
    const { colors } = colorRuns(grouped, "directory:1", {}, { runs, own: NO_MARKS });
    expect(new Set(runs.map((run) => hueOf(colors.get(run)))).size).toBe(5);
  });
});

describe("colours of runs in bands", () => {
  const names = ["a/s1", "a/s2", "b/s1", "b/s2"];

  it("are those of their groups", () => {
    const { colors, legend } = colorBands(names, "directory:1", {}, names, "run");
    expect(colors.get("a/s1")).toBe(colors.get("a/s2"));
    expect(colors.get("a/s1")).not.toBe(colors.get("b/s1"));
    expect(legend.kind).toBe("none");
  });

  it("stay where the whole group has the same", () => {
    const hparams = Object.fromEntries(names.map((name, i) => [name, { lr: i < 2 ? 1 : i }]));
    const own = colorRuns(names, "hparam:lr", hparams).colors;
    const { colors } = colorBands(names, "directory:1", hparams, names, "hparam:lr");
    expect(colors.get("a/s1")).toBe(own.get("a/s1"));
    expect(colors.get("b/s1")).toBe(colors.get("b/s2"));
  });

  it("have one hue for training and validation of a configuration", () => {
    const hparams = { "x/train": { lr: 1 }, "x/val": { lr: 1 }, "y/train": { lr: 2 }, "y/val": { lr: 2 } };
    const { colors, looks } = colorBands(Object.keys(hparams), "config", hparams, Object.keys(hparams), "run");
    expect(new Set(colors.values()).size).toBe(4);
    expect([...looks.keys()]).toEqual(["x/train", "y/train"]);
  });
});

describe("the scale", () => {
  it.each(["light", "dark"] as const)("grows lighter from end to end and contrasts with the card (%s)", (theme) => {
    const shades = Array.from({ length: 33 }, (_, i) => rampColor(i / 32)[theme]);
    shades
      .slice(1)
      .forEach((shade, i) => expect(luminance(shade), shade).toBeGreaterThan(luminance(shades[i] as string)));
    const background = theme === "light" ? "#ffffff" : "#151a22";
    for (const shade of [...shades, GREY[theme]])
      expect(contrast(shade, background), shade).toBeGreaterThan(theme === "light" ? 1.95 : 2.6);
  });

  it("ends at its ends", () => {
    expect([rampColor(-1), rampColor(2)]).toEqual([rampColor(0), rampColor(1)]);
  });
});
