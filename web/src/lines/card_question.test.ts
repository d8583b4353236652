import { describe, expect, it } from "vitest";
import { type Asking, makeQuestion, MAX_RAW_RUNS, quoteTag, specOf, tagsIn, titleOf } from "./card_question";
import { toRunSet } from "../cards/run_sets";

const asking: Asking = {
  spec: { id: "p", tags: ["loss", "={a} - {b}"], right: [] },
  runs: toRunSet(["a", "b"]),
  isAllRuns: true,
  groups: null,
  x: "epoch",
  xScale: "log",
  zoom: null,
  widthPx: 400,
  smoothing: { kind: "ema", amount: 0 },
  view: { showsRaw: true, showsEarlier: false, center: "median", spread: "stderr" },
  epoch: 0,
};

describe("makeQuestion", () => {
  it("requests lines without naming all runs", () => {
    const { body } = makeQuestion(asking);
    expect(body).toEqual({
      kind: "lines",
      query: {
        tags: ["loss", "={a} - {b}"],
        x: "epoch",
        x_scale: "log",
        smoothing: { kind: "none", amount: 0 },
        attempts: "latest",
        raw: false,
        raw_suffices: false,
        earlier: false,
        x_range: null,
        width: 400,
      },
    });
    expect(makeQuestion({ ...asking, isAllRuns: false }).body.query).toMatchObject({ runs: ["a", "b"] });
  });

  it("requests raw lines only for a few runs", () => {
    const smoothing = { kind: "gaussian", amount: 3 } as const;
    expect(makeQuestion({ ...asking, smoothing }).body.query).toMatchObject({ raw: true, smoothing });
    const many = toRunSet(Array.from({ length: MAX_RAW_RUNS + 1 }, (_, i) => `${i}`));
    expect(makeQuestion({ ...asking, smoothing, runs: many }).body.query).toMatchObject({ raw: false });
  });

  it("requests bands of the runs that have the tag", () => {
    const groups = [
      { label: "x", runs: ["a", "gone"] },
      { label: "y", runs: ["gone"] },
    ];
    const { body } = makeQuestion({ ...asking, groups });
    expect(body.kind).toBe("bands");
    expect(body.query).toMatchObject({ groups: [{ name: "x", runs: ["a"] }], center: "median", spread: "stderr" });
  });

  it("has another key for anything that changes the answer", () => {
    const changes: Partial<Asking>[] = [
      {},
      { x: "step" },
      { zoom: [1, 2] },
      { runs: toRunSet(["a"]) },
      { epoch: 1 },
      { widthPx: 900 },
      { groups: [{ label: "x", runs: ["a"] }] },
    ];
    expect(new Set(changes.map((change) => makeQuestion({ ...asking, ...change }).key)).size).toBe(changes.length);
  });
});

describe("expressions", () => {
  it("name the tags they read", () => {
    expect(tagsIn("a/{b}")).toEqual(["a/{b}"]);
    expect(tagsIn(`=${quoteTag("odd}\\tag")} / ${quoteTag("b")}`)).toEqual(["odd}\\tag", "b"]);
  });
});

describe("cards", () => {
  it("are a tag or a panel and have a title", () => {
    const panel = { id: "panel1", tags: ["a", "={a} / {b}"], right: ["a"] };
    expect(specOf("a", new Map())).toEqual({ id: "a", tags: ["a"], right: [] });
    expect(titleOf(specOf("panel1", new Map([["panel1", panel]])))).toBe("a · {a} / {b}");
  });
});
