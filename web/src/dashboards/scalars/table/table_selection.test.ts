import { describe, expect, it } from "vitest";
import { Settings } from "../../../state/view/settings.svelte";
import { DEFAULT_VIEW, type View } from "../../../state/view/view";
import {
  changeLinked,
  changeSelecting,
  changeSelection,
  type SelectionView,
  shownSelection,
  writeSelection,
} from "./table_selection";

const view = (change: Partial<View>): View => ({ ...DEFAULT_VIEW, ...change });
const linked = (selecting: View["selecting"], linkedSelection: readonly number[]): SelectionView => ({
  selecting,
  isSelectionLinked: true,
  linkedSelection,
});
const shown = (selecting: View["selecting"], own?: readonly number[]): readonly number[] =>
  shownSelection(view({ selecting }), own, [0, 100]).selection;

describe("shownSelection", () => {
  it("starts at the last x, or over all of it", () => {
    expect(shown("none")).toEqual([]);
    expect(shown("step")).toEqual([100]);
    expect(shown("range")).toEqual([0, 100]);
  });

  it("puts the card's own selection first, in every mode", () => {
    expect(shown("none", [40])).toEqual([40]);
    expect(shown("none", [20, 40])).toEqual([20, 40]);
    expect(shown("step", [20, 40])).toEqual([20, 40]);
    expect(shown("step", [])).toEqual([]);
    expect(shown("range", [40, 40])).toEqual([40]);
  });

  it("makes a range of a single one by starting at the first x", () => {
    expect(shown("range", [40])).toEqual([0, 40]);
    expect(shownSelection(linked("range", [40]), undefined, [10, 100]).selection).toEqual([10, 40]);
  });

  it("clips to the card's data and says so", () => {
    expect(shownSelection(linked("step", [500]), undefined, [0, 100])).toEqual({ selection: [100], isClipped: true });
    expect(shownSelection(linked("range", [-5, 50]), undefined, [0, 100])).toEqual({
      selection: [0, 50],
      isClipped: true,
    });
    expect(shownSelection(linked("range", [5, 50]), undefined, [0, 100]).isClipped).toBe(false);
  });

  it("selects nothing without data, and step 0 like any other", () => {
    expect(shownSelection(view({ selecting: "step" }), [3], null).selection).toEqual([]);
    expect(shown("step", [0])).toEqual([0]);
  });

  it("is the same for all cards when linked, wherever each one's last x is", () => {
    expect(shownSelection(linked("step", [70]), [3], [0, 100]).selection).toEqual([70]);
    expect(shownSelection(linked("step", []), [3], [0, 60]).selection).toEqual([60]);
  });
});

describe("changeSelection", () => {
  it("stays with its card until cards are linked", () => {
    expect(changeSelection(view({}), undefined, [], [0])).toEqual({ card: [0] });
    expect(changeSelection(view({ selecting: "step" }), undefined, [100], [50])).toEqual({ card: [50] });
    expect(changeSelection(linked("step", []), undefined, [100], [50])).toEqual({
      page: { selecting: "step", linkedSelection: [50] },
    });
  });

  it("turns a range into a single one and a single one into nothing", () => {
    expect(changeSelection(view({ selecting: "range" }), [20, 40], [20, 40], [20])).toEqual({ card: [20, 20] });
    expect(changeSelection(view({ selecting: "step" }), [20], [20], [])).toEqual({ card: [] });
    expect(changeSelection(view({}), [20], [20], [])).toEqual({ card: undefined });
    expect(changeSelection(linked("range", [20, 40]), undefined, [20, 40], [])).toEqual({
      page: { selecting: "none", linkedSelection: [] },
    });
  });

  it("keeps an end that this card could not show", () => {
    expect(changeSelection(linked("range", [20, 900]), undefined, [20, 100], [35, 100])).toEqual({
      page: { selecting: "range", linkedSelection: [35, 900] },
    });
  });

  it("sorts what was dragged across", () => {
    expect(changeSelection(view({ selecting: "range" }), [20, 40], [20, 40], [60, 40])).toEqual({ card: [40, 60] });
  });
});

describe("changeSelecting", () => {
  const cards = new Map([
    ["a", { selection: [20, 40], isWide: true }],
    ["b", { selection: [30] }],
    ["c", { selection: [] }],
  ]);

  it("takes selections away, keeps the end of ranges, and lets ranges start where a single one was", () => {
    expect(changeSelecting(view({ cards }), "none")).toEqual({
      selecting: "none",
      linkedSelection: [],
      cards: new Map([["a", { isWide: true }]]),
    });
    const step = changeSelecting(view({ cards, selecting: "range", linkedSelection: [1, 2] }), "step");
    expect(step.linkedSelection).toEqual([2]);
    expect(step.cards?.get("a")).toEqual({ selection: [40], isWide: true });
    expect(step.cards?.has("c")).toBe(false);
    expect(changeSelecting(view({ cards, selecting: "step" }), "range").cards?.get("b")).toEqual({ selection: [30] });
  });
});

describe("changeLinked", () => {
  it("starts from a card that has a selection", () => {
    const cards = new Map([
      ["a", { selection: [] }],
      ["b", { selection: [30, 60] }],
    ]);
    expect(changeLinked(view({ cards }), true)).toEqual({
      isSelectionLinked: true,
      linkedSelection: [30, 60],
      selecting: "range",
    });
    expect(changeLinked(view({}), true)).toEqual({ isSelectionLinked: true });
    expect(changeLinked(view({ cards }), false)).toEqual({ isSelectionLinked: false });
  });
});

describe("writeSelection", () => {
  it("writes to the card, and to the page when linked", () => {
    const settings = new Settings();
    writeSelection(settings, "loss", [], [12]);
    expect(settings.card("loss").selection).toEqual([12]);
    settings.set({ isSelectionLinked: true, selecting: "step" });
    writeSelection(settings, "loss", [12], [5, 12]);
    expect(settings.linkedSelection).toEqual([5, 12]);
    expect(settings.selecting).toBe("range");
  });
});
