import { describe, expect, it, vi } from "vitest";
import { ApiError } from "../../api/http";
import type { RunValues, RunValuesQuery } from "../../api/types";
import { RunValuesState } from "./run_values.svelte";
import type { MetricColumn } from "../view/view";

const last = (tag: string): MetricColumn => ({ kind: "metric", tag, stat: "last" });
const answer = ({ columns }: RunValuesQuery): RunValues => ({
  generation: 1,
  runs: ["a", "b", "c"],
  columns: columns.map(() => [1, "NaN", null]),
});

describe("values of metric columns", () => {
  it("are requested once, all missing ones together", async () => {
    const ask = vi.fn((query: RunValuesQuery) => Promise.resolve(answer(query)));
    const values = new RunValuesState(ask);
    values.want([last("x"), { kind: "metric", tag: "y", stat: "at_best", best: "max", bestTag: "x" }]);
    values.want([last("x")]);
    await vi.waitFor(() => expect(values.isKnown(last("x"))).toBe(true));
    expect(ask.mock.calls).toEqual([
      [
        {
          columns: [
            { tag: "x", stat: "last" },
            { tag: "y", stat: "at_best", best_tag: "x", best: "max" },
          ],
        },
      ],
    ]);
    expect([values.value(last("x"), "a"), values.value(last("x"), "b"), values.value(last("x"), "c")]).toEqual([
      1,
      Number.NaN,
      null,
    ]);
  });

  it("stay the same object when nothing changes", async () => {
    const ask = vi.fn((query: RunValuesQuery) => Promise.resolve(answer(query)));
    const values = new RunValuesState(ask);
    values.want([last("x")]);
    await vi.waitFor(() => expect(values.isKnown(last("x"))).toBe(true));
    const before = values.byRun("last;x");
    values.refresh();
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(2));
    await Promise.resolve();
    expect(values.byRun("last;x")).toBe(before);
    values.end();
  });

  it("of one column can fail without the others", async () => {
    const values = new RunValuesState((query) =>
      query.columns.some(({ tag }) => tag === "=(")
        ? Promise.reject(new ApiError("bad_request", "column 2: expected a tag"))
        : Promise.resolve(answer(query)),
    );
    values.want([last("x"), last("=(")]);
    await vi.waitFor(() => expect(values.isKnown(last("x")) && values.isKnown(last("=("))).toBe(true));
    expect(values.value(last("x"), "a")).toBe(1);
    expect([...values.errors]).toEqual([["last;=(", "column 2: expected a tag"]]);
  });

  it("are requested again after the server was unreachable", async () => {
    let isUp = false;
    const ask = vi.fn((query: RunValuesQuery) =>
      isUp ? Promise.resolve(answer(query)) : Promise.reject(new ApiError("unreachable", "gone")),
    );
    const values = new RunValuesState(ask);
    values.want([last("x")]);
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(1));
    isUp = true;
    await vi.waitFor(() => {
      values.want([last("x")]);
      expect(values.isKnown(last("x"))).toBe(true);
    });
  });
});
