import { describe, expect, it } from "vitest";
import { encodeKept, parseKept } from "./kept_file";

describe("the file of everything", () => {
  it("comes back as it went", () => {
    const entries = new Map([
      ["preferences", '{"tipRows":5}'],
      ["views-1a", ""],
    ]);
    expect(parseKept(encodeKept(entries))).toEqual(entries);
  });

  it("is not just any text", () => {
    for (const text of [
      "",
      "null",
      "[]",
      "{}",
      '{"format":"runglass-views","kept":{}}',
      '{"format":"runglass-browser"}',
    ])
      expect(parseKept(text)).toBeNull();
    expect(parseKept('{"format":"runglass-browser","kept":{"a":1,"b":"2"}}')).toEqual(new Map([["b", "2"]]));
  });
});
