import { describe, expect, it } from "vitest";
import { ApiError, type Client } from "../../api/client";
import type { Columns } from "../../api/columns";
import type { LinesQuery } from "../../api/types";
import { AnswerCache, CardLines } from "./card_lines.svelte";

const query = (amount: number): LinesQuery => ({
  tags: ["loss"], x: "step", x_range: null, width: 400, smoothing: { kind: "ema", amount }, raw: true, attempts: "latest",
});

/** A client whose answers come when the test says so. */
function slowClient() {
  const asked: { amount: number; answer: (columns: Columns) => void; fail: (error: Error) => void }[] = [];
  const lines = (body: LinesQuery): Promise<Columns> =>
    new Promise((answer, fail) => asked.push({ amount: body.smoothing.amount, answer, fail }));
  return { asked, client: { lines } as unknown as Client };
}

const columns = (generation: number): Columns => ({
  generation,
  lines: (["smoothed", "raw"] as const).map((role) => ({
    run: "a", tag: "loss", role, generation, total: 1, table: new Float64Array([0]), mask: null, y: new Float32Array([1]),
  })),
});

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

describe("CardLines", () => {
  it("asks one at a time and skips what was wanted in between", async () => {
    const { asked, client } = slowClient();
    const card = new CardLines(client, new AnswerCache());
    for (const amount of [0.1, 0.2, 0.3]) card.want(`k${amount}`, query(amount));
    asked[0]?.answer(columns(1));
    await settled();
    expect(card.answer?.key).toBe("k0.1");
    asked[1]?.answer(columns(1));
    await settled();
    expect(asked.map((each) => each.amount)).toEqual([0.1, 0.3]);
    expect(card.answer?.key).toBe("k0.3");
  });

  it("draws raw lines behind smoothed ones", async () => {
    const { asked, client } = slowClient();
    const card = new CardLines(client, new AnswerCache());
    card.want("k", query(0.5));
    asked[0]?.answer(columns(1));
    await settled();
    expect(card.answer?.lines.map((line) => line.isRaw)).toEqual([true, false]);
  });

  it("keeps what it has when the server goes away, and says so when it has nothing", async () => {
    const { asked, client } = slowClient();
    const card = new CardLines(client, new AnswerCache());
    card.want("k", query(0.5));
    asked[0]?.answer(columns(1));
    await settled();
    card.refresh();
    asked[1]?.fail(new ApiError("unreachable", "no answer"));
    await settled();
    expect(card.error).toBeNull();
    expect(card.answer?.key).toBe("k");
    card.want("other", query(0.9));
    asked[2]?.fail(new ApiError("unreachable", "no answer"));
    await settled();
    expect(card.error).toMatchObject({ key: "other", cause: { code: "unreachable" } });
    card.retry();
    asked[3]?.answer(columns(2));
    await settled();
    expect([card.error, card.answer?.key]).toEqual([null, "other"]);
  });

  it("takes a kept answer without asking", async () => {
    const { asked, client } = slowClient();
    const cache = new AnswerCache();
    const first = new CardLines(client, cache);
    first.want("k", query(0.5));
    asked[0]?.answer(columns(7));
    await settled();
    first.end();
    const second = new CardLines(client, cache);
    second.want("k", query(0.5));
    expect(second.answer?.generation).toBe(7);
    expect(asked).toHaveLength(1);
  });
});

describe("AnswerCache", () => {
  it("drops the oldest beyond its budget and counts a replaced answer once", () => {
    const cache = new AnswerCache(250);
    const put = (key: string): void => cache.put({ key, query: query(0), generation: 0, lines: [], sizeBytes: 100 });
    for (const key of ["a", "a", "a", "b"]) put(key);
    expect([cache.get("a")?.key, cache.get("b")?.key]).toEqual(["a", "b"]);
    put("c");
    expect([cache.get("a"), cache.get("b")?.key, cache.get("c")?.key]).toEqual([undefined, "b", "c"]);
  });
});
