import { describe, expect, it } from "vitest";
import { groupRuns, type HParamsOfRuns, shortenLabels } from "./groups";
import type { GroupBy } from "../view/view";

const grouped = (names: string[], by: GroupBy, hparams: HParamsOfRuns = {}): Record<string, string[]> =>
  Object.fromEntries(groupRuns(names, by, hparams).map(({ label, runs }) => [label, [...runs]]));

describe("groups of runs", () => {
  it("are the runs themselves by default", () => {
    expect(grouped(["a", "b"], "")).toEqual({ a: ["a"], b: ["b"] });
  });

  it("by pattern: the text of the capture groups", () => {
    expect(grouped(["lr1/train", "lr1/val", "lr2/train", "x"], "regex:(lr\\d)/(train|val)")).toEqual({
      "lr1 · train": ["lr1/train"],
      "lr1 · val": ["lr1/val"],
      "lr2 · train": ["lr2/train"],
      other: ["x"],
    });
    expect(grouped(["a/train", "b/val"], "regex:train")).toEqual({ match: ["a/train"], other: ["b/val"] });
    expect(grouped(["a", "b", "ab"], "regex:^(a)?(b)?$")).toEqual({ a: ["a"], b: ["b"], "a · b": ["ab"] });
    expect(grouped(["a"], "regex:(")).toEqual({ other: ["a"] });
  });

  it("by a hyperparameter's value of any type", () => {
    const hparams: HParamsOfRuns = { a: { lr: 0.1, bias: true }, b: { lr: 0.1, bias: false }, c: { lr: 0.01 } };
    expect(grouped(["a", "b", "c", "d"], "hparam:lr", hparams)).toEqual({
      "lr=0.1": ["a", "b"],
      "lr=0.01": ["c"],
      other: ["d"],
    });
    expect(grouped(["a", "b", "c"], "hparam:bias", hparams)).toEqual({
      "bias=true": ["a"],
      "bias=false": ["b"],
      other: ["c"],
    });
  });

  it("by a hyperparameter: names of object properties are not values", () => {
    expect(grouped(["constructor", "a"], "hparam:name", { a: {} })).toEqual({ other: ["constructor", "a"] });
    expect(grouped(["constructor"], "config", {})).toEqual({ constructor: ["constructor"] });
  });

  it("by directory, from the front or the back", () => {
    const names = ["a/x/1", "a/x/2", "a/y/1", "b"];
    expect(grouped(names, "directory:1")).toEqual({ a: ["a/x/1", "a/x/2", "a/y/1"], b: ["b"] });
    expect(grouped(names, "directory:2")).toEqual({ "a/x": ["a/x/1", "a/x/2"], "a/y": ["a/y/1"], other: ["b"] });
    expect(grouped(names, "directory:-1")).toEqual({ "1": ["a/x/1", "a/y/1"], "2": ["a/x/2"], b: ["b"] });
  });
});

describe("same configuration, other seed", () => {
  it("uses the hyperparameters except those named like a seed", () => {
    const hparams: HParamsOfRuns = {
      a: { lr: 0.1, seed: 1 },
      b: { seed: 2, lr: 0.1 },
      c: { lr: 0.2, seed: 1 },
      d: { lr: 0.1, random_seed: 7 },
      e: { lr: 0.1, "data.seed": 7 },
    };
    expect(grouped(["a", "b", "c", "d", "e"], "config", hparams)).toEqual({
      "lr=0.1": ["a", "b", "d", "e"],
      "lr=0.2": ["c"],
    });
  });

  it("does not match words that contain a seed's name", () => {
    const hparams: HParamsOfRuns = { a: { seedling: 1 }, b: { seedling: 2 } };
    expect(Object.keys(grouped(["a", "b"], "config", hparams))).toEqual(["seedling=1", "seedling=2"]);
  });

  it("keeps train and validation of one run apart", () => {
    const hparams: HParamsOfRuns = {
      "a/train": { lr: 1, seed: 1 },
      "a/val": { lr: 1, seed: 1 },
      "b/train": { lr: 1, seed: 2 },
    };
    expect(grouped(Object.keys(hparams), "config", hparams)).toEqual({
      "lr=1 · train": ["a/train", "b/train"],
      "lr=1 · val": ["a/val"],
    });
  });

  it("uses the name without hyperparameters", () => {
    const names = ["lr=0.1/seed=0", "lr=0.1/seed=1", "lr=0.2/seed_0", "lr=0.2/seed_13", "plain"];
    expect(grouped(names, "config")).toEqual({
      "lr=0.1/seed=*": ["lr=0.1/seed=0", "lr=0.1/seed=1"],
      "lr=0.2/seed_*": ["lr=0.2/seed_0", "lr=0.2/seed_13"],
      plain: ["plain"],
    });
  });

  it("puts all runs without a difference into one group", () => {
    expect(grouped(["a", "b"], "config", { a: { seed: 1 }, b: { seed: 2 } })).toEqual({
      "no hyperparameters": ["a", "b"],
    });
  });
});

const shorten = (...labels: string[]): string[] =>
  shortenLabels(labels.map((label, i) => ({ label, runs: [`run${i}`] }))).map(({ label }) => label);

describe("shortenLabels", () => {
  it("leaves out what does not tell groups apart, and names that go without saying", () => {
    expect(
      shorten(
        "batch=64, lr=0.0001, optimizer=adam, wd=0",
        "batch=64, lr=0.0003, optimizer=sgd, wd=0.1",
        "batch=64, lr=0.05, optimizer=adam, wd=0",
      ),
    ).toEqual(["1e-4 · adam · wd 0", "3e-4 · sgd · wd 0.1", "0.05 · adam · wd 0"]);
    expect(shorten("batch=64, lr=0.1", "batch=64, lr=0.2", "without any")).toEqual(["0.1", "0.2", "without any"]);
    expect(shorten("batch=64, hidden=48, 32, lr=0.1", "batch=64, hidden=48, 32, lr=0.2 · train")).toEqual([
      "0.1",
      "0.2 · train",
    ]);
  });

  it("keeps the names of values that could be anything", () => {
    expect(shorten("bias=true, depth=2", "bias=false, depth=3")).toEqual([
      "bias true · depth 2",
      "bias false · depth 3",
    ]);
    expect(shorten("first=relu, second=gelu", "first=gelu, second=relu")).toEqual([
      "first relu · second gelu",
      "first gelu · second relu",
    ]);
  });

  it("leaves labels that would be empty, the same or without anything in common", () => {
    expect(shorten("lr=1", "lr=1, depth=2")).toEqual(["lr=1", "lr=1, depth=2"]);
    expect(shorten("a/seed*", "b/seed*")).toEqual(["a/seed*", "b/seed*"]);
    expect(shorten("lr=1")).toEqual(["lr=1"]);
    expect(shorten("sweep/x/a*", "sweep/x/b*")).toEqual(["a*", "b*"]);
    expect(shorten("sweep/a*", "sweep*")).toEqual(["sweep/a*", "sweep*"]);
    const named = ["lr=1", "lr=2"].map((name) => ({ label: name, runs: [name] }));
    expect(shortenLabels(named)).toEqual(named);
    expect(shorten("lr=1/seed=*", "lr=2/seed=*")).toEqual(["lr=1/seed=*", "lr=2/seed=*"]);
  });
});
