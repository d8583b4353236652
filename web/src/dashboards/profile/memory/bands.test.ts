import { expect, test } from "vitest";
import type { Block, Blocks } from "../answer";
import { blockAt, OrderAxis, stackBlocks } from "./bands";

const block = (start_ps: number | null, end_ps: number | null, bytes: number): Block => ({
  ...{ start_ps, end_ps, bytes, op: "op", module: "", region: "unknown", event: null },
});
const blocks: Blocks = {
  blocks: [block(null, 30, 5), block(10, null, 10), block(20, 25, 100)],
  count: 3,
  rest_times_ps: [0, 20],
  rest_bytes: [1, 2],
};
/** Ten picoseconds in each of six columns. */
const columnOf = (ps: number): number => Math.min(5, Math.max(0, Math.floor(ps / 10)));

test("a block lies on those that are older, and falls when one of them is freed", () => {
  const bands = stackBlocks(blocks, columnOf);
  expect(bands.runs).toEqual([
    { block: 0, from: 0, to: 1, bottom: 1 },
    { block: 1, from: 1, to: 1, bottom: 6 },
    { block: 0, from: 2, to: 3, bottom: 2 },
    { block: 1, from: 2, to: 3, bottom: 7 },
    // It lives for half a column, which shows the moment at which most is allocated.
    { block: 2, from: 2, to: 2, bottom: 17 },
    { block: 1, from: 4, to: 5, bottom: 2 },
  ]);
  expect([...bands.total]).toEqual([6, 16, 117, 17, 12, 12]);
  expect([...bands.rest]).toEqual([1, 1, 2, 2, 2, 2]);
});

test("the block under the pointer", () => {
  const bands = stackBlocks(blocks, columnOf);
  expect(blockAt(bands, blocks.blocks, 2, 0.5)).toBeNull();
  expect(blockAt(bands, blocks.blocks, 2, 50)).toBe(2);
  expect(blockAt(bands, blocks.blocks, 4, 7)).toBe(1);
  expect(blockAt(bands, blocks.blocks, 4, 12)).toBeNull();
});

test("on an axis of changes, long pauses are as wide as short ones", () => {
  const axis = new OrderAxis({ ...blocks, blocks: [block(10, 20, 1), block(20, 1e12, 1)], rest_times_ps: [] }, 0, 1e12);
  expect([0, 10, 20, 1e12].map((ps) => axis.share(ps))).toEqual([0, 1 / 3, 2 / 3, 1]);
  expect(axis.share(15)).toBeCloseTo(0.5);
  expect(axis.time(0.5)).toBeCloseTo(15);
  expect(axis.time(axis.share(5e11))).toBeCloseTo(5e11);
});
