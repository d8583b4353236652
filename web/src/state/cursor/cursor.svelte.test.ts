// @vitest-environment jsdom
import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Stops } from "../../api/stops";
import type { StopsQuery } from "../../api/types";
import { Changes } from "../changes.svelte";
import type { RunsState } from "../runs/runs.svelte";
import { Settings } from "../view/settings.svelte";
import { Cursor } from "./cursor.svelte";

const CLOCK = { run: "a", startTime: 100, step: Float64Array.of(0, 10), wallTime: Float64Array.of(100, 130) };

/** A server with steps 0, 5 and 10, which remembers what it was asked. */
function begin() {
  const asked: StopsQuery[] = [];
  const server = { generation: 1, at: [0, 5, 10], isQuiet: false };
  const settings = new Settings();
  const changes = new Changes();
  changes.add({ generation: 1, runs: null });
  const runs = $state({ names: ["a", "b"], shown: ["a", "b"], isAllShown: true });
  const cursor = new Cursor(settings, runs as unknown as RunsState, changes, {
    stops: (query): Promise<Stops> => {
      asked.push(query);
      const at = Float64Array.from(server.at, (step) => (query.axis === "step" ? step : step * 3));
      return Promise.resolve({
        generation: server.generation,
        at,
        samples: new Float64Array(),
        newest: at.at(-1) ?? null,
        clock: CLOCK,
      });
    },
    tags: () => Promise.resolve({ generation: 1, runs: { a: 0 }, tag_sets: [{ loss: "scalar", "val/note": "text" }] }),
  });
  $effect.root(() => cursor.follow(() => server.isQuiet));
  return { cursor, settings, changes, runs, server, asked };
}

const settle = async (): Promise<void> => {
  flushSync();
  await vi.advanceTimersByTimeAsync(20_000);
  flushSync();
};

describe("the cursor of the page", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("requests nothing before somebody needs it, and then all stops at once", async () => {
    const { cursor, asked } = begin();
    await settle();
    expect(asked).toEqual([]);
    cursor.want();
    await settle();
    expect(asked).toEqual([{ axis: "step", runs: null, tags: null }]);
    expect([...cursor.places]).toEqual([0, 5, 10]);
    expect([cursor.at, cursor.index, cursor.on("step"), cursor.on("wall")]).toEqual([null, 2, 10, 130]);
  });

  it("stays in the range that is selected in all charts", async () => {
    const { cursor, settings } = begin();
    cursor.want();
    await settle();
    settings.set({ selecting: "range", isSelectionLinked: true, linkedSelection: [0, 6] });
    expect([cursor.index, cursor.on("step"), cursor.on("wall")]).toEqual([1, 5, 115]);
    cursor.set(2);
    expect([cursor.on("step"), cursor.on("wall")]).toEqual([2, 106]);
    cursor.set(10);
    expect([cursor.on("step"), cursor.on("wall")]).toEqual([5, 115]);
    cursor.clearRange();
    expect(cursor.on("step")).toBe(10);
  });

  it("requests them again for other runs and other tags, of whatever kind", async () => {
    const { cursor, runs, settings, asked } = begin();
    cursor.want();
    await settle();
    Object.assign(runs, { shown: ["b"], isAllShown: false });
    await settle();
    expect(asked.at(-1)).toEqual({ axis: "step", runs: ["b"], tags: null });
    settings.set({ tagFilter: "note" });
    await settle();
    expect(asked.at(-1)).toEqual({ axis: "step", runs: ["b"], tags: ["val/note"] });
    expect(asked).toHaveLength(3);
  });

  it("keeps them up to date while shown runs grow, unless the page is quiet", async () => {
    const { cursor, runs, server, changes, asked } = begin();
    cursor.want();
    await settle();
    Object.assign(runs, { shown: ["b"], isAllShown: false });
    await settle();
    const count = asked.length;
    changes.add({ generation: (server.generation = 2), runs: ["a"] });
    await settle();
    expect(asked).toHaveLength(count);
    server.at.push(15);
    changes.add({ generation: (server.generation = 3), runs: ["b"] });
    await settle();
    expect([...cursor.places]).toEqual([0, 5, 10, 15]);
    server.isQuiet = true;
    changes.add({ generation: (server.generation = 4), runs: ["b"] });
    await settle();
    expect(asked).toHaveLength(count + 1);
  });

  it("says where it is, on a stop or not", async () => {
    const { cursor } = begin();
    cursor.want();
    await settle();
    cursor.set(6);
    expect([cursor.at, cursor.index]).toEqual([6, 1]);
  });

  it("stays at one moment when the axis changes, exactly", async () => {
    const { cursor } = begin();
    cursor.want();
    await settle();
    cursor.set(7);
    cursor.setAxis("relative");
    await settle();
    expect(cursor.at).toBe(21);
    expect([...cursor.places]).toEqual([0, 15, 30]);
    cursor.setAxis("wall");
    await settle();
    expect(cursor.at).toBe(121);
    cursor.setAxis("step");
    await settle();
    expect(cursor.at).toBe(7);
  });
});
