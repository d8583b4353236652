import { expect, it } from "vitest";
import type { Client } from "../../api/client";
import { HistogramRequests, rowsIn, type BinOptions } from "./ask";

const OPTIONS: BinOptions = { bins: 10, x_scale: "linear", x_range: null, max_steps: 60, is_shared: false };

function answer(series: readonly { run: string; tag: string }[]): ArrayBuffer {
  const heads = series.map(({ run, tag }) => ({ run, tag, values: 0, count: 0, bins: null, buckets: 0, problems: [] }));
  let text = JSON.stringify({ version: 1, generation: 1, series: heads });
  while (text.length % 8 !== 0) text += " ";
  return Uint8Array.from([
    ...new TextEncoder().encode("RGC1"),
    ...new Uint8Array(Uint32Array.of(text.length).buffer),
    ...new TextEncoder().encode(text),
  ]).buffer;
}

it("answers a question that was prefetched with the answer that is on its way, once", async () => {
  let asked = 0;
  const requests = new HistogramRequests({
    binary: () => (asked++, Promise.resolve(answer([{ run: "a", tag: "w" }]))),
  });
  const query = { series: [{ run: "a", tag: "w" }], binOptions: OPTIONS };
  const { signal } = new AbortController();
  requests.prefetch([query]);
  expect((await requests.ask({ ...query }, () => 0, signal)).map(({ run }) => run)).toEqual(["a"]);
  expect(asked).toBe(1);
  await requests.ask({ ...query }, () => 0, signal);
  expect(asked).toBe(2);
});

it("asks at once for all that is prefetched, and again for each when that fails", async () => {
  const asked: number[] = [];
  const client: Pick<Client, "binary"> = {
    binary: (_path, body) => {
      const { series } = body as { series: { run: string; tag: string }[] };
      asked.push(series.length);
      return series.length > 1 ? Promise.reject(new Error("one is bad")) : Promise.resolve(answer(series));
    },
  };
  const requests = new HistogramRequests(client);
  const { signal } = new AbortController();
  const queries = ["a", "b"].map((run) => ({ series: [{ run, tag: "w" }], binOptions: OPTIONS }));
  await Promise.allSettled(
    requests.prefetch([...queries, { series: [{ run: "c", tag: "w" }], binOptions: { ...OPTIONS, bins: 5 } }]),
  );
  expect(asked).toEqual([2, 1]);
  const found = await Promise.all(queries.map((query, place) => requests.ask(query, () => place, signal)));
  expect(found.map((series) => series.map(({ run }) => run))).toEqual([["a"], ["b"]]);
});

it("asks for cards together, and leaves out what is gone", async () => {
  const asked: { series: { run: string; tag: string }[]; bins: number }[] = [];
  const client: Pick<Client, "binary"> = {
    binary: (_path, body) => {
      const { series } = body as (typeof asked)[number];
      asked.push(body as (typeof asked)[number]);
      return Promise.resolve(answer(series.filter(({ run }) => run !== "gone")));
    },
  };
  const requests = new HistogramRequests(client);
  const { signal } = new AbortController();
  const runs = ["a", "b", "gone", "c"];
  const found = await Promise.all(
    runs.map((run, place) => requests.ask({ series: [{ run, tag: "w" }], binOptions: OPTIONS }, () => place, signal)),
  );
  expect(found.map((series) => series.map(({ run }) => run))).toEqual([["a"], ["b"], [], ["c"]]);
  // The first alone, to be seen early; all others in one request.
  expect(asked.map(({ series }) => series.length)).toEqual([1, 3]);
  expect(asked[0]?.bins).toBe(10);
});

it("takes the rows of a range, evenly when there are many", () => {
  const steps = Float64Array.from({ length: 101 }, (_, i) => i);
  const series = {
    run: "a",
    tag: "x",
    generation: 1,
    step: steps,
    wallTime: steps,
    row: Uint32Array.from(steps, (i) => i + 1000),
  };
  expect(rowsIn([3, 5], series, steps, 10)).toEqual([1003, 1004, 1005]);
  expect(rowsIn([0, 100], series, steps, 5)).toEqual([1000, 1025, 1050, 1075, 1100]);
  expect(rowsIn([0.2, 0.8], series, steps, 5)).toEqual([]);
});
