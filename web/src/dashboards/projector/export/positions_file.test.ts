import { expect, test } from "vitest";
import { writePositions } from "./positions_file";

test("rows without a place are left out, and cells are quoted where they must be", () => {
  const positions = Float32Array.of(1, 2, 0, Number.NaN, Number.NaN, Number.NaN, 0.5, -3, 0);
  const label = { name: "a, b", type: "text", codes: Int32Array.of(0, 0, 1), levels: ['say "a"', "c"] } as const;
  expect(writePositions(positions, 2, [label])).toBe('row,x,y,"a, b"\r\n0,1,2,"say ""a"""\r\n2,0.5,-3,c\r\n');
});
