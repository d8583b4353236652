import { describe, expect, it } from "vitest";
import type { Columns, LineColumns } from "../api/columns";
import { AnswerCache, narrow, serve, toAnswer } from "./card_answers";
import type { CardAnswer, Question } from "./card_model";
import { type Asking, makeQuestion } from "./card_question";
import { toRunSet } from "../cards/run_sets";

const asking: Asking = {
  spec: { id: "loss", tags: ["loss"], right: [] },
  runs: toRunSet(["a", "b"]),
  isAllRuns: false,
  groups: null,
  x: "step",
  xScale: "linear",
  zoom: null,
  widthPx: 400,
  smoothing: { kind: "ema", amount: 0.6 },
  view: { showsRaw: true, showsEarlier: true, center: "mean", spread: "std" },
  epoch: 0,
};
const ask = (change: Partial<Asking> = {}): Question => makeQuestion({ ...asking, ...change });

const line = (run: string, role: LineColumns["role"], total = 2): LineColumns => ({
  run,
  tag: "loss",
  role,
  generation: 1,
  total,
  table: new Float64Array([0, 1]),
  mask: null,
  y: new Float32Array([1, 2]),
});
const answerOf = (lines: LineColumns[], question = ask()): CardAnswer =>
  toAnswer(question, { generation: 1, lines } satisfies Columns);

describe("toAnswer", () => {
  it("puts lines that are only drawn behind those that the pointer finds", () => {
    const answer = answerOf([line("a", "smoothed"), line("a", "raw"), line("a", "earlier")]);
    expect(answer.lines.map((each) => each.role)).toEqual(["earlier", "raw", "smoothed"]);
    expect(answer.firstFound).toBe(2);
    expect(answerOf([]).firstFound).toBe(0);
  });

  it("smooths a line that came without its smoothed one", () => {
    const answer = answerOf([line("a", "raw"), line("b", "raw"), line("b", "smoothed")]);
    expect(answer.lines.map((each) => [each.run, each.role])).toEqual([
      ["a", "raw"],
      ["b", "raw"],
      ["a", "smoothed"],
      ["b", "smoothed"],
    ]);
    const [, second] = answer.lines[2]?.series.y ?? [];
    expect(second).toBeCloseTo((0.4 * 0.6 * 1 + 0.4 * 2) / (1 - 0.6 ** 2), 6);
  });

  it("makes a center line and a band of four lines", () => {
    const groups = [{ label: "g", runs: ["a", "b"] }];
    const answer = answerOf(
      (["center", "low", "high", "count"] as const).map((role) => line("g", role)),
      ask({ groups }),
    );
    expect(answer.lines.map((each) => [each.run, each.role, each.total])).toEqual([["g", "center", 2]]);
    expect(answer.bands.map((band) => [band.group, band.tag])).toEqual([["g", "loss"]]);
  });
});

describe("serve", () => {
  it("serves a question with fewer runs", () => {
    const served = serve(
      answerOf([line("a", "smoothed"), line("b", "raw"), line("b", "smoothed")]),
      ask({ runs: toRunSet(["a"]) }),
    );
    expect(served?.lines.map((each) => each.run)).toEqual(["a"]);
    expect(served?.firstFound).toBe(0);
    expect(serve(answerOf([]), ask({ runs: toRunSet(["a", "b", "c"]) }))).toBeNull();
  });

  it("serves a part of x if every point is there", () => {
    const zoomed = ask({ zoom: [0, 1] });
    expect(serve(answerOf([line("a", "smoothed")]), zoomed)?.question).toBe(zoomed);
    expect(serve(answerOf([line("a", "smoothed", 900)]), zoomed)).toBeNull();
    expect(serve(answerOf([line("a", "smoothed")], zoomed), ask())).toBeNull();
  });

  it("serves no question that is drawn differently", () => {
    const answer = answerOf([line("a", "smoothed")]);
    expect(serve(answer, ask({ x: "wall" }))).toBeNull();
    expect(serve(answer, ask({ smoothing: { kind: "ema", amount: 0.5 } }))).toBeNull();
    expect(serve(answer, ask({ epoch: 1 }))).toBeNull();
    expect(serve(answerOf([line("a", "smoothed", 900)]), ask({ widthPx: 900 }))).toBeNull();
  });
});

describe("narrow", () => {
  it("shows the remaining runs until the answer arrives", () => {
    const answer = answerOf([line("a", "smoothed"), line("b", "smoothed")]);
    const fewer = ask({ runs: toRunSet(["b"]), smoothing: { kind: "ema", amount: 0 } });
    expect(serve(answer, fewer)).toBeNull();
    expect(narrow(answer, fewer)?.lines.map((each) => each.run)).toEqual(["b"]);
    expect(narrow(answer, fewer)?.question).toBe(answer.question);
    expect(narrow(answer, ask({ x: "wall" }))).toBeNull();
  });
});

describe("AnswerCache", () => {
  it("drops the oldest beyond its budget and counts a replaced answer once", () => {
    const cache = new AnswerCache(250);
    const questions = Object.fromEntries(["a", "b", "c"].map((x) => [x, ask({ x })]));
    const put = (x: string): void => cache.put({ ...answerOf([], questions[x]), sizeBytes: 100 });
    const has = (x: string): boolean => cache.get(questions[x]?.key ?? "") !== undefined;
    for (const x of ["a", "a", "a", "b"]) put(x);
    expect(["a", "b"].map(has)).toEqual([true, true]);
    put("c");
    expect(["a", "b", "c"].map(has)).toEqual([false, true, true]);
  });
});
