import { describe, expect, it } from "vitest";
import { Settings } from "../state/view/settings.svelte";
import { goalIn, readMetrics, setMetrics } from "./main_metrics";

describe("the metrics that runs are compared by", () => {
  it("are kept, also none", () => {
    const settings = new Settings();
    expect(readMetrics(settings)).toBeNull();
    const chosen = [
      { best: "max", tag: "a;b" },
      { best: "min", tag: "val/loss" },
    ] as const;
    setMetrics(settings, chosen);
    expect(readMetrics(settings)).toEqual(chosen);
    setMetrics(settings, []);
    expect(readMetrics(settings)).toEqual([]);
    setMetrics(settings, null);
    expect(settings.options.size).toBe(0);
  });

  it("leave out what an address names wrongly or twice", () => {
    const settings = new Settings();
    settings.setOption("overview.metrics", "up;x;min;y;max;y");
    expect(readMetrics(settings)).toEqual([{ best: "min", tag: "y" }]);
  });

  it("have the goal that the user chose, otherwise the one of their name", () => {
    const settings = new Settings();
    setMetrics(settings, [{ best: "min", tag: "accuracy" }]);
    expect(["accuracy", "val/accuracy", "loss", "lr"].map((tag) => goalIn(settings, tag))).toEqual([
      "min",
      "max",
      "min",
      null,
    ]);
  });
});
