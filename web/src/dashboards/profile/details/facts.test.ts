import { expect, test } from "vitest";
import type { Device, EventInfo } from "../answer";
import { factsOf, rateText, sizeText } from "./facts";

const info = (more: Partial<EventInfo>): EventInfo => ({
  event: 1,
  name: "kernel",
  category: 0,
  hash: 1,
  track: 0,
  depth: 0,
  start_ps: 5e9,
  duration_ps: 1e9,
  self_ps: 1e9,
  step: 0,
  in_step_ps: 2e9,
  arguments: [],
  ancestors: [],
  children: 0,
  launch: null,
  ahead: null,
  operation: null,
  kernels: [],
  kernel_count: 0,
  flows: [],
  stack: [],
  module: null,
  shapes: [],
  of_name: {
    count: 1,
    total_ps: 1,
    self_ps: 1,
    mean_ps: 1,
    min_ps: 1,
    max_ps: 1,
    median_ps: 1,
    share: null,
    per_step: null,
    histogram: { edges: [], counts: [] },
    previous: null,
    next: null,
  },
  ...more,
});
const H200: Device = {
  id: 0,
  host: "",
  name: "NVIDIA H200",
  memory_bytes: null,
  capability: null,
  processors: null,
  peak_flops: 1e15,
  bandwidth_bytes: 4e12,
};
const lines = (told: ReturnType<typeof factsOf>): string[] =>
  told.facts.map(({ label, pieces }) => `${label}: ${pieces.map(({ text }) => text).join(" ")}`);

test("a kernel of PyTorch", () => {
  const told = factsOf(
    info({
      operation: { event: 7, name: "aten::cudnn_convolution", track: 1, depth: 0, start_ps: 0, duration_ps: 1 },
      module: "dec1.conv1",
      shapes: [
        { shape: "[16, 96]", type: "bf16" },
        { shape: "[48, 96]", type: "bf16" },
        { shape: "[]", type: "Scalar" },
      ],
      arguments: [
        { key: "grid", value: [32_768, 1, 1] },
        { key: "block", value: [384, 1, 1] },
        { key: "registers per thread", value: 168 },
        { key: "shared memory", value: 167_936 },
        { key: "est. achieved occupancy %", value: 17 },
        { key: "correlation", value: 1_759 },
      ],
    }),
    2_418,
    H200,
    "ps",
  );
  expect(lines(told)).toEqual([
    "Duration: 1 ms at 2 ms of step 2,418",
    "Op, module: aten::cudnn_convolution, dec1.conv1",
    "Inputs: [16, 96], [48, 96] bf16",
    "Grid, block: 32,768 × 1 × 1, 384 × 1 × 1",
    "Registers: 168 per thread 164 KiB shared",
    "Occupancy: 17 %",
  ]);
  expect(told.others).toEqual([{ key: "correlation", value: "1759" }]);
});

test("a kernel of XLA, with its rates", () => {
  const told = factsOf(
    info({
      step: null,
      in_step_ps: null,
      arguments: [
        {
          key: "kernel_details",
          value: "regs:32 static_shared:1024 dynamic_shared:1024 grid:2,1,1 block:128,1,1 occ_pct:50",
        },
        { key: "flops", value: 4e11 },
        { key: "bytes_accessed", value: "1000000000" },
      ],
    }),
    null,
    H200,
    "ps",
  );
  expect(lines(told)).toEqual([
    "Duration: 1 ms at 5 ms",
    "Rate: 400 TFLOP/s 40 % of peak 1 TB/s",
    "Bytes: 1.0 GB 1,000,000,000",
    "Grid, block: 2 × 1 × 1, 128 × 1 × 1",
    "Registers: 32 per thread 2 KiB shared",
    "Occupancy: 50 %",
  ]);
});

test("arguments without words of their own are all listed", () => {
  const told = factsOf(
    info({
      arguments: [
        { key: "grid", value: "no size" },
        { key: "x", value: { a: [1] } },
        { key: "n", value: null },
      ],
    }),
    null,
    null,
    "ps",
  );
  expect(told.others).toEqual([
    { key: "grid", value: "no size" },
    { key: "x", value: '{"a":[1]}' },
    { key: "n", value: "null" },
  ]);
  expect(sizeText("1,2,3,4")).toBeNull();
  expect(rateText(0.5, "B")).toBe("0.5 B/s");
});
