import { describe, expect, it } from "vitest";
import type { Sample } from "../../state/cursor/step_cursor";
import { type LoggedText, TextLoader } from "./ask";

const sample = (row: number, step = row): Sample => ({ run: "a", tag: "t", row, step, wallTime: 0 });
const text = (row: number): LoggedText => ({
  run: "a",
  tag: "t",
  row,
  step: row,
  wall_time: 0,
  shape: [],
  values: [`text ${row}`],
  size_bytes: 6,
  is_cut: false,
  marks: 0,
  problem: null,
});

/** A server that has ten texts and answers at most `most` of them at once. */
function make(most = 100): { loader: TextLoader; asked: number[][] } {
  const asked: number[][] = [];
  const loader = new TextLoader({
    ask: (_path, { row }) => Promise.resolve(text(Number(row)) as never),
    askBody: (_path, body) => {
      const rows = (body as { series: { rows: number[] }[] }).series.flatMap((series) => series.rows);
      asked.push(rows);
      const texts = rows.filter((row) => row < 10).map(text);
      return Promise.resolve({ generation: 1, texts: texts.slice(0, most), is_partial: texts.length > most } as never);
    },
  });
  return { loader, asked };
}

describe("TextLoader", () => {
  it("asks once for what is wanted in one moment, and keeps it", async () => {
    const { loader, asked } = make();
    const found = await Promise.all([loader.preview(sample(1)), loader.preview(sample(2)), loader.preview(sample(1))]);
    expect(found.map(({ values }) => values[0])).toEqual(["text 1", "text 2", "text 1"]);
    await loader.preview(sample(2));
    expect(asked).toEqual([[1, 2]]);
  });

  it("asks again for what the server left", async () => {
    const { loader, asked } = make(2);
    await Promise.all([0, 1, 2, 3, 4].map((row) => loader.preview(sample(row))));
    expect(asked).toEqual([[0, 1, 2, 3, 4], [2, 3, 4], [4]]);
  });

  it("refuses a text that is gone or has become another, and asks anew for it", async () => {
    const { loader, asked } = make();
    await expect(loader.preview(sample(50))).rejects.toThrow("no longer there");
    await expect(loader.preview(sample(3, 99))).rejects.toThrow("no longer there");
    await expect(loader.preview(sample(50))).rejects.toThrow("no longer there");
    expect(asked).toEqual([[50], [3], [50]]);
  });
});
