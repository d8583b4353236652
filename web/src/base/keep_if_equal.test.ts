import { expect, it } from "vitest";
import { keepEqualEntries } from "./keep_if_equal";

it("keeps entries and the list while a listing brings equal ones", () => {
  const keep = keepEqualEntries<{ readonly run: string; readonly steps: readonly number[] }>();
  const list = () => [
    { run: "a", steps: [0] },
    { run: "b", steps: [0, 1] },
  ];
  const first = keep(list());
  expect(keep(list())).toBe(first);

  const grown = keep([...list().slice(0, 1), { run: "b", steps: [0, 1, 2] }, { run: "c", steps: [] }]);
  expect(grown.map(({ run, steps }) => `${run} ${steps.join()}`)).toEqual(["a 0", "b 0,1,2", "c "]);
  expect(grown[0]).toBe(first[0]);
  expect(grown[1]).not.toBe(first[1]);
  expect(keep([])).toEqual([]);
});
