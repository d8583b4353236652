import { describe, expect, it } from "vitest";
import { agoText } from "../base/ago";
import { progressShare, progressText } from "./progress";

describe("progress", () => {
  it("shows runs and bytes, with a common unit once", () => {
    expect(
      progressText({ runs_found: 900, runs_loaded: 412, bytes_found: 5e9, bytes_read: 3.1e9, bytes_indexed: 0 }),
    ).toBe("412 of 900 runs, 3.1 of 5.0 GB");
    expect(progressText({ runs_found: 1, runs_loaded: 0, bytes_found: 5e9, bytes_read: 2e6, bytes_indexed: 0 })).toBe(
      "0 of 1 run, 2.0 MB of 5.0 GB",
    );
    expect(progressText({ runs_found: 3, runs_loaded: 1, bytes_found: 0, bytes_read: 0, bytes_indexed: 0 })).toBe(
      "1 of 3 runs",
    );
  });

  it("shows a text before there is anything to count", () => {
    expect(progressText({ runs_found: 0, runs_loaded: 0, bytes_found: 0, bytes_read: 0, bytes_indexed: 0 })).toBe(
      "looking for runs",
    );
  });

  it("is a share of bytes, of runs, or zero", () => {
    expect(progressShare({ runs_found: 2, runs_loaded: 0, bytes_found: 100, bytes_read: 25, bytes_indexed: 0 })).toBe(
      0.25,
    );
    expect(progressShare({ runs_found: 2, runs_loaded: 1, bytes_found: 0, bytes_read: 0, bytes_indexed: 0 })).toBe(0.5);
    expect(progressShare({ runs_found: 0, runs_loaded: 0, bytes_found: 0, bytes_read: 0, bytes_indexed: 0 })).toBe(0);
  });

  it("shows how long ago", () => {
    expect([0, 5_000, 125_000, 7.2e6, 2e8].map(agoText)).toEqual([
      "just now",
      "5 s ago",
      "2 min ago",
      "2 h ago",
      "2 d ago",
    ]);
  });
});
