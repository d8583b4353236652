import { describe, expect, it } from "vitest";
import { type RunKey, runKey } from "./run_key";
import { ALL, NONE, only, withRuns } from "./selection";
import { DEFAULT_VIEW, decodeView, encodeView, type View } from "./url";

function namesOf(names: string[]): (key: RunKey) => string | undefined {
  const known = new Map(names.map((name) => [runKey(name), name]));
  return (key) => known.get(key);
}

const roundTrip = (view: View, names: string[] = []): View => decodeView(encodeView(view, namesOf(names)));

describe("the view in the address", () => {
  it("is empty for the default view", () => {
    expect(encodeView(DEFAULT_VIEW, () => undefined)).toBe("");
    expect(decodeView("")).toEqual(DEFAULT_VIEW);
  });

  it("survives a round trip with every field set to something awkward", () => {
    const names = ["lr=0.1,seed=1", "ä & b + c", "~odd", "."];
    const view: View = {
      dashboard: "scalars",
      runFilter: "^(a|b)+#?&=%",
      selection: withRuns(ALL, names, false, [...names, "kept"]),
      tagFilter: "loss/.*\\d+",
      smoothing: 0.999,
      xAxis: "wall",
      cutsOutliers: false,
      theme: "dark",
      collapsed: new Set(["train", "", "a=b&c"]),
      logTags: new Set(["val/loss"]),
      zooms: new Map([["a,b/c", [-1.5e-7, 2 ** 53]]]),
    };
    expect(roundTrip(view, names)).toEqual(view);
  });

  it("tells no run from all runs", () => {
    expect(roundTrip({ ...DEFAULT_VIEW, selection: NONE }).selection).toEqual(NONE);
    expect(roundTrip({ ...DEFAULT_VIEW, selection: ALL }).selection).toEqual(ALL);
  });

  it("keeps a few runs readable and many short", () => {
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

  it("falls back to the default for what it cannot read", () => {
    expect(decodeView("#/scalars?smoothing=much&x=epoch&theme=pink&zoom=3,2,loss&zoom=a,b,c&unknown=1")).toEqual({
      ...DEFAULT_VIEW,
      dashboard: "scalars",
    });
    expect(decodeView("#/?smoothing=7").smoothing).toBe(0.999);
    expect(decodeView("#/%zz").dashboard).toBe("%zz");
  });
});
