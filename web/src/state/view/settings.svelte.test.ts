// @vitest-environment jsdom
import { flushSync } from "svelte";
import { expect, it } from "vitest";
import { Settings } from "./settings.svelte";
import { DEFAULT_VIEW } from "./view";

it("makes each field reactive by itself, and the view as a whole", () => {
  const settings = new Settings();
  const heard: string[] = [];
  const stop = $effect.root(() => {
    $effect(() => void heard.push(`filter ${settings.tagFilter}`));
    $effect(() => void heard.push(`axis ${settings.xAxis}`));
    $effect(() => void heard.push(`view ${settings.view.tagFilter} ${settings.view.xAxis}`));
  });
  flushSync();
  expect(heard.splice(0)).toEqual(["filter ", "axis step", "view  step"]);
  settings.set({ tagFilter: "loss" });
  flushSync();
  expect(heard.splice(0)).toEqual(["filter loss", "view loss step"]);
  settings.view = { ...DEFAULT_VIEW, xAxis: "wall" };
  flushSync();
  expect(heard.splice(0)).toEqual(["filter ", "axis wall", "view  wall"]);
  stop();
});

it("starts with every field of the view", () => {
  const settings = new Settings();
  for (const [name, value] of Object.entries(DEFAULT_VIEW)) expect(settings[name as keyof Settings]).toBe(value);
});
