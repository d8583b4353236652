// @vitest-environment jsdom
import { flushSync } from "svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Client } from "../../api/client";
import { Session } from "../../state/session.svelte";
import { type HParamsPage, hparamsPageOf } from "./hparams_page.svelte";
import { setGoal } from "./options";
import { sampleAnswer } from "./sample_answer";
import { TableModel } from "./table/session_table.svelte";

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

const run = (name: string) => ({
  name,
  start_time: 0,
  last_wall_time: 0,
  series: 1,
  points: 1,
  files: 1,
  size_bytes: 1,
  health: "ok" as const,
  restarts: 0,
  assets: 0,
  asset_bytes: 0,
});

async function begin(answer = sampleAnswer()): Promise<{ page: HParamsPage; session: Session; asked: unknown[] }> {
  const asked: unknown[] = [];
  const session = new Session(
    new Client((path, init) => {
      if (path !== "hparams/table") return Promise.reject(new TypeError("no route"));
      asked.push(JSON.parse(String(init.body)));
      return Promise.resolve(new Response(JSON.stringify(answer)));
    }),
  );
  session.runs.setAll([...answer.members.flat(), "other"].map(run));
  const page = hparamsPageOf(session);
  ends.push(page.watch());
  flushSync();
  await vi.waitFor(() => expect(page.answer).not.toBeNull());
  flushSync();
  return { page, session, asked };
}

const LR = { column: "h:lr", ranges: [[1e-4, 1e-2]], levels: null, missing: false } as const;

describe("HParamsPage", () => {
  it("asks for the server's choice of metrics, and takes the first with values as the main one", async () => {
    const { page, asked } = await begin();
    expect(asked).toEqual([{ metrics: null }]);
    expect(page.metric?.id).toBe("m:|accuracy|last");
    expect(page.constants.map(({ id }) => id)).toEqual(["h:epochs"]);
    page.setMetric("m:val|loss|last");
    setGoal(page.settings, "m:val|loss|last", "max");
    expect([page.metric?.id, page.metric?.goal]).toEqual(["m:val|loss|last", "max"]);
  });

  it("narrows the runs of all dashboards to those of brushed rows, with their sub-runs, and undoes it", async () => {
    const { page, session } = await begin();
    page.setBrush(LR);
    flushSync();
    expect([...page.included]).toEqual([0, 1, 1, 0, 0]);
    expect(session.runs.shown).toEqual(["trial-1", "trial-1/val", "trial-2", "trial-2/val"]);
    expect(session.runs.narrowing?.title).toBe("Brushed in HParams");
    expect(session.runs.narrowedCount).toBe(7);
    // The table of the page itself keeps the rows outside.
    expect(page.table.rows).toBe(5);
    expect(session.settings.option("hparams.brush")).not.toBe("");
    session.runs.narrowing?.undo();
    flushSync();
    expect(session.runs.narrowing).toBeNull();
    expect(session.runs.shown).toHaveLength(11);
    expect(session.settings.option("hparams.brush")).toBe("");
  });

  it("holds other dashboards and the address back while a brush moves", async () => {
    const { page, session } = await begin();
    page.moveBrush(LR);
    flushSync();
    expect(page.includedCount).toBe(2);
    expect(session.runs.narrowing).toBeNull();
    expect(session.settings.option("hparams.brush")).toBe("");
    page.endMove();
    flushSync();
    expect(session.runs.narrowing?.runs.size).toBe(4);
  });

  it("selects rows, one or several, and lets a second click deselect", async () => {
    const { page, session } = await begin();
    page.select(3);
    page.select(1, true);
    flushSync();
    expect(page.selected).toEqual([3, 1]);
    expect(session.runs.shown).toEqual(["trial-1", "trial-1/val", "trial-3", "trial-3/val"]);
    page.select(3, true);
    expect(page.selected).toEqual([1]);
    page.select(1);
    flushSync();
    expect(page.selected).toEqual([]);
    expect(session.runs.narrowing).toBeNull();
  });

  it("has only rows whose runs are selected and match the filter of the run table", async () => {
    const { page, session } = await begin();
    session.runs.setSelected(["trial-0", "trial-0/val"], false);
    flushSync();
    expect(page.table.runs).toEqual(["trial-1", "trial-2", "trial-3", "trial-4"]);
    session.settings.set({ runFilter: "trial-[12]" });
    flushSync();
    expect(page.table.runs).toEqual(["trial-1", "trial-2"]);
    expect(page.all.rows).toBe(5);
  });

  it("shows thousands of rows that match in the table first, then in all views", async () => {
    const { page, session } = await begin(sampleAnswer(1_200));
    const model = new TableModel(page);
    session.settings.set({ runFilter: "trial-7.?$" });
    flushSync();
    expect(model.rows.map((row) => model.sessions.runs[row]).sort()[0]).toBe("trial-7");
    expect([model.rows.length, page.table.rows]).toEqual([11, 1_200]);
    // Until the views follow, a row has their colour, or none.
    session.settings.set({ runFilter: "" });
    flushSync();
    expect([model.rows.length, page.table.rows]).toEqual([1_200, 1_200]);
    session.settings.set({ runFilter: "trial-7.?$" });
    flushSync();
    await vi.waitFor(() => expect(page.table.rows).toBe(11));
    session.settings.set({ runFilter: "" });
    flushSync();
    expect([model.rows.length, page.table.rows]).toEqual([1_200, 11]);
    expect([model.color(0), model.color(7)]).toEqual(["transparent", page.color(0)]);
  });

  it("shares the run under the pointer with the run table, by name", async () => {
    const { page, session } = await begin();
    page.hover(2);
    expect([page.hovered, session.runs.nearestInChart]).toEqual([2, "trial-2"]);
    session.runs.setSelected(["trial-0", "trial-0/val"], false);
    flushSync();
    expect(page.hovered).toBe(1);
    page.hover(null);
    session.runs.pointedAt = "trial-3/val";
    expect(page.hovered).toBe(2);
  });

  it("colours by the main metric unless told otherwise", async () => {
    const { page } = await begin();
    expect(page.colorColumn?.id).toBe("m:|accuracy|last");
    page.setColorBy("h:optimizer");
    expect(page.colors.legend.kind).toBe("categories");
    page.setColorBy("m:|accuracy|last");
    expect(page.settings.option("hparams.color")).toBe("");
    page.setColorBy("none");
    expect(page.colorColumn).toBeNull();
  });
});
