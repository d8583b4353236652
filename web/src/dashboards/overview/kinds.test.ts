import { describe, expect, it } from "vitest";
import type { CardOffer, Tab } from "../../cards/dashboards";
import { countTags, kindChips, shownOffers } from "./kinds";

const offer = (kind: CardOffer["kind"], more: Partial<CardOffer> = {}): CardOffer => ({
  kind,
  per: "tag",
  heightPx: 100,
  load: () => Promise.reject(new Error("not loaded")),
  ...more,
});
const tab = (name: string, cards: readonly CardOffer[], is_active = true): Tab =>
  ({ name, title: name.toUpperCase(), is_active, cards }) as unknown as Tab;

const TABS = [
  tab("overview", []),
  tab("scalars", [offer("scalar")]),
  tab("images", [offer("image")], false),
  tab("histograms", [offer("histogram")]),
  tab("distributions", [offer("histogram")]),
  tab("custom", [offer("custom_scalars", { isMade: true })]),
];

describe("the chips of the overview", () => {
  it("are one for each dashboard with cards of its own", () => {
    expect(kindChips(TABS, new Set()).map(({ name, isOn }) => [name, isOn])).toEqual([
      ["scalars", true],
      ["histograms", true],
    ]);
    expect(kindChips(TABS, new Set(["histograms"])).map(({ isOn }) => isOn)).toEqual([true, false]);
  });

  it("turn kinds off", () => {
    const kinds = (...off: string[]): string[] => shownOffers(TABS, new Set(off)).map(({ kind }) => kind);
    expect(kinds()).toEqual(["scalar", "histogram", "histogram", "custom_scalars"]);
    expect(kinds("scalars", "custom")).toEqual(["histogram", "histogram", "custom_scalars"]);
  });

  it("count the tags of the shown runs", () => {
    const index = {
      generation: 1,
      runs: { a: 0, b: 1 },
      tag_sets: [
        { loss: "scalar", lr: "scalar" },
        { loss: "scalar", x_FACE: "scalar" },
      ],
    } as const;
    const scalars = [offer("scalar", { skips: (tag) => tag.endsWith("_FACE") })];
    expect(countTags(scalars, ["a", "b"], () => index as never)).toBe(2);
    expect(countTags(scalars, ["b"], () => index as never)).toBe(1);
    expect(countTags(scalars, ["b"], () => null)).toBeNull();
  });
});
