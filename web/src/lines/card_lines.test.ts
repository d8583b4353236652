import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Client } from "../api/client";
import { ApiError } from "../api/http";
import type { Columns } from "../api/columns";
import type { LinesQuery } from "../api/types";
import { AnswerCache } from "./card_answers";
import { CardLines } from "./card_lines.svelte";
import type { Question } from "./card_model";
import { makeQuestion } from "./card_question";
import { LineRequests } from "./line_requests";
import { toRunSet } from "../cards/run_sets";

function question(amount: number, runs: readonly string[] = ["a", "b"]): Question {
  return makeQuestion({
    spec: { id: "loss", tags: ["loss"], right: [] },
    runs: toRunSet(runs),
    isAllRuns: false,
    groups: null,
    x: "step",
    xScale: "linear",
    zoom: null,
    widthPx: 400,
    smoothing: { kind: "ema", amount },
    view: { showsRaw: true, showsEarlier: false, center: "mean", spread: "std" },
    epoch: 0,
  });
}

/** A client whose answers come when the test says so. */
function slowClient(cache = new AnswerCache()) {
  const asked: { amount: number; answer: (columns: Columns) => void; fail: (error: Error) => void }[] = [];
  const lines = (body: LinesQuery<string>): Promise<Columns> =>
    new Promise((answer, fail) => asked.push({ amount: body.smoothing.amount, answer, fail }));
  const card = (): CardLines =>
    new CardLines({ requests: new LineRequests({ lines } as unknown as Client), cache }, () => 0);
  return { asked, card };
}

const columns = (generation: number): Columns => ({
  generation,
  lines: ["a", "b"].flatMap((run) =>
    (["smoothed", "raw"] as const).map((role) => ({
      run,
      tag: "loss",
      role,
      generation,
      total: 900,
      table: new Float64Array([0]),
      mask: null,
      y: new Float32Array([1]),
    })),
  ),
});

const want = (card: CardLines, wanted: Question): void => card.want(wanted.key, wanted);

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("CardLines", () => {
  it("sends one request at a time and skips outdated questions", async () => {
    const { asked, card } = slowClient();
    const lines = card();
    for (const amount of [0.1, 0.2, 0.3]) {
      want(lines, question(amount));
      await settled();
    }
    asked[0]?.answer(columns(1));
    await settled();
    expect(lines.answer?.value.question.key).toBe(question(0.1).key);
    asked[1]?.answer(columns(1));
    await settled();
    expect(asked.map((each) => each.amount)).toEqual([0.1, 0.3]);
    expect(lines.answer?.value.question.key).toBe(question(0.3).key);
  });

  it("shows fewer runs without a request", async () => {
    const { asked, card } = slowClient();
    const lines = card();
    want(lines, question(0.5));
    await settled();
    asked[0]?.answer(columns(1));
    await settled();
    want(lines, question(0.5, ["b"]));
    expect(lines.answer?.value.lines.map((line) => [line.run, line.role])).toEqual([
      ["b", "raw"],
      ["b", "smoothed"],
    ]);
    expect(asked).toHaveLength(1);
  });

  it("smooths complete lines without a request", async () => {
    const { asked, card } = slowClient();
    const lines = card();
    want(lines, question(0.5));
    await settled();
    asked[0]?.answer({ ...columns(1), lines: columns(1).lines.map((line) => ({ ...line, total: 1 })) });
    await settled();
    want(lines, question(0.9));
    await settled();
    expect([lines.answer?.value.question.key, asked.length]).toEqual([question(0.9).key, 1]);
  });

  it("keeps its lines when the server is unreachable, and shows an error without lines", async () => {
    const { asked, card } = slowClient();
    const lines = card();
    want(lines, question(0.5));
    await settled();
    asked[0]?.answer(columns(1));
    await settled();
    lines.refresh();
    await settled();
    asked[1]?.fail(new ApiError("unreachable", "no answer"));
    await settled();
    expect(lines.error).toBeNull();
    expect(lines.answer?.value.question.key).toBe(question(0.5).key);
    want(lines, question(0.9));
    await settled();
    asked[2]?.fail(new ApiError("unreachable", "no answer"));
    await settled();
    expect(lines.error).toMatchObject({ key: question(0.9).key, cause: { code: "unreachable" } });
    lines.retry();
    await settled();
    asked[3]?.answer(columns(2));
    await settled();
    expect([lines.error, lines.answer?.value.question.key]).toEqual([null, question(0.9).key]);
  });

  it("retries after a server error, with growing pauses, but not after a bad request", async () => {
    const { asked, card } = slowClient();
    const lines = card();
    want(lines, question(0.5));
    await settled();
    asked[0]?.fail(new ApiError("internal", "oh", null, 500));
    await settled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(2);
    asked[1]?.fail(new ApiError("internal", "oh", null, 500));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(3);
    asked[2]?.fail(new ApiError("bad_request", "what", "tags", 400));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(3);
    expect(lines.error?.cause.message).toBe("what");
  });

  it("cancels what nothing waits for", async () => {
    const { asked, card } = slowClient();
    const lines = card();
    want(lines, question(0.5));
    await settled();
    lines.rest();
    asked[0]?.answer(columns(1));
    await settled();
    expect(lines.answer).toBeNull();
    want(lines, question(0.5));
    await settled();
    asked[1]?.answer(columns(2));
    await settled();
    expect(lines.answer?.value.generation).toBe(2);
  });

  it("uses a cached answer without a request", async () => {
    const { asked, card } = slowClient();
    const first = card();
    want(first, question(0.5));
    await settled();
    asked[0]?.answer(columns(7));
    await settled();
    first.end();
    const second = card();
    want(second, question(0.5));
    expect(second.answer?.value.generation).toBe(7);
    expect(asked).toHaveLength(1);
  });
});
