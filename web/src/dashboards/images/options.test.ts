import { expect, test } from "vitest";
import { Settings } from "../../state/view/settings.svelte";
import { cssFilter } from "./filters";
import { isAdjusted, PLAIN, readDisplay, setDisplay } from "./options";

test("what is set is read again, and what is plain is not in the address", () => {
  const settings = new Settings();
  setDisplay(settings, { brightness: 1.5, channel: "green", scaling: "linear", isActualSize: true });
  expect(readDisplay(settings)).toEqual({
    ...PLAIN,
    brightness: 1.5,
    channel: "green",
    scaling: "linear",
    isActualSize: true,
  });
  setDisplay(settings, PLAIN);
  expect(settings.options.size).toBe(0);
});

test("what an address cannot mean is left out", () => {
  const settings = new Settings();
  settings.setOption("images.brightness", "-3");
  settings.setOption("images.gamma", "x");
  settings.setOption("images.channel", "infrared");
  expect(readDisplay(settings)).toEqual(PLAIN);
});

test("a plain picture is not filtered", () => {
  expect(cssFilter(PLAIN, "f")).toBe("none");
  expect(isAdjusted({ ...PLAIN, scaling: "linear", isActualSize: true })).toBe(false);
});
