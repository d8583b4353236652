import { describe, expect, it } from "vitest";
import { type Stroke, toSeries } from "./model";
import { packLines, packStrokes, unpackLines, unpackStrokes } from "./line_buffer";

describe("a buffer of lines", () => {
  const answer = new ArrayBuffer(1024);
  const table = new Float64Array(answer, 0, 10).map((_, i) => i);
  const shared = new Float64Array(answer, 128, 10).fill(3);

  it("round-trips, with each table once and nothing else of the response", () => {
    const lines = [
      toSeries(shared, new Float32Array(answer, 256, 10).fill(1.5)),
      toSeries(shared, new Float64Array(answer, 512, 3).fill(2), new Uint8Array(answer, 640, 2).fill(1)),
      toSeries(table, new Float64Array(10)),
      toSeries(new Float64Array([2, 1]), new Float64Array(2)),
      toSeries(new Float64Array(0), new Float32Array(0)),
    ];
    const packed = packLines(lines);
    expect(packed.buffer.byteLength).toBe(80 + 40 + 24 + 8 + 80 + 80 + 16 + 16);
    const back = unpackLines(structuredClone(packed));
    expect(back).toEqual(lines);
    // So that its pixels are worked out once.
    expect(back[0]?.table).toBe(back[1]?.table);
  });

  it("lists each kind of stroke once", () => {
    const stroke: Stroke = { color: "red", widthPx: 1, alpha: 1, dash: [], axis: "left" };
    const strokes = [stroke, { ...stroke, dash: [4, 2] }, { ...stroke }, { ...stroke, axis: "right" as const }];
    expect(packStrokes(strokes).kinds).toHaveLength(3);
    expect(unpackStrokes(structuredClone(packStrokes(strokes)))).toEqual(strokes);
  });
});
