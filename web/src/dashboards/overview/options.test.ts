import { describe, expect, it } from "vitest";
import { Settings } from "../../state/view/settings.svelte";
import { readMetrics, readOff, setMetrics, toggleOff } from "./options";

describe("the options of the overview", () => {
  it("keep the kinds that are off", () => {
    const settings = new Settings();
    for (const name of ["text", "images", "text"]) toggleOff(settings, name);
    expect([...readOff(settings)]).toEqual(["images"]);
    toggleOff(settings, "images");
    expect(settings.options.size).toBe(0);
  });

  it("keep the chosen metrics, also none", () => {
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

  it("leave out metrics that an address names wrongly or twice", () => {
    const settings = new Settings();
    settings.setOption("overview.metrics", "up;x;min;y;max;y");
    expect(readMetrics(settings)).toEqual([{ best: "min", tag: "y" }]);
  });
});
