import { describe, expect, it } from "vitest";
import { ApiError } from "./http";
import { LatestAnswer } from "./latest_answer.svelte";

interface Asked {
  readonly query: number;
  readonly signal: AbortSignal;
  readonly answer: (value: string) => void;
  readonly fail: (cause: Error) => void;
}

function makeLatest(): { latest: LatestAnswer<number, string>; asked: Asked[]; errors: string[] } {
  const asked: Asked[] = [];
  const errors: string[] = [];
  const latest = new LatestAnswer<number, string>(
    (query, signal) => new Promise((answer, fail) => asked.push({ query, signal, answer, fail })),
    (cause) => errors.push(cause.message),
  );
  return { latest, asked, errors };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

describe("LatestAnswer", () => {
  it("sends one query at a time and skips outdated ones", async () => {
    const { latest, asked } = makeLatest();
    for (const query of [1, 2, 3]) latest.want(String(query), query);
    expect(asked.map((each) => each.query)).toEqual([1]);
    asked[0]?.answer("one");
    await settle();
    expect(latest.answer?.value).toBe("one");
    expect(asked.map((each) => each.query)).toEqual([1, 3]);
    asked[1]?.answer("three");
    await settle();
    expect(latest.answer).toEqual({ key: "3", query: 3, value: "three" });
    expect(asked).toHaveLength(2);
  });

  it("does not send the same query twice", async () => {
    const { latest, asked } = makeLatest();
    latest.want("1", 1);
    asked[0]?.answer("one");
    await settle();
    latest.want("1", 1);
    expect(asked).toHaveLength(1);
  });

  it("keeps the last answer beside an error, and retries on demand", async () => {
    const { latest, asked, errors } = makeLatest();
    latest.want("1", 1);
    asked[0]?.answer("one");
    await settle();
    latest.want("2", 2);
    asked[1]?.fail(new ApiError("bad_request", "No."));
    await settle();
    expect(latest.answer?.value).toBe("one");
    expect(latest.error?.cause.message).toBe("No.");
    expect(errors).toEqual(["No."]);
    latest.retry();
    asked[2]?.answer("two");
    await settle();
    expect(latest.answer?.value).toBe("two");
    expect(latest.error).toBeNull();
  });

  it("cancels a request that nothing waits for", async () => {
    const { latest, asked } = makeLatest();
    latest.want("1", 1);
    latest.forget();
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.answer("one");
    await settle();
    expect(latest.answer).toBeNull();
    latest.want("1", 1);
    expect(asked).toHaveLength(2);
  });

  it("reports no outage while the answer matches the query", async () => {
    const { latest, asked, errors } = makeLatest();
    latest.want("1", 1);
    asked[0]?.answer("one");
    await settle();
    latest.refresh();
    await settle();
    asked[1]?.fail(new ApiError("unreachable", "No server."));
    await settle();
    expect([latest.answer?.value, latest.error, errors]).toEqual(["one", null, []]);
  });

  it("accepts an answer that was found elsewhere", () => {
    const { latest, asked } = makeLatest();
    latest.answer = { key: "1", query: 1, value: "kept" };
    latest.want("1", 1);
    expect([latest.wantedKey, asked.length]).toEqual(["1", 0]);
  });

  it("keeps its answer while it rests, and sends nothing after its end", async () => {
    const { latest, asked } = makeLatest();
    latest.want("1", 1);
    asked[0]?.answer("one");
    await settle();
    latest.rest();
    expect([latest.answer?.value, latest.wantedKey]).toEqual(["one", null]);
    latest.end();
    latest.want("2", 2);
    await settle();
    expect(asked).toHaveLength(1);
  });
});
