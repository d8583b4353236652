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

class Stage {
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
  const stage = new Stage();
  stage.isWanted = isWanted;
  let data: CardData<string, { generation: number }> | undefined;
  const end = $effect.root(() => {
    data = new CardData(
      stage,
      (query, signal) =>
        new Promise((done, fail) =>
          stage.asked.push({ query, signal, answer: (generation) => done({ generation }), fail }),
        ),
      {
        wanted: () => (stage.wanted === null ? null : { key: stage.wanted, query: stage.wanted }),
        isWanted: () => stage.isWanted,
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
  return { stage, data: data as NonNullable<typeof data>, settle, end };
}

describe("CardData", () => {
  it("asks only while the card is in sight", async () => {
    const { stage, data, settle } = begin({ isWanted: false });
    expect(stage.asked).toEqual([]);
    stage.isWanted = true;
    await settle();
    stage.asked[0]?.answer(1);
    await settle();
    expect([data.value, data.isCurrent]).toEqual([{ generation: 1 }, true]);
  });

  it("lets go of what is not here when the card leaves, and asks again when it is back", async () => {
    const { stage, data, settle } = begin();
    stage.isWanted = false;
    await settle();
    expect(stage.asked[0]?.signal.aborted).toBe(true);
    stage.asked[0]?.answer(1);
    await settle();
    stage.isWanted = true;
    await settle();
    stage.asked[1]?.answer(2);
    await settle();
    expect(data.value).toEqual({ generation: 2 });
  });

  it("takes what is under way all the same where it is told to", async () => {
    const { stage, data, settle } = begin({ isFinished: true });
    stage.isWanted = false;
    await settle();
    stage.asked[0]?.answer(1);
    await settle();
    expect(data.value).toEqual({ generation: 1 });
  });

  it("keeps the last answer until the next is there", async () => {
    const { stage, data, settle } = begin();
    stage.asked[0]?.answer(1);
    await settle();
    stage.wanted = "b";
    await settle();
    expect([data.value, data.isCurrent, data.key]).toEqual([{ generation: 1 }, false, "b"]);
    stage.asked[1]?.answer(2);
    await settle();
    expect([data.value, data.isCurrent]).toEqual([{ generation: 2 }, true]);
  });

  it("asks again when its runs have changed, but not for others and not on a quiet page", async () => {
    const { stage, settle } = begin();
    stage.asked[0]?.answer(1);
    await settle();
    stage.changes.add({ generation: 2, runs: ["other"] });
    await settle();
    expect(stage.asked).toHaveLength(1);
    stage.isQuiet = true;
    stage.changes.add({ generation: 3, runs: ["run"] });
    await settle();
    expect(stage.asked).toHaveLength(1);
    stage.isQuiet = false;
    await settle();
    expect(stage.asked.map(({ query }) => query)).toEqual(["a", "a"]);
  });

  it("says why nothing came, and asks again once the server is back", async () => {
    const { stage, data, settle } = begin();
    stage.asked[0]?.fail(new ApiError("unreachable", "no answer"));
    await settle();
    expect([data.failure?.code, data.error?.code]).toEqual(["unreachable", "unreachable"]);
    stage.connection = "lost";
    await settle();
    expect(stage.asked).toHaveLength(1);
    stage.connection = "open";
    await settle();
    stage.asked[1]?.answer(1);
    await settle();
    expect([data.failure, data.value]).toEqual([null, { generation: 1 }]);
  });

  it("shows what it has while the server is out of reach", async () => {
    const { stage, data, settle } = begin();
    stage.asked[0]?.answer(1);
    await settle();
    stage.wanted = "b";
    await settle();
    stage.asked[1]?.fail(new ApiError("unreachable", "no answer"));
    await settle();
    expect([data.failure?.code, data.error, data.value]).toEqual(["unreachable", null, { generation: 1 }]);
  });

  it("does not ask again what the server has refused, unless told to", async () => {
    const { stage, data, settle } = begin();
    stage.asked[0]?.fail(new ApiError("bad_request", "No.", null, 400));
    await settle();
    stage.connection = "lost";
    await settle();
    stage.connection = "open";
    await settle();
    expect([stage.asked.length, data.error?.message]).toEqual([1, "No."]);
    data.retry();
    await settle();
    expect(stage.asked).toHaveLength(2);
  });

  it("ends with the card", async () => {
    const { stage, end } = begin();
    end();
    expect(stage.asked[0]?.signal.aborted).toBe(true);
  });
});
