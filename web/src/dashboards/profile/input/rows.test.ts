import { expect, test } from "vitest";
import type { InputPipeline } from "../answer";
import { textOf, writeCsv } from "../tables/columns";
import { depthsOf, insideColumns, isAboutInput, LOADER_COLUMNS, stepColumns, verdictOf } from "./rows";

const pipeline = (verdict: InputPipeline["verdict"], share: number): InputPipeline => ({
  input_share: share,
  verdict,
  stages: [],
  steps: [],
  step_count: 0,
  steps_each: 1,
  iterators: [],
  loaders: [],
  inside: [],
  notes: [],
});

test("a verdict says how much, and that nothing is told where nothing is", () => {
  expect(verdictOf(pipeline("input", 0.557), true)).toMatchObject({ isBad: true, text: /^56 % of the steps/ });
  expect(verdictOf(pipeline("device", 0.018), true)).toMatchObject({ isBad: false, text: /^1\.8 %/ });
  expect(verdictOf(pipeline("perhaps", 0.01), true).title).toContain("little");
  expect(verdictOf(pipeline("perhaps", 0), false).title).toContain("cannot be told");
  expect(verdictOf(pipeline("unknown", 0), false).title).toContain("no steps");
});

test("iterators stand below the one that asks them", () => {
  expect(depthsOf([{ parent: -1 }, { parent: 0 }, { parent: 1 }, { parent: 0 }, { parent: -1 }])).toEqual([
    0, 1, 2, 1, 0,
  ]);
});

test("steps have waiting and transfer, in full in CSV", () => {
  const step = {
    ...{ number: 7, name: "7", host: "a", start_ps: 1_000, end_ps: 5_000, is_outlier: false },
    parts: { input: 900, host_to_device: 100 },
  };
  expect(writeCsv(stepColumns(false), [step])).toBe(
    "Step,Step time,Input,Share,Wait,Transfer\r\n7,4000,1000,0.25,900,100\r\n",
  );
  expect(stepColumns(true).map(({ name }) => name)).toContain("worker");
});

test("loaders and what runs in them", () => {
  const [name] = LOADER_COLUMNS;
  const row = { name: "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" };
  expect(name && textOf(name, row as never)).toBe("DataLoader: SingleProcessDataLoaderIter.__next__");
  const sort = { name: "sort", source: "train.py:34", is_read: false, calls: 2, total_ps: 30, self_ps: 10 };
  expect(insideColumns(40).map((column) => column.value(sort))).toEqual(["sort", "train.py:34", 10, 0.25, 30, 2]);
});

test("code of the host is about input where nothing tells of input", () => {
  expect(isAboutInput("waiting_for_input", true)).toBe(true);
  expect(isAboutInput("host_code", true)).toBe(false);
  expect(isAboutInput("host_code", false)).toBe(true);
});
