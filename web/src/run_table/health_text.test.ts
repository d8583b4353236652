import { describe, expect, it } from "vitest";
import type { FileHealth } from "../api/types";
import { findingText, healthText, sortFindings } from "./health_text";

const file = (path: string, state: FileHealth["state"], change: Partial<FileHealth> = {}): FileHealth => ({
  run: "a",
  path,
  state,
  size_bytes: 9,
  read_bytes: 4,
  records: 1,
  skipped_records: 0,
  byte: null,
  reason: "",
  advice: "",
  ...change,
});

describe("problems of files", () => {
  it("are sorted with the worst first", () => {
    const files = [file("b", "skipped"), file("c", "damaged"), file("a", "skipped"), file("d", "unreadable")];
    expect(sortFindings(files).map(({ path }) => path)).toEqual(["d", "c", "a", "b"]);
  });

  it("say what and where", () => {
    expect(findingText(file("a", "unreadable"))).toBe("unreadable");
    expect(findingText(file("a", "damaged", { byte: 40_960 }))).toBe("damaged, first at byte 40960");
    expect(findingText(file("a", "skipped", { byte: 7, skipped_records: 1 }))).toBe(
      "1 record skipped, first at byte 7",
    );
  });

  it("can be copied as text", () => {
    const text = healthText([
      file("x/events", "damaged", { byte: 3, reason: "bad length", advice: "Copy it again." }),
      file("y", "unreadable"),
    ]);
    expect(text).toBe("x/events: damaged, first at byte 3\n  bad length\n  Copy it again.\ny: unreadable");
  });
});
