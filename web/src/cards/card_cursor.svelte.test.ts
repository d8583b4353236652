// @vitest-environment jsdom
import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SeriesSteps } from "../api/steps";
import type { Run } from "../api/types";
import { CardCursor } from "./card_cursor.svelte";
import { Changes } from "../state/changes.svelte";
import { Cursor } from "../state/cursor/cursor.svelte";
import { Samples } from "../state/cursor/samples.svelte";
import type { RunsState } from "../state/runs/runs.svelte";
import type { Session } from "../state/session.svelte";
import { Settings } from "../state/view/settings.svelte";

const START = 1000;
const RUN = "a";
const TAG = "x";
const series: SeriesSteps = {
  run: RUN,
  tag: TAG,
  generation: 1,
  step: Float64Array.of(0, 10, 20, 40),
  wallTime: Float64Array.of(START + 1, START + 2, START + 4, START + 8),
  row: Uint32Array.of(0, 1, 5, 6),
};

/** What was planned is asked in the next task. */
const settle = async (): Promise<void> => {
  flushSync();
  await vi.advanceTimersByTimeAsync(0);
  flushSync();
};

/** A card whose series the server has, unless it is asked for another. */
async function begin({ isWanted = true, tag = TAG } = {}) {
  let asked = 0;
  const settings = new Settings();
  const samples = new Samples((_kind, refs) => {
    asked++;
    return Promise.resolve({ generation: 1, series: refs.some((ref) => ref.tag === TAG) ? [series] : [] });
  }, new Changes());
  let byName = $state.raw(new Map([[RUN, { name: RUN, start_time: START } as Run]]));
  const runs = {
    get byName() {
      return byName;
    },
    names: [RUN],
    shown: [RUN],
    isAllShown: true,
  };
  const shared = new Cursor(settings, runs as unknown as RunsState, new Changes(), {
    stops: () => Promise.reject(new Error("not asked here")),
    tags: () => Promise.reject(new Error("not asked here")),
  });
  const session = { settings, samples, runs, cursor: shared } as unknown as Session;
  let cursor: CardCursor | undefined;
  $effect.root(() => {
    cursor = new CardCursor(
      session,
      () => "card",
      () => ({ kind: "image", run: RUN, tag }),
      () => isWanted,
    );
  });
  await settle();
  const grow = (run: string): void => void (byName = new Map(byName).set(run, { name: run } as Run));
  return { cursor: cursor as CardCursor, shared, settings, askedCount: () => asked, grow };
}

describe("CardCursor", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("asks only when the card is in sight", async () => {
    const { cursor, askedCount } = await begin({ isWanted: false });
    expect([askedCount(), cursor.series, cursor.sample, cursor.isEmpty]).toEqual([0, null, null, false]);
  });

  it("stands at the newest value at first, with all that names it", async () => {
    const { cursor } = await begin();
    expect(cursor.sample).toEqual({ run: RUN, tag: TAG, row: 6, step: 40, wallTime: START + 8 });
    expect([cursor.at, cursor.index, cursor.isNearest, cursor.isEmpty]).toEqual([null, 3, false, false]);
  });

  it("keeps its positions while another run grows", async () => {
    const { cursor, settings, grow } = await begin();
    settings.set({ cursorAxis: "relative" });
    const { places } = cursor;
    grow("b");
    await settle();
    expect(places).toEqual(Float64Array.of(1, 2, 4, 8));
    expect(cursor.places).toBe(places);
  });

  it("says when there is nothing", async () => {
    const { cursor } = await begin({ tag: "gone" });
    expect([cursor.isEmpty, cursor.index, cursor.sample, cursor.error]).toEqual([true, -1, null, null]);
  });

  it("goes with the cursor of all cards, to the nearest value where none is just there", async () => {
    const { cursor, shared } = await begin();
    shared.set(10);
    expect([cursor.sample?.step, cursor.isNearest]).toEqual([10, false]);
    shared.set(26);
    expect([cursor.sample?.step, cursor.isNearest]).toEqual([20, true]);
    // Of two that are equally near, the later.
    shared.set(30);
    expect(cursor.sample?.step).toBe(40);
  });

  it("moves all cards while they are linked", async () => {
    const { cursor, shared, settings } = await begin();
    cursor.move(1);
    expect([shared.at, cursor.sample?.step]).toEqual([10, 10]);
    cursor.move(-5);
    expect(shared.at).toBe(0);
    cursor.move(99);
    expect(settings.cursor).toEqual({ axis: "step", at: 40 });
    cursor.follow();
    expect(settings.cursor).toBeNull();
  });

  it("stays where it is when cards are unlinked, and then goes its own way", async () => {
    const { cursor, shared, settings } = await begin();
    shared.set(10);
    shared.setLinked(false);
    expect(cursor.sample?.step).toBe(10);
    cursor.move(2);
    expect([cursor.sample?.step, shared.at]).toEqual([20, 10]);
    cursor.follow();
    expect([cursor.sample?.step, settings.card("card").at]).toEqual([40, null]);
    shared.setLinked(true);
    expect(cursor.sample?.step).toBe(10);
    shared.setLinked(false);
    expect([cursor.sample?.step, settings.cards.has("card")]).toEqual([10, false]);
  });

  it("counts time from the start of its run, or by the clock", async () => {
    const { cursor, shared, settings } = await begin();
    shared.setAxis("relative");
    shared.set(4);
    expect([cursor.sample?.step, cursor.isNearest]).toEqual([20, false]);
    shared.setAxis("wall");
    shared.set(START + 2.2);
    expect([cursor.sample?.step, cursor.isNearest]).toEqual([10, true]);
    cursor.move(0);
    expect(settings.cursor).toEqual({ axis: "wall", at: START + 1 });
  });

  it("is not asked for again when others become known", async () => {
    const asked: string[][] = [];
    const answers: (() => void)[] = [];
    const samples = new Samples((_kind, refs) => {
      asked.push(refs.map((ref) => ref.tag));
      const found = refs.map((ref) => ({ ...series, tag: ref.tag }));
      return new Promise((resolve) => answers.push(() => resolve({ generation: 1, series: found })));
    }, new Changes());
    const session = { settings: new Settings(), samples, runs: { byName: new Map() } } as unknown as Session;
    const add = (tag: string) =>
      $effect.root(
        () =>
          void new CardCursor(
            session,
            () => tag,
            () => ({ kind: "image", run: RUN, tag }),
            () => true,
          ),
      );
    add("x");
    await Promise.resolve();
    add("y");
    await settle();
    add("z");
    await settle();
    for (const answer of answers) {
      answer();
      await settle();
    }
    expect(asked).toEqual([["x", "y"], ["z"]]);
  });
});
