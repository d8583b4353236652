import { describe, expect, it } from "vitest";
import { BatchQueue } from "./batch_queue";

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

function harness(limits: { inFlight: number; batch: number; weight?: number } = { inFlight: 2, batch: 3 }) {
  const sent: { items: readonly number[]; signal: AbortSignal; answer: () => void; fail: (error: Error) => void }[] =
    [];
  const queue = new BatchQueue<number, string>(
    (items, signal) =>
      new Promise((answer, fail) => sent.push({ items, signal, answer: () => answer(items.map(String)), fail })),
    { weight: 100, ...limits },
  );
  const ask = (place: number, kind = "k", signal = new AbortController().signal): Promise<string> =>
    queue.run(place, kind, 1, () => place, signal);
  return { sent, ask };
}

describe("BatchQueue", () => {
  it("sends the first alone and the others together, from the top of the page", async () => {
    const { sent, ask } = harness();
    const answers = [6, 5, 4, 3, 1, 2].map((place) => ask(place));
    await settled();
    expect(sent.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
    sent[1]?.answer();
    await settled();
    expect(sent.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [5, 6]]);
    sent[0]?.answer();
    sent[2]?.answer();
    expect(await Promise.all(answers)).toEqual(["6", "5", "4", "3", "1", "2"]);
  });

  it("sends smaller batches of larger items", async () => {
    const { sent, ask } = harness({ inFlight: 3, batch: 3, weight: 2 });
    for (const place of [1, 2, 3, 4]) void ask(place);
    await settled();
    expect(sent.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
  });

  it("does not batch different kinds", async () => {
    const { sent, ask } = harness({ inFlight: 3, batch: 3 });
    for (const [place, kind] of [
      [1, "a"],
      [2, "a"],
      [3, "b"],
      [4, "a"],
    ] as const)
      void ask(place, kind);
    await settled();
    expect(sent.map(({ items }) => items)).toEqual([[1], [2, 4], [3]]);
  });

  it("retries one by one after a failure, so that only the faulty one fails", async () => {
    const { sent, ask } = harness();
    const answers = [1, 2, 3].map((place) => ask(place));
    await settled();
    sent[0]?.answer();
    sent[1]?.fail(new Error("one of us"));
    await settled();
    expect(sent[2]?.items).toEqual([2]);
    sent[2]?.fail(new Error("it was me"));
    await expect(answers[1]).rejects.toThrow("it was me");
    await settled();
    sent[3]?.answer();
    await expect(answers[2]).resolves.toBe("3");
  });

  it("drops aborted items, and cancels a request that nothing waits for", async () => {
    const { sent, ask } = harness({ inFlight: 1, batch: 3 });
    const stops = [1, 2, 3, 4].map(() => new AbortController());
    const answers = stops.map((stop, i) => ask(i + 1, "k", stop.signal).catch((error: Error) => error.name));
    await settled();
    stops[1]?.abort();
    sent[0]?.answer();
    await settled();
    expect(await answers[1]).toBe("AbortError");
    expect(sent[1]?.items).toEqual([3]);
    stops[2]?.abort();
    expect(sent[1]?.signal.aborted).toBe(true);
    sent[1]?.fail(new DOMException("stopped", "AbortError"));
    await settled();
    expect(sent[2]?.items).toEqual([4]);
  });
});
