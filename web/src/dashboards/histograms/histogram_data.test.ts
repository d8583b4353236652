import { describe, expect, it } from "vitest";
import { binRange, decodeHistograms, notFinite, shareBelow, valueRange } from "./histogram_data";

const buckets = (...rows: readonly (readonly [number, number, number])[]) => ({
  left: Float64Array.from(rows, ([left]) => left),
  right: Float64Array.from(rows, ([, right]) => right),
  count: Float64Array.from(rows, ([, , count]) => count),
});

type Block = readonly number[] | Uint32Array;

/** A plain encoder of the format, block by block: lists as float64, arrays as they are. */
function encode(head: object, blocks: readonly Block[]): ArrayBuffer {
  let text = JSON.stringify({ version: 1, generation: 9, ...head });
  while (text.length % 8 !== 0) text += " ";
  const parts: Uint8Array[] = [
    new TextEncoder().encode("RGC1"),
    new Uint8Array(Uint32Array.of(text.length).buffer),
    new TextEncoder().encode(text),
  ];
  for (const block of blocks) {
    const bytes =
      block instanceof Uint32Array ? new Uint8Array(block.buffer) : new Uint8Array(Float64Array.from(block).buffer);
    parts.push(bytes, new Uint8Array(-bytes.length & 7));
  }
  return Uint8Array.from(parts.flatMap((part) => [...part])).buffer;
}

const head = { run: "a", tag: "w", values: 40, count: 2, problems: [{ at: 1, message: "Odd." }] };
const perStep = [
  Uint32Array.of(3, 7),
  [30, 70],
  [1.5, 2.5],
  [10, 12],
  [0, 4],
  [0, 0],
  [1, 0],
  [-1, -2],
  [1, 2],
] as const;

describe("answers", () => {
  it("in bins share their edges", () => {
    const body = encode({ series: [{ ...head, bins: 2, buckets: 99 }] }, [
      ...perStep,
      [-2, 0, 2],
      [4, 6, 5, 7],
      [0, 1],
      [2, 3],
    ]);
    const [series] = decodeHistograms(body);
    expect(series).toMatchObject({
      run: "a",
      tag: "w",
      generation: 9,
      values: 40,
      isStored: false,
      problems: head.problems,
    });
    expect([...(series?.row ?? [])]).toEqual([3, 7]);
    expect([...(series?.step ?? [])]).toEqual([30, 70]);
    expect(series?.buckets.map(({ count }) => [...count])).toEqual([
      [4, 6],
      [5, 7],
    ]);
    expect(binRange(series?.buckets[1] ?? buckets())).toEqual([-2, 2]);
    expect([[...(series?.below ?? [])], [...(series?.above ?? [])]]).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(series && shareBelow([series, { ...series, below: Float64Array.of(0, 0) }])).toBe(1 / 44);
    expect(series && shareBelow([{ ...series, below: Float64Array.of(10, 12 - 1e-12) }])).toBe(1);
    expect(series && notFinite(series)).toEqual({ nan: 4, negInf: 0, posInf: 1, steps: 2, firstStep: 30 });
  });

  it("as stored have buckets of their own at every step", () => {
    const body = encode({ series: [{ ...head, bins: null, buckets: 3 }] }, [
      ...perStep,
      Uint32Array.of(1, 2),
      [0, 0, 1],
      [1, 1, 3],
      [10, 5, 7],
    ]);
    const [series] = decodeHistograms(body);
    expect(series?.isStored).toBe(true);
    expect(series?.buckets.map(({ left, right, count }) => [[...left], [...right], [...count]])).toEqual([
      [[0], [1], [10]],
      [
        [0, 1],
        [1, 3],
        [5, 7],
      ],
    ]);
  });
});

describe("the axis of values", () => {
  it("spans what holds something", () => {
    expect(valueRange([buckets([-9, -1, 0], [-1, 2, 3]), buckets([1, 5, 1], [5, 9, 0])], "linear")).toEqual([-1, 5]);
    expect(valueRange([buckets([-1, 2, 3], [2, 4, 1])], "log")).toEqual([2, 4]);
    expect(valueRange([buckets([-1, 0, 3])], "log")).toBeNull();
    expect(valueRange([], "linear")).toBeNull();
  });

  it("has room around a single value", () => {
    expect(valueRange([buckets([5, 5, 3])], "linear")).toEqual([4.5, 5.5]);
    expect(valueRange([buckets([0, 0, 3])], "linear")).toEqual([-1, 1]);
  });
});
