import { expect, test } from "vitest";
import { writeTsv } from "./metadata_file";

test("one column has no heading, several have; separators inside cells are written as letters", () => {
  const word = { name: "word", type: "text", codes: Int32Array.of(0, 1, -1), levels: ["a\tb", "c\r\nd"] } as const;
  const loss = { name: "loss", type: "number", numbers: Float64Array.of(0.5, Number.NaN, 2) } as const;
  expect(writeTsv([word], 3, null)).toBe("a\\tb\nc\\nd\n(empty)\n");
  expect(writeTsv([word, loss], 3, [0, 2])).toBe("word\tloss\na\\tb\t0.5\n\t2\n");
});
