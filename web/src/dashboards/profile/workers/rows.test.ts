import { expect, test } from "vitest";
import type { Workers } from "../answer";
import { textOf } from "../tables/columns";
import { COLLECTIVE_COLUMNS, heatRows } from "./rows";

const worker = (host: string) => ({
  ...{ host, steps: 2, step_ps: 100, computation_ps: 50, overlap_ps: 0, communication_ps: 50, other_ps: 0 },
  ...{ waiting_ps: null, transfer_ps: null },
});
const found = (took: (number | null)[][], waited: (number | null)[][]): Workers => ({
  workers: [worker("rank0"), worker("rank1")],
  steps: [5, 6],
  step_ps: took,
  step_waiting_ps: waited,
  collectives: [],
  notes: [],
});
const heats = (workers: Workers): number[][] => heatRows(workers).map(({ cells }) => cells.map(({ heat }) => heat));

test("the worker that the others wait for is hot, although all steps are equally long", () => {
  expect(
    heats(
      found(
        [
          [100, 100],
          [100, 100],
        ],
        [
          [50, 20],
          [0, 0],
        ],
      ),
    ),
  ).toEqual([
    [0, 0],
    [1, 0.4],
  ]);
});

test("equal workers stay pale, a step that is missing has no time", () => {
  const pale = heats(
    found(
      [
        [100, 101],
        [100, 100],
      ],
      [],
    ),
  );
  expect(Math.max(...pale.flat())).toBeLessThan(0.25);
  const [, second] = heatRows(
    found(
      [
        [100, 100],
        [100, null],
      ],
      [],
    ),
  );
  expect(second?.cells[1]).toMatchObject({ took: null, own: null, heat: 0 });
});

test("collectives tell size, bandwidth and who comes last", () => {
  const row = {
    ...{ name: "gloo:all_reduce", bytes: 15_862_080, calls: 4, total_ps: 100, waiting_ps: 25, transfer_ps: 75 },
    ...{ bandwidth: 5.5e8, last: "rank1", last_times: 3 },
  };
  const shown = Object.fromEntries(COLLECTIVE_COLUMNS.map((column) => [column.name, textOf(column, row)]));
  expect(shown).toMatchObject({ share: "25.0 %", bandwidth: "550 MB/s", last: "rank1, 3 of 4" });
});
