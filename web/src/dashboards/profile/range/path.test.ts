import { expect, test } from "vitest";
import { pathRows, pathSpan } from "./path";

const part = (name: string, start_ps: number, duration_ps: number, place: "host" | "device" | null = "host") => ({
  ...{ event: name ? start_ps : null, name, track: 0, start_ps, duration_ps, place },
});

test("what is on the path, by name and place, the longest first", () => {
  const rows = pathRows([part("a", 0, 10), part("k", 10, 50, "device"), part("a", 60, 30), part("", 90, 5, null)]);
  expect(
    rows.map(({ name, place, count, total_ps, longest }) => [name, place, count, total_ps, longest.start_ps]),
  ).toEqual([
    ["k", "device", 1, 50, 10],
    ["a", "host", 2, 40, 60],
    ["", null, 1, 5, 90],
  ]);
});

test("a range comes before marks, these before what is visible", () => {
  const view = { from: 0, to: 9 };
  expect(pathSpan({ from: 2, to: 3 }, [1, 5], view)).toEqual({ span: { from: 2, to: 3 }, of: "of the range" });
  expect(pathSpan(null, [1, 4, 5], view)).toEqual({ span: { from: 1, to: 5 }, of: "between the marks" });
  expect(pathSpan(null, [1], view)).toEqual({ span: view, of: "of what is visible" });
});
