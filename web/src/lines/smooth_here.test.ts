import { describe, expect, it } from "vitest";
import type { LineColumns } from "../api/columns";
import { toAnswer } from "./card_answers";
import type { CardAnswer, Question } from "./card_model";
import { type Asking, makeQuestion } from "./card_question";
import { toRunSet } from "../cards/run_sets";
import { ema, smoothHere } from "./smooth_here";

const asking: Asking = {
  spec: { id: "loss", tags: ["loss"], right: [] },
  runs: toRunSet(["a"]),
  isAllRuns: false,
  groups: null,
  x: "step",
  xScale: "linear",
  zoom: null,
  widthPx: 400,
  smoothing: { kind: "ema", amount: 0.6 },
  view: { showsRaw: true, showsEarlier: false, center: "mean", spread: "std" },
  epoch: 0,
};
const ask = (change: Partial<Asking> = {}): Question => makeQuestion({ ...asking, ...change });
const smoothing = (amount: number): Partial<Asking> => ({ smoothing: { kind: "ema", amount } });

function answerTo(question: Question, roles: readonly LineColumns["role"][], total = 3): CardAnswer {
  const line = (role: LineColumns["role"]): LineColumns => ({
    run: "a",
    tag: "loss",
    role,
    generation: 1,
    total,
    table: new Float64Array([0, 1, 2]),
    mask: null,
    y: new Float64Array([1, 2, 4]),
  });
  return toAnswer(question, { generation: 1, lines: roles.map(line) });
}

describe("ema", () => {
  it("equals the server's", () => {
    const close = (y: number[], weight: number, expected: number[]): void =>
      [...ema(new Float64Array(y), weight)].forEach((value, i) =>
        Number.isFinite(value) ? expect(value).toBeCloseTo(expected[i] as number, 13) : expect(value).toBe(expected[i]),
      );
    close([1, 2, Number.NaN, 4, Number.POSITIVE_INFINITY, 8], 0.5, [
      1.0,
      1.6666666666666667,
      Number.NaN,
      3.0,
      Number.POSITIVE_INFINITY,
      5.666666666666667,
    ]);
    close(
      [3, 1, 4, 1, 5, 9, 2, 6],
      0.9,
      [
        3.0, 1.9473684210526319, 2.70479704797048, 2.209072404768828, 2.890600962125467, 4.194470706997411,
        3.7738347730730375, 4.164710463817193,
      ],
    );
    expect([...ema(new Float64Array([0.1, 0.1, 0.1]), 0.7)]).toEqual([0.1, 0.1, 0.1]);
    expect([...ema(new Float64Array([1, 2]), 1)]).toEqual([0, 0]);
  });
});

describe("smoothHere", () => {
  it("serves another weight, and none, from the points", () => {
    const answer = answerTo(ask(), ["raw"]);
    const served = smoothHere(answer, ask(smoothing(0.5)));
    expect(served?.lines.map((line) => line.role)).toEqual(["raw", "smoothed"]);
    expect([...(served?.lines[1]?.series.y ?? [])]).toEqual([...ema(new Float64Array([1, 2, 4]), 0.5)]);
    const bare = smoothHere(answer, ask(smoothing(0)));
    expect(bare?.lines.map((line) => [line.role, ...line.series.y])).toEqual([["smoothed", 1, 2, 4]]);
    expect(bare && smoothHere(bare, ask())?.lines.map((line) => line.role)).toEqual(["raw", "smoothed"]);
  });

  it("leaves everything else to the server", () => {
    expect(smoothHere(answerTo(ask(), ["raw", "smoothed"], 900), ask(smoothing(0.5)))).toBeNull();
    const unlike: Partial<Asking>[] = [
      { smoothing: { kind: "gaussian", amount: 3 } },
      { x: "wall" },
      { xScale: "log" },
      { zoom: [0, 1] },
      { widthPx: 800 },
      { epoch: 1 },
      { runs: toRunSet(["a", "b"]) },
      { groups: [{ label: "g", runs: ["a"] }] },
    ];
    for (const change of unlike) {
      const own = { ...smoothing(0.5), ...change };
      expect(smoothHere(answerTo(ask(), ["raw"]), ask(own)), JSON.stringify(change)).toBeNull();
    }
    for (const change of [{ x: "wall" }, { xScale: "log" }, { zoom: [0, 1] }] as Partial<Asking>[]) {
      expect(
        smoothHere(answerTo(ask(change), ["raw", "smoothed"]), ask({ ...change, ...smoothing(0.5) })),
        JSON.stringify(change),
      ).toBeNull();
    }
    const earlier = { view: { ...asking.view, showsEarlier: true } };
    expect(smoothHere(answerTo(ask(earlier), ["raw", "earlier"]), ask({ ...earlier, ...smoothing(0.5) }))).toBeNull();
  });
});
