import { expect, it } from "vitest";
import { NO_END, readEnd, writeEnd } from "./axis_text";

const read = (text: string) => readEnd({ text, rows: null }, ["label", "word"]);

it("reads searches, whole values, values of a column, and selected points", () => {
  expect(read("  ")).toBeNull();
  expect(read(" king ")).toEqual({ q: "king", column: null, mode: "text" });
  expect(read('"king"')).toEqual({ q: "king", column: null, mode: "exact" });
  expect(read("label = Ankle boot")).toEqual({ column: "label", value: "Ankle boot" });
  expect(read("a = b")).toEqual({ q: "a = b", column: null, mode: "text" });
  expect(readEnd({ text: "selected points", rows: "AAAA" }, [])).toEqual({ rows: "AAAA" });
});

it("writes them again", () => {
  for (const text of ["king", '"king"', "label = Shirt"]) {
    const end = read(text);
    expect(end && writeEnd(end).text).toBe(text);
  }
  expect(writeEnd(undefined)).toBe(NO_END);
});
