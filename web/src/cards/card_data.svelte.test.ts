// @vitest-environment jsdom
import { flushSync } from "svelte";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../api/http";
import type { Connection } from "../api/live";
import { Changes } from "../state/changes.svelte";
import { CardData } from "./card_data.svelte";

interface Asked {
  readonly query: string;
  readonly signal: AbortSignal;
  readonly answer: (generation: number) => void;
  readonly fail: (cause: ApiError) => void;
}

class FakeSession {
  wanted = $state<string | null>("a");
  isWanted = $state(true);
  connection = $state<Connection>("open");
  isQuiet = $state(false);
  readonly changes = new Changes();
  readonly asked: Asked[] = [];
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function begin({ isWanted = true, isFinished = false } = {}) {
  const session = new FakeSession();
  session.isWanted = isWanted;
  let data: CardData<string, { generation: number }> | undefined;
  const end = $effect.root(() => {
    data = new CardData(
      session,
      (query, signal) =>
        new Promise((done, fail) =>
          session.asked.push({ query, signal, answer: (generation) => done({ generation }), fail }),
        ),
      {
        wanted: () => (session.wanted === null ? null : { key: session.wanted, query: session.wanted }),
        isWanted: () => session.isWanted,
        isFinished,
        about: ({ generation }) => ({ generation, runs: ["run"] }),
      },
    );
  });
  ends.push(end);
  flushSync();
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 10; i++) await Promise.resolve();
    flushSync();
  };
  return { session, data: data as NonNullable<typeof data>, settle, end };
}

describe("CardData", () => {
  it("asks only while the card is in sight", async () => {
    const { session, data, settle } = begin({ isWanted: false });
    expect(session.asked).toEqual([]);
    session.isWanted = true;
    await settle();
    session.asked[0]?.answer(1);
    await settle();
    expect([data.value, data.isCurrent]).toEqual([{ generation: 1 }, true]);
  });

  it("lets go of what is not here when the card leaves, and asks again when it is back", async () => {
    const { session, data, settle } = begin();
    session.isWanted = false;
    await settle();
    expect(session.asked[0]?.signal.aborted).toBe(true);
    session.asked[0]?.answer(1);
    await settle();
    session.isWanted = true;
    await settle();
    session.asked[1]?.answer(2);
    await settle();
    expect(data.value).toEqual({ generation: 2 });
  });

  it("takes what is under way all the same where it is told to", async () => {
    const { session, data, settle } = begin({ isFinished: true });
    session.isWanted = false;
    await settle();
    session.asked[0]?.answer(1);
    await settle();
    expect(data.value).toEqual({ generation: 1 });
  });

  it("keeps the last answer until the next is there", async () => {
    const { session, data, settle } = begin();
    session.asked[0]?.answer(1);
    await settle();
    session.wanted = "b";
    await settle();
    expect([data.value, data.isCurrent, data.key]).toEqual([{ generation: 1 }, false, "b"]);
    session.asked[1]?.answer(2);
    await settle();
    expect([data.value, data.isCurrent]).toEqual([{ generation: 2 }, true]);
  });

  it("asks again when its runs have changed, but not for others and not on a quiet page", async () => {
    const { session, settle } = begin();
    session.asked[0]?.answer(1);
    await settle();
    session.changes.add({ generation: 2, runs: ["other"] });
    await settle();
    expect(session.asked).toHaveLength(1);
    session.isQuiet = true;
    session.changes.add({ generation: 3, runs: ["run"] });
    await settle();
    expect(session.asked).toHaveLength(1);
    session.isQuiet = false;
    await settle();
    expect(session.asked.map(({ query }) => query)).toEqual(["a", "a"]);
  });

  it("says why nothing came, and asks again once the server is back", async () => {
    const { session, data, settle } = begin();
    session.asked[0]?.fail(new ApiError("unreachable", "no answer"));
    await settle();
    expect([data.failure?.code, data.error?.code]).toEqual(["unreachable", "unreachable"]);
    session.connection = "lost";
    await settle();
    expect(session.asked).toHaveLength(1);
    session.connection = "open";
    await settle();
    session.asked[1]?.answer(1);
    await settle();
    expect([data.failure, data.value]).toEqual([null, { generation: 1 }]);
  });

  it("shows what it has while the server is out of reach", async () => {
    const { session, data, settle } = begin();
    session.asked[0]?.answer(1);
    await settle();
    session.wanted = "b";
    await settle();
    session.asked[1]?.fail(new ApiError("unreachable", "no answer"));
    await settle();
    expect([data.failure?.code, data.error, data.value]).toEqual(["unreachable", null, { generation: 1 }]);
  });

  it("does not ask again what the server has refused, unless told to", async () => {
    const { session, data, settle } = begin();
    session.asked[0]?.fail(new ApiError("bad_request", "No.", null, 400));
    await settle();
    session.connection = "lost";
    await settle();
    session.connection = "open";
    await settle();
    expect([session.asked.length, data.error?.message]).toEqual([1, "No."]);
    data.retry();
    await settle();
    expect(session.asked).toHaveLength(2);
  });

  it("ends with the card", async () => {
    const { session, end } = begin();
    end();
    expect(session.asked[0]?.signal.aborted).toBe(true);
  });
});
