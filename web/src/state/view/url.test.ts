import { describe, expect, it } from "vitest";
import { type RunKey, runKey } from "../runs/run_key";
import { ALL, NONE, only, withRuns } from "../runs/selection";
import { decodeView, encodeView } from "./url";
import { DEFAULT_VIEW, type View } from "./view";

function namesOf(names: string[]): (key: RunKey) => string | undefined {
  const known = new Map(names.map((name) => [runKey(name), name]));
  return (key) => known.get(key);
}
const roundTrip = (view: View, names: string[] = []): View => decodeView(encodeView(view, namesOf(names)));

const AWKWARD = ["lr=0.1,seed=1", "ä & b + c", "~odd", ".", "-minus", "a;b\\c", "=x", "100%"];

describe("the view in the address", () => {
  it("is empty for the default view", () => {
    expect(encodeView(DEFAULT_VIEW, () => undefined)).toBe("");
    expect(decodeView("")).toEqual(DEFAULT_VIEW);
  });

  it("keeps a card's cleared selection", () => {
    const view: View = { ...DEFAULT_VIEW, selecting: "step", cards: new Map([["loss", { selection: [] }]]) };
    expect(decodeView(encodeView(view, () => undefined))).toEqual(view);
  });

  it("survives a round trip with every field set to something awkward", () => {
    const view: View = {
      dashboard: "scalars",
      runFilter: "^(a|b)+#?&=%",
      runQuery: "val/acc > 0.9 and lr < 1e-3",
      selection: withRuns(ALL, AWKWARD, false, [...AWKWARD, "kept"]),
      isTree: false,
      collapsedFolders: new Set(["a/b", ""]),
      columns: [
        { kind: "hparam", name: "optimizer;name" },
        { kind: "metric", tag: "val/loss", stat: "min" },
        { kind: "metric", tag: "a\\;b", stat: "at_step", step: -12 },
        { kind: "metric", tag: "val/loss", stat: "at_best", best: "max", bestTag: "val/acc;uracy" },
        { kind: "info", name: "duration" },
      ],
      sort: { column: "min;val/loss", isDescending: true },
      colorBy: "regex:(train|eval):x",
      tagFilter: "loss/.*\\d+",
      collapsed: new Set(["train", "", "a=b&c"]),
      pinned: ["val/loss", "a;b", "panel1"],
      order: new Map([
        ["tra;in", ["b;c", "a\\"]],
        ["", ["x"]],
      ]),
      panels: [{ id: "panel1", tags: ["a;b", "={a} - {b}", ">c"], right: ["={a} - {b}"] }],
      cards: new Map([
        [
          "a,b/c;d:e",
          {
            x: [-1.5e-7, 2 ** 53],
            y: [0, 1],
            y2: [-1, 1],
            xScale: "log",
            yScale: "symlog",
            y2Scale: "linear",
            selection: [0, 5],
            isWide: true,
            heightPx: 400,
            at: { axis: "wall", at: -2.5 },
          },
        ],
        ["", { selection: [0] }],
      ]),
      xAxis: "train/epoch",
      xScale: "log",
      yScale: "symlog",
      smoothing: { kind: "gaussian", amount: 12.5 },
      cutsOutliers: false,
      showsRaw: false,
      showsEarlier: true,
      breaksFalls: true,
      isZoomLinked: true,
      linkedX: [1, 2],
      groupBy: "hparam:lr:x",
      center: "median",
      spread: "bootstrap",
      selecting: "range",
      isSelectionLinked: true,
      linkedSelection: [3, 9],
      cursor: { axis: "relative", at: 0.5 },
      cursorAxis: "wall",
      isCursorLinked: false,
      options: new Map([
        ["images.contrast", "1.5;x"],
        ["text.mode", ""],
      ]),
      theme: "dark",
    };
    for (const key of Object.keys(DEFAULT_VIEW) as (keyof View)[])
      expect(view[key], key).not.toEqual(DEFAULT_VIEW[key]);
    expect(roundTrip(view, AWKWARD)).toEqual(view);
  });

  it.each(AWKWARD)("keeps the run, tag and card %s", (name) => {
    const view: View = {
      ...DEFAULT_VIEW,
      selection: only(name),
      pinned: [name],
      cards: new Map([[name, { x: [0, 1] }]]),
    };
    expect(roundTrip(view, AWKWARD)).toEqual(view);
  });

  it("reads positions of older addresses on the axis that they name", () => {
    const view = decodeView("#/overview?cursoraxis=relative&cursor=12.5&card=x;at:3&card=y;at:newest");
    expect([view.cursorAxis, view.cursor]).toEqual(["relative", { axis: "relative", at: 12.5 }]);
    expect([...view.cards]).toEqual([
      ["x", { at: { axis: "relative", at: 3 } }],
      ["y", { at: null }],
    ]);
    const now: View = { ...DEFAULT_VIEW, cursorAxis: "relative", cursor: { axis: "step", at: 12 } };
    expect(roundTrip(now)).toEqual(now);
  });

  it("distinguishes no run from all runs", () => {
    expect(roundTrip({ ...DEFAULT_VIEW, selection: NONE }).selection).toEqual(NONE);
    expect(roundTrip({ ...DEFAULT_VIEW, selection: ALL }).selection).toEqual(ALL);
  });

  it("keeps a few runs readable and many runs short", () => {
    expect(encodeView({ ...DEFAULT_VIEW, selection: only("cifar/wide-resnet") }, namesOf(["cifar/wide-resnet"]))).toBe(
      "#/?run=cifar/wide-resnet",
    );
    const names = Array.from({ length: 500 }, (_, i) => `sweep/lr=0.${i}/seed=${i}`);
    const view = { ...DEFAULT_VIEW, selection: withRuns(NONE, names, true, [...names, "other"]) };
    const text = encodeView(view, namesOf(names));
    expect(text.length).toBeLessThan(2_600);
    expect(roundTrip(view, names)).toEqual(view);
  });

  it("keeps a selection whose runs are not listed yet", () => {
    const view = { ...DEFAULT_VIEW, selection: only("later") };
    expect(roundTrip(view)).toEqual(view);
  });

  it("uses the default for invalid fields", () => {
    const odd =
      "smoothing=much&theme=pink&card=loss;x:3,2&card=a&zoom=a,b&column=max&group=moon&panel=p&sort=&tree=maybe&unknown=1&at=1,2,3";
    expect(decodeView(`#/scalars?${odd}`)).toEqual({ ...DEFAULT_VIEW, dashboard: "scalars" });
    expect(decodeView("#/?smoothing=7").smoothing).toEqual({ kind: "ema", amount: 0.999 });
    expect(decodeView("#/%zz").dashboard).toBe("%zz");
  });
});
