import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../api/http";
import type { SeriesSteps, Steps } from "../../api/steps";
import type { Kind, SeriesRef } from "../../api/types";
import { Changes } from "../changes.svelte";
import { Samples } from "./samples.svelte";

const stepsOf = (run: string, tag: string, step: readonly number[], generation = 1): SeriesSteps => ({
  run,
  tag,
  generation,
  step: Float64Array.from(step),
  wallTime: Float64Array.from(step, (each) => 1000 + each),
  row: Uint32Array.from(step.keys()),
});

interface Asked {
  readonly kind: Kind;
  readonly series: readonly SeriesRef[];
}

/** A server that has some series, and remembers what it was asked. */
function begin(series: SeriesSteps[]) {
  const asked: Asked[] = [];
  const server = { series, generation: 1, error: null as ApiError | null };
  const changes = new Changes();
  changes.add({ generation: 1, runs: null });
  const samples = new Samples((kind, wanted): Promise<Steps> => {
    asked.push({ kind, series: wanted });
    if (server.error) return Promise.reject(server.error);
    const isWanted = (each: SeriesSteps): boolean =>
      wanted.some(({ run, tag }) => run === each.run && tag === each.tag);
    return Promise.resolve({ generation: server.generation, series: server.series.filter(isWanted) });
  }, changes);
  const grow = (next: SeriesSteps[], runs: string[] | null): void => {
    server.series = next;
    server.generation++;
    changes.add({ generation: server.generation, runs });
    samples.refresh();
  };
  return { samples, asked, server, grow };
}

describe("Samples", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(10_000);

  it("sends one request per kind for all series watched in one task", async () => {
    const { samples, asked } = begin([stepsOf("a", "x", [1, 2]), stepsOf("b", "x", [3])]);
    for (const run of ["a", "b", "a"]) samples.watch("image", run, "x");
    samples.watch("text", "a", "note");
    expect(samples.read("image", "a", "x")).toBeNull();
    await settle();
    expect(asked).toEqual([
      {
        kind: "image",
        series: [
          { run: "a", tag: "x" },
          { run: "b", tag: "x" },
        ],
      },
      { kind: "text", series: [{ run: "a", tag: "note" }] },
    ]);
    expect(samples.read("image", "a", "x")?.steps?.step).toEqual(Float64Array.of(1, 2));
    expect(samples.read("image", "b", "x")?.steps?.step).toEqual(Float64Array.of(3));
  });

  it("requests what will be watched, and not again when it is", async () => {
    const { samples, asked } = begin([stepsOf("a", "x", [1, 2])]);
    const prefetched = samples.prefetch("image", [
      { run: "a", tag: "x" },
      { run: "gone", tag: "x" },
    ]);
    expect(asked).toHaveLength(1);
    samples.watch("image", "a", "x");
    expect((await prefetched).map(({ run }) => run)).toEqual(["a"]);
    samples.watch("image", "gone", "x");
    await samples.prefetch("image", [{ run: "a", tag: "x" }]);
    await settle();
    expect(asked).toHaveLength(1);
  });

  it("distinguishes missing from unknown series", async () => {
    const { samples } = begin([]);
    samples.watch("image", "a", "gone");
    expect(samples.read("image", "a", "gone")).toBeNull();
    await settle();
    expect(samples.read("image", "a", "gone")).toMatchObject({ steps: null, error: null });
  });

  it("sorts steps and keeps their rows", async () => {
    const { samples } = begin([stepsOf("a", "x", [5, 1, 3, 1])]);
    samples.watch("image", "a", "x");
    await settle();
    const steps = samples.read("image", "a", "x")?.steps;
    expect([steps?.step, steps?.row, steps?.wallTime]).toEqual([
      Float64Array.of(1, 1, 3, 5),
      Uint32Array.of(1, 3, 2, 0),
      Float64Array.of(1001, 1001, 1003, 1005),
    ]);
  });

  it("requests runs again that have grown, only while they are watched", async () => {
    const { samples, asked, grow } = begin([stepsOf("a", "x", [1]), stepsOf("b", "x", [1])]);
    const unwatch = samples.watch("image", "a", "x");
    samples.watch("image", "b", "x");
    await settle();
    const before = samples.read("image", "b", "x")?.steps;
    grow([stepsOf("a", "x", [1, 2], 2), stepsOf("b", "x", [1])], ["a"]);
    await settle();
    expect(asked.at(-1)).toEqual({ kind: "image", series: [{ run: "a", tag: "x" }] });
    expect(samples.read("image", "a", "x")?.steps?.step).toHaveLength(2);
    expect(samples.read("image", "b", "x")?.steps).toBe(before);
    unwatch();
    const count = asked.length;
    grow([stepsOf("a", "x", [1, 2, 3], 3)], ["a"]);
    await settle();
    expect(asked).toHaveLength(count);
    samples.watch("image", "a", "x");
    await settle();
    expect(samples.read("image", "a", "x")?.steps?.step).toHaveLength(3);
  });

  it("does not replace what has not changed, so that nothing is drawn again", async () => {
    const { samples, grow } = begin([stepsOf("a", "x", [1], 7)]);
    samples.watch("image", "a", "x");
    await settle();
    const before = samples.read("image", "a", "x")?.steps;
    grow([stepsOf("a", "x", [1], 7)], null);
    await settle();
    expect(samples.read("image", "a", "x")?.steps).toBe(before);
  });

  it("keeps its steps while the server is unreachable, and reports every other error", async () => {
    const { samples, server, grow } = begin([stepsOf("a", "x", [1])]);
    samples.watch("image", "a", "x");
    await settle();
    server.error = new ApiError("unreachable", "No server.");
    grow(server.series, null);
    samples.watch("image", "a", "y");
    await settle();
    expect(samples.read("image", "a", "x")).toMatchObject({ error: null, steps: { run: "a" } });
    expect(samples.read("image", "a", "y")?.error?.code).toBe("unreachable");
    server.error = new ApiError("internal", "Broken.");
    samples.retry("image", "a", "x");
    await settle();
    expect(samples.read("image", "a", "x")?.error?.message).toBe("Broken.");
    server.error = null;
    samples.retry("image", "a", "x");
    await settle();
    expect(samples.read("image", "a", "x")).toMatchObject({ error: null, steps: { run: "a" } });
  });

  it("sends nothing after its end", async () => {
    const { samples, asked, grow, server } = begin([stepsOf("a", "x", [1])]);
    samples.watch("image", "a", "x");
    await settle();
    samples.end();
    grow(server.series, null);
    await settle();
    expect(asked).toHaveLength(1);
  });
});
