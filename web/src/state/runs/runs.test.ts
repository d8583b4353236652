import { describe, expect, it, vi } from "vitest";
import type { HParams, Run, TagIndex } from "../../api/types";
import { Changes } from "../changes.svelte";
import { HParamsState } from "./hparams.svelte";
import { Overlay } from "../kept/overlay.svelte";
import { compileQuery } from "./run_query";
import { RunValuesState } from "./run_values.svelte";
import { RunsState } from "./runs.svelte";
import { ALL } from "./selection";
import { Settings } from "../view/settings.svelte";

const run = (name: string): Run => ({
  name,
  start_time: 0,
  last_wall_time: 0,
  series: 1,
  points: 1,
  files: 1,
  size_bytes: 1,
  health: "ok",
  restarts: 0,
  assets: 0,
  asset_bytes: 0,
});

interface Given {
  runs: RunsState;
  settings: Settings;
  overlay: Overlay;
  hparams: HParamsState;
  values: RunValuesState;
}

/** Runs with the last value of `acc` and with hyperparameters, where there are any. */
function stateOf(
  names: readonly string[],
  acc: Record<string, number> = {},
  hparams: HParams["runs"] = {},
  tags = ["acc"],
  merged: HParams["merged"] = {},
): Given {
  const settings = new Settings();
  const overlay = new Overlay();
  const listed = new HParamsState(() =>
    Promise.resolve({ generation: 1, names: [{ name: "lr", type: "number", values: 2 }], runs: hparams, merged }),
  );
  const values = new RunValuesState(({ columns }) =>
    Promise.resolve({
      generation: 1,
      runs: [...names],
      columns: columns.map(() => names.map((name) => acc[name] ?? null)),
    }),
  );
  const index: TagIndex = { generation: 1, runs: {}, tag_sets: [Object.fromEntries(tags.map((tag) => [tag, ""]))] };
  const runs = new RunsState(settings, overlay, listed, values, () => index, {
    isKnown: true,
    has: (what, name) => what === "nan" && name === "a",
  });
  runs.compileQuery = compileQuery;
  runs.setAll(names.map(run));
  return { runs, settings, overlay, hparams: listed, values };
}
const state = (...names: string[]): Given => stateOf(names);

describe("RunsState", () => {
  it("lists a run that only holds the records of another one with that one", async () => {
    const { runs, settings, hparams } = stateOf(["a", "a/1700.1", "b"], {}, {}, ["acc"], { "a/1700.1": "a" });
    expect(runs.listed).toEqual(["a", "a/1700.1", "b"]);
    await hparams.refresh();
    expect(runs.listed).toEqual(["a", "b"]);
    expect(runs.shown).toEqual(["a", "a/1700.1", "b"]);
    runs.setSelected(["a"], false);
    expect(runs.shown).toEqual(["b"]);
    runs.setSelected(["a"], true);
    settings.set({ runFilter: "^a$" });
    expect(runs.shown).toEqual(["a", "a/1700.1"]);
  });

  it("shows what is listed and selected", () => {
    const { runs, settings } = state("a/train", "a/val", "b/train");
    expect(runs.isAllShown).toBe(true);
    settings.set({ runFilter: "train" });
    runs.setSelected(["b/train"], false);
    expect(runs.listed).toEqual(["a/train", "b/train"]);
    expect(runs.shown).toEqual(["a/train"]);
  });

  it("lists in natural order and shows in the server's order", () => {
    const { runs } = state("r10", "r9", "r1");
    expect(runs.listed).toEqual(["r1", "r9", "r10"]);
    expect(runs.shown).toEqual(["r10", "r9", "r1"]);
  });

  it("keeps the last valid result while the pattern is invalid", () => {
    const { runs, settings } = state("a", "b");
    settings.set({ runFilter: "a" });
    expect(runs.listed).toEqual(["a"]);
    settings.set({ runFilter: "a(" });
    expect(runs.pattern.error).toContain("Not a regular expression");
    expect(runs.listed).toEqual(["a"]);
    settings.set({ runFilter: "" });
    expect(runs.listed).toEqual(["a", "b"]);
  });

  it("selects only what the filter lists", () => {
    const { runs, settings } = state("a/train", "a/val", "b/train");
    settings.set({ runFilter: "train" });
    runs.setListedSelected(false);
    expect(runs.shown).toEqual([]);
    settings.set({ runFilter: "" });
    expect(runs.shown).toEqual(["a/val"]);
    runs.selectOnly("b/train");
    expect(runs.shown).toEqual(["b/train"]);
    runs.invertListed();
    expect(runs.shown).toEqual(["a/train", "a/val"]);
    runs.setListedSelected(true);
    expect(runs.isAllShown).toBe(true);
    expect(runs.goneCount).toBe(0);
  });

  it("keeps its arrays when only counts grow, so that nothing is drawn again", () => {
    const { runs } = state("a", "b");
    const before = [runs.names, runs.shown, runs.listed];
    runs.setAll([run("a"), { ...run("b"), points: 2 }]);
    expect([runs.names, runs.shown, runs.listed].every((array, i) => array === before[i])).toBe(true);
  });

  it("counts points and assets in columns", () => {
    const { runs } = state("a");
    runs.setAll([{ ...run("a"), points: 7, assets: 3 }]);
    const cells = (["points", "assets"] as const).map((name) => runs.cell({ kind: "info", name }, "a"));
    expect(cells).toEqual([7, 3]);
  });

  it("keeps its arrays when a mark does not change which runs are shown", () => {
    const { runs, overlay } = state("a", "b");
    const before = [runs.shown, runs.listed];
    overlay.mark(["a"], { isStarred: true });
    expect([runs.shown, runs.listed].every((array, i) => array === before[i])).toBe(true);
  });

  it("shows a run that appears later when all were selected", () => {
    const { runs } = state("a");
    runs.setAll([run("a"), run("b")]);
    expect(runs.shown).toEqual(["a", "b"]);
  });

  it("hides runs from table and charts, and lists them on demand", () => {
    const { runs, overlay } = state("a", "b");
    overlay.mark(["b"], { isHidden: true });
    expect([runs.listed, runs.shown, runs.hiddenCount]).toEqual([["a"], ["a"], 1]);
    runs.showsHidden = true;
    expect([runs.listed, runs.shown]).toEqual([["a", "b"], ["a"]]);
  });

  it("finds a run by its display name", () => {
    const { runs, settings, overlay } = state("a", "b");
    overlay.mark(["b"], { name: "the best" });
    settings.set({ runFilter: "best" });
    expect([runs.listed, runs.title("b"), runs.title("a")]).toEqual([["b"], "the best", "a"]);
  });

  it("uses the colour that the user set, in both themes", () => {
    const { runs, overlay } = state("a", "b");
    const before = runs.color("b", "light");
    overlay.mark(["a"], { color: "#123456" });
    expect([runs.color("a", "light"), runs.color("a", "dark"), runs.color("b", "light")]).toEqual([
      "#123456",
      "#123456",
      before,
    ]);
  });

  it("counts runs of an address that no longer exist", () => {
    const { runs } = state("a", "b");
    runs.selectOnly("a", "gone");
    expect([runs.goneCount, runs.shown]).toEqual([1, ["a"]]);
    runs.setSelection(ALL);
    expect(runs.goneCount).toBe(0);
  });
});

describe("a query over columns", () => {
  const given = (): Given => stateOf(["a", "b", "c"], { a: 0.9, b: 0.5 }, { a: { lr: 0.1 }, c: { lr: 0.01 } });

  it("waits for its numbers, then lists the runs that match", async () => {
    const { runs, settings, hparams, values } = given();
    settings.set({ runQuery: "acc > 0.6 or lr < 0.05" });
    expect([runs.isPending, runs.listed]).toEqual([true, []]);
    await hparams.refresh();
    values.want(runs.wantedMetrics);
    await vi.waitFor(() => expect(runs.isPending).toBe(false));
    expect(runs.listed).toEqual(["a", "c"]);
    expect(runs.shown).toEqual(["a", "c"]);
  });

  it("reports the error and keeps the last valid result", async () => {
    const { runs, settings, hparams } = given();
    await hparams.refresh();
    settings.set({ runQuery: "lr < 0.05" });
    expect(runs.listed).toEqual(["c"]);
    settings.set({ runQuery: "lr <" });
    expect(runs.query.error?.message).toContain("Expected a column or a value");
    expect(runs.listed).toEqual(["c"]);
    settings.set({ runQuery: "" });
    expect(runs.listed).toEqual(["a", "b", "c"]);
  });

  it("waits for the language that it is in", async () => {
    const { runs, settings, hparams } = given();
    runs.compileQuery = null;
    await hparams.refresh();
    settings.set({ runQuery: "lr < 0.05" });
    expect([runs.isPending, runs.query.error, runs.listed]).toEqual([true, null, []]);
    runs.compileQuery = compileQuery;
    expect([runs.isPending, runs.listed]).toEqual([false, ["c"]]);
  });

  it("applies together with the pattern", async () => {
    const { runs, settings, hparams } = given();
    await hparams.refresh();
    settings.set({ runQuery: "lr > 0", runFilter: "c" });
    expect(runs.listed).toEqual(["c"]);
  });
});

describe("labels and names", () => {
  it("are queried, whatever their case", async () => {
    const { runs, settings, overlay, hparams } = state("a", "b", "c");
    await hparams.refresh();
    overlay.label(["a", "b"], { add: ["Good one"] });
    overlay.label(["c"], { add: ["bad"] });
    expect(runs.labels).toEqual(["bad", "Good one"]);
    settings.set({ runQuery: 'label:"good ONE"' });
    expect(runs.listed).toEqual(["a", "b"]);
    settings.set({ runQuery: "has:nan" });
    expect([runs.listed, runs.wantsNotFinite]).toEqual([["a"], true]);
    settings.set({ runQuery: "has:label and not has:note" });
    expect(runs.listed).toEqual(["a", "b", "c"]);
    overlay.mark(["a"], { isHidden: true });
    settings.set({ runQuery: "archived" });
    runs.showsHidden = true;
    expect(runs.listed).toEqual(["a"]);
  });

  it("show what cannot be seen", () => {
    const { runs, overlay } = state("a\u202eb");
    expect([runs.title("a\u202eb"), runs.isRenamed("a\u202eb")]).toEqual(["a⟨202E⟩b", false]);
    overlay.mark(["a\u202eb"], { name: "x/y\n" });
    expect([runs.title("a\u202eb"), runs.isRenamed("a\u202eb")]).toEqual(["x/y␊", true]);
  });
});

describe("the order of the table", () => {
  it("sorts by a column, missing values last in both directions, ties in natural order", async () => {
    const { runs, settings, values } = stateOf(["a", "b", "c", "d"], { a: 1, b: 3, d: 1 });
    settings.set({
      columns: [{ kind: "metric", tag: "acc", stat: "last" }],
      sort: { column: "last;acc", isDescending: true },
    });
    expect(runs.wantedMetrics).toEqual([]);
    runs.isTableOpen = true;
    values.want(runs.wantedMetrics);
    await vi.waitFor(() => expect(values.byRun("last;acc").size).toBe(3));
    expect(runs.ordered).toEqual(["b", "a", "d", "c"]);
    settings.set({ sort: { column: "last;acc", isDescending: false } });
    expect(runs.ordered).toEqual(["a", "d", "b", "c"]);
    settings.set({ sort: { column: "name", isDescending: true } });
    expect(runs.ordered).toEqual(["d", "c", "b", "a"]);
    expect(runs.extremes({ kind: "metric", tag: "acc", stat: "last" }, 2, true)).toEqual(["b", "a"]);
  });

  it("sorts directories by the best run in them", async () => {
    const { runs, settings, values } = stateOf(["x/1", "x/2", "y/1", "z"], { "x/1": 1, "x/2": 9, "y/1": 5, z: 7 });
    settings.set({
      columns: [{ kind: "metric", tag: "acc", stat: "max" }],
      sort: { column: "max;acc", isDescending: true },
    });
    runs.isTableOpen = true;
    values.want(runs.wantedMetrics);
    await vi.waitFor(() => expect(values.byRun("max;acc").size).toBe(4));
    expect(runs.rows.map(({ node }) => node.path)).toEqual(["x", "x/2", "x/1", "z", "y/1"]);
  });
});

describe("Changes", () => {
  it("knows which runs are newer than a card's data", () => {
    const changes = new Changes();
    changes.add({ generation: 5, runs: null });
    expect(changes.isNewer(5, ["a"])).toBe(false);
    expect(changes.isNewer(4, ["a"])).toBe(true);
    changes.add({ generation: 6, runs: ["a"] });
    changes.add({ generation: 7, runs: ["b"] });
    expect(changes.isNewer(5, ["a", "c"])).toBe(true);
    expect(changes.isNewer(6, ["a", "c"])).toBe(false);
    expect(changes.isNewer(5, ["c"])).toBe(false);
  });

  it("detects another server by its lower generation", () => {
    const changes = new Changes();
    changes.add({ generation: 90, runs: ["a"] });
    changes.add({ generation: 3, runs: null });
    expect([changes.epoch, changes.generation]).toEqual([1, 3]);
    expect(changes.isNewer(3, ["a"])).toBe(false);
  });
});
