import { describe, expect, it } from "vitest";
import type { Run } from "../api/types";
import { Changes } from "./changes.svelte";
import { Overlay } from "./overlay.svelte";
import { RunsState } from "./runs.svelte";
import { Settings } from "./settings.svelte";

const run = (name: string): Run => ({
  name, start_time: 0, last_wall_time: 0, series: 1, points: 1, files: 1, size_bytes: 1, health: "ok", restarts: 0,
});

function state(...names: string[]): { runs: RunsState; settings: Settings } {
  const settings = new Settings();
  const runs = new RunsState(settings, new Overlay());
  runs.setAll(names.map(run));
  return { runs, settings };
}

describe("RunsState", () => {
  it("shows what is listed and ticked", () => {
    const { runs, settings } = state("a/train", "a/val", "b/train");
    expect(runs.isAllShown).toBe(true);
    settings.set({ runFilter: "train" });
    runs.tick(["b/train"], false);
    expect(runs.listed.map((r) => r.name)).toEqual(["a/train", "b/train"]);
    expect(runs.shown).toEqual(["a/train"]);
  });

  it("ticks only what the filter lists", () => {
    const { runs, settings } = state("a/train", "a/val", "b/train");
    settings.set({ runFilter: "train" });
    runs.tickListed(false);
    expect(runs.shown).toEqual([]);
    settings.set({ runFilter: "" });
    expect(runs.shown).toEqual(["a/val"]);
    runs.tickOnly("b/train");
    expect(runs.shown).toEqual(["b/train"]);
    runs.tickListed(true);
    expect(runs.isAllShown).toBe(true);
  });

  it("keeps its arrays when only counts have grown, so that nothing is drawn again", () => {
    const { runs } = state("a", "b");
    const before = [runs.names, runs.shown];
    runs.setAll([run("a"), { ...run("b"), points: 2 }]);
    expect([runs.names, runs.shown].every((array, i) => array === before[i])).toBe(true);
  });

  it("shows a run that appears later when all were ticked", () => {
    const { runs } = state("a");
    runs.setAll([run("a"), run("b")]);
    expect(runs.shown).toEqual(["a", "b"]);
  });
});

describe("Changes", () => {
  it("tells which runs are newer than what a card has", () => {
    const changes = new Changes();
    changes.add({ generation: 5, runs: null });
    expect(changes.isNewer(5, ["a"])).toBe(false);
    expect(changes.isNewer(4, ["a"])).toBe(true);
    changes.add({ generation: 6, runs: ["a"] });
    changes.add({ generation: 7, runs: ["b"] });
    expect(changes.isNewer(5, ["a", "c"])).toBe(true);
    expect(changes.isNewer(6, ["a", "c"])).toBe(false);
    expect(changes.isNewer(5, ["c"])).toBe(false);
  });

  it("knows another server by its lower generation", () => {
    const changes = new Changes();
    changes.add({ generation: 90, runs: ["a"] });
    changes.add({ generation: 3, runs: null });
    expect([changes.epoch, changes.generation]).toEqual([1, 3]);
    expect(changes.isNewer(3, ["a"])).toBe(false);
  });
});
