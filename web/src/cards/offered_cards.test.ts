import { describe, expect, it } from "vitest";
import type { CardKind } from "../api/asset_kind";
import type { TagIndex } from "../api/types";
import { cardId } from "./card_id";
import type { CardOffer } from "./dashboards";
import { OfferedCards } from "./offered_cards.svelte";
import type { Session } from "../state/session.svelte";
import { Settings } from "../state/view/settings.svelte";
import { OTHER, PINNED } from "./tag_sections";
import { twinsOf } from "./twins.svelte";

const offer = (kind: CardKind, more: Partial<CardOffer> = {}): CardOffer => ({
  kind,
  per: "run",
  heightPx: 200,
  load: () => Promise.reject(new Error("not drawn here")),
  ...more,
});

/** By kind and run, the tags of that kind. */
type Logs = Partial<Record<CardKind, Record<string, readonly string[]>>>;

function begin(
  logs: Logs,
  offers: readonly CardOffer[],
  { shown = ["a", "b"] as readonly string[], isLoaded = true } = {},
) {
  const settings = new Settings();
  const indices = new Map<CardKind, TagIndex>(
    Object.entries(logs).map(([kind, runs]) => [
      kind as CardKind,
      {
        generation: 1,
        runs: Object.fromEntries(Object.keys(runs).map((run, i) => [run, i])),
        tag_sets: Object.values(runs).map((tags) => Object.fromEntries(tags.map((tag) => [tag, kind]))),
      },
    ]),
  );
  const session = {
    settings,
    isLoaded,
    runs: { shown },
    tags: { index: (kind: CardKind) => indices.get(kind) ?? null },
  } as unknown as Session;
  return { settings, session, cards: new OfferedCards(session, offers) };
}

const image = (run: string, tag: string): string => cardId({ kind: "image", run, tag });
const LOGS: Logs = { image: { a: ["in/x10", "in/x9", "plain"], b: ["in/x9"] } };

describe("OfferedCards", () => {
  it("has a card for each shown run that has the tag, in sections by prefix and natural order", () => {
    const { cards } = begin(LOGS, [offer("image")]);
    expect(cards.sections.map(({ key, ids }) => [key, ids])).toEqual([
      ["", [image("a", "plain")]],
      ["in", [image("a", "in/x9"), image("b", "in/x9"), image("a", "in/x10")]],
    ]);
    expect(cards.tags).toEqual(["in/x9", "in/x10", "plain"]);
  });

  it("shows what several runs logged alike once, in the first that is shown", () => {
    const logs: Logs = { image: { z: ["x"], a: ["x", "y"], b: ["x", "y"], c: ["x", "y"] } };
    const { cards, session } = begin(logs, [offer("image")], { shown: ["a", "b", "c"] });
    twinsOf(session).set("image", [
      { tag: "x", runs: ["z", "a", "c"] },
      { tag: "y", runs: ["b", "c"] },
    ]);
    const ids = [image("a", "x"), image("b", "x"), image("a", "y"), image("b", "y")];
    expect(cards.sections.map((section) => section.ids)).toEqual([ids]);
    expect(ids.map((id) => cards.runsOf(id))).toEqual([["a", "c"], ["b"], ["a"], ["b", "c"]]);
    twinsOf(session).set("image", []);
    expect(cards.sections[0]?.ids).toHaveLength(6);
  });

  it("has one card for all runs where the kind is shown by tag", () => {
    const { cards } = begin(LOGS, [offer("image", { per: "tag" })]);
    const id = cardId({ kind: "image", run: null, tag: "in/x9" });
    expect(cards.sections.at(-1)?.ids[0]).toBe(id);
    expect(cards.runsOf(id)).toEqual(["a", "b"]);
    expect(cards.runsOf(image("b", "in/x9"))).toEqual(["b"]);
  });

  it("leaves out runs that are not shown", () => {
    const { cards } = begin(LOGS, [offer("image")], { shown: ["b"] });
    expect(cards.sections.flatMap(({ ids }) => ids)).toEqual([image("b", "in/x9")]);
  });

  it("mixes kinds under one tag, and skips parts of others", () => {
    const logs: Logs = { image: { a: ["x"] }, mesh: { a: ["x_VERTEX", "x_FACE"] } };
    const { cards } = begin(logs, [
      offer("image"),
      offer("mesh", { skips: (tag) => tag.endsWith("_FACE"), titleOf: (tag) => tag.replace("_VERTEX", "") }),
    ]);
    const mesh = cardId({ kind: "mesh", run: "a", tag: "x_VERTEX" });
    expect(cards.sections.flatMap(({ ids }) => ids)).toEqual([image("a", "x"), mesh]);
    expect([cards.titleOf(mesh), cards.titleOf(image("a", "x"))]).toEqual(["x", "x"]);
  });

  it("has what is not a scalar and has no prefix last, behind scalars without one", () => {
    const loss = cardId({ kind: "scalar", run: null, tag: "loss" });
    const logs: Logs = { ...LOGS, scalar: { a: ["loss"] } };
    const { cards } = begin(logs, [offer("scalar", { per: "tag" }), offer("image")]);
    expect(cards.sections.map(({ key, title, isBare, ids }) => [key, title, isBare, ids.length])).toEqual([
      ["", "Scalars", true, 1],
      ["in", "in", false, 3],
      [OTHER, "Other", false, 1],
    ]);
    expect(cards.sections[0]?.ids).toEqual([loss]);
  });

  it("has sections of histograms alone, and long ones, behind those to look at first", () => {
    const layers = Array.from({ length: 25 }, (_, i) => `grad_norm/layer${i}`);
    const logs: Logs = {
      scalar: { a: ["val/loss", "speed/samples", ...layers] },
      histogram: { a: ["activations/first", "train/weights", "speed/samples"] },
    };
    const keysOf = (offers: readonly CardOffer[]): readonly string[] =>
      begin(logs, offers).cards.sections.map(({ key }) => key);
    const both = [offer("scalar", { per: "tag" }), offer("histogram")];
    expect(keysOf(both)).toEqual(["train", "val", "speed", "activations", "grad_norm"]);
    expect(keysOf(both.slice(0, 1))).toEqual(["val", "grad_norm", "speed"]);
    expect(keysOf(both.slice(1))).toEqual(["train", "activations", "speed"]);
  });

  it("has a card for each asset of each shown run, filtered and pinned like the others", () => {
    const profile = (run: string, tag: string): string => cardId({ kind: "assets/profile", run, tag });
    const logs: Logs = { ...LOGS, "assets/profile": { a: ["in/one.pb", "in/two.pb"], b: ["in/one.pb"] } };
    const { cards, settings } = begin(logs, [offer("image"), offer("assets/profile", { heightPx: 90 })]);
    settings.set({ tagFilter: "one|plain", pinned: [profile("b", "in/one.pb")] });
    expect(cards.sections.map(({ key, ids }) => [key, ids])).toEqual([
      [PINNED, [profile("b", "in/one.pb")]],
      ["", [image("a", "plain")]],
      ["in", [profile("a", "in/one.pb")]],
    ]);
    expect(cards.sizeOf(profile("a", "in/one.pb")).heightPx).toBe(90);
    expect([profile("a", "in/two.pb"), profile("b", "in/two.pb")].map(cards.isGone)).toEqual([false, true]);
  });

  it("names the section of assets below plugins by their family", () => {
    const logs: Logs = { "assets/profile": { a: ["plugins/profile/x/host.xplane.pb", "own/trace.json"] } };
    const { cards } = begin(logs, [offer("assets/profile")]);
    expect(cards.sections.map(({ key }) => key)).toEqual(["own", "profile"]);
  });

  it("takes the first of two offers for one kind", () => {
    const { cards } = begin(LOGS, [offer("image", { heightPx: 1 }), offer("image", { heightPx: 2 })]);
    expect(cards.offer(image("a", "plain"))?.heightPx).toBe(1);
    expect(cards.sections.flatMap(({ ids }) => ids)).toHaveLength(4);
  });

  it("filters by tag, and keeps the last good pattern while a broken one is typed", () => {
    const { cards, settings } = begin(LOGS, [offer("image")]);
    settings.set({ tagFilter: "x9" });
    expect(cards.sections.map(({ key, ids, total }) => [key, ids.length, total])).toEqual([["in", 2, 3]]);
    settings.set({ tagFilter: "x9(" });
    expect(cards.filter.error).not.toBeNull();
    expect(cards.sections.map(({ ids }) => ids.length)).toEqual([2]);
  });

  it("puts pinned cards first, and leaves pins of other kinds to others", () => {
    const { cards, settings } = begin(LOGS, [offer("image")]);
    settings.set({ pinned: ["loss", image("b", "in/x9")] });
    expect(cards.sections.map(({ key, ids }) => [key, ids])).toEqual([
      [PINNED, [image("b", "in/x9")]],
      ["", [image("a", "plain")]],
      ["in", [image("a", "in/x9"), image("a", "in/x10")]],
    ]);
  });

  it("says which cards are about something that is gone, once everything was read", () => {
    const { cards } = begin(LOGS, [offer("image")]);
    expect([image("a", "plain"), image("b", "plain"), image("gone", "plain")].map(cards.isGone)).toEqual([
      false,
      true,
      true,
    ]);
    expect(begin(LOGS, [offer("image")], { isLoaded: false }).cards.isGone(image("gone", "plain"))).toBe(false);
    expect(begin({}, [offer("image")]).cards.isGone(image("gone", "plain"))).toBe(false);
  });

  it("is listed once every kind is", () => {
    expect(begin(LOGS, [offer("image")]).cards.isListed).toBe(true);
    expect(begin(LOGS, [offer("image"), offer("text")]).cards.isListed).toBe(false);
  });

  it("has the size that the user gave a card, else that of its kind", () => {
    const { cards, settings } = begin(LOGS, [offer("image")]);
    settings.setCard(image("a", "plain"), { heightPx: 500, isWide: true });
    expect([image("a", "plain"), image("a", "in/x9")].map(cards.sizeOf)).toEqual([
      { heightPx: 500, isWide: true },
      { heightPx: 200, isWide: false },
    ]);
  });
});
