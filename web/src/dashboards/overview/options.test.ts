import { describe, expect, it } from "vitest";
import { Settings } from "../../state/view/settings.svelte";
import { readOff, toggleOff } from "./options";

describe("the options of the overview", () => {
  it("keep the kinds that are off", () => {
    const settings = new Settings();
    for (const name of ["text", "images", "text"]) toggleOff(settings, name);
    expect([...readOff(settings)]).toEqual(["images"]);
    toggleOff(settings, "images");
    expect(settings.options.size).toBe(0);
  });
});
