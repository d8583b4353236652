import { expect, it } from "vitest";
import { tagInLegend } from "./legend_text";

it("names a tag in a legend", () => {
  const said = { run: "a", runs: 1, display_name: "", description: "Per token" };
  expect(tagInLegend("val/loss", [])).toEqual({ label: "val/loss", hint: "val/loss" });
  expect(tagInLegend("val/loss", [said, { ...said, run: "b" }])).toEqual({
    label: "val/loss",
    hint: "val/loss\nPer token",
  });
  expect(tagInLegend("a\nb", [{ ...said, display_name: "Loss" }])).toEqual({
    label: "Loss · a\nb",
    hint: "a␊b\nPer token",
  });
});
