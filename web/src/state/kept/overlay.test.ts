// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { encodeOverlay, Overlay, parseOverlay } from "./overlay.svelte";

const LOGS = ["/logs"];

function opened(locations = LOGS): Overlay {
  const overlay = new Overlay();
  overlay.open(locations);
  return overlay;
}

describe("what the user says about runs", () => {
  beforeEach(() => localStorage.clear());

  it("is there after a reload, for this log directory only", () => {
    const overlay = opened();
    overlay.mark(["a", "b"], { isStarred: true });
    overlay.mark(["a"], { note: "good one", color: "#112233" });
    overlay.setBaseline("b");
    const again = opened();
    expect(again.of("a")).toEqual({ isStarred: true, note: "good one", color: "#112233" });
    expect(again.baseline).toBe("b");
    expect(opened(["/other"]).of("a")).toEqual({});
  });

  it("is taken away again by undefined, false or nothing", () => {
    const overlay = opened();
    overlay.mark(["a"], { isStarred: true, note: "x", name: "y" });
    overlay.mark(["a"], { isStarred: false, note: "", name: undefined });
    expect(overlay.runs.size).toBe(0);
  });

  it("can be taken along as a file and added to what is there", () => {
    const overlay = opened();
    overlay.mark(["a"], { name: "old" });
    overlay.mark(["b"], { isHidden: true });
    overlay.addText(
      encodeOverlay({
        runs: new Map([
          ["a", { name: "other" }],
          ["c", { isStarred: true }],
        ]),
        baseline: "c",
      }),
    );
    expect([...overlay.runs]).toEqual([
      ["a", { name: "other" }],
      ["b", { isHidden: true }],
      ["c", { isStarred: true }],
    ]);
    expect(overlay.baseline).toBe("c");
  });

  it("refuses a file that is something else, and changes nothing", () => {
    const overlay = opened();
    overlay.mark(["a"], { isStarred: true });
    for (const text of ["", "{}", "[1]", "null", '{"format": "other", "runs": {}}'])
      expect(() => overlay.addText(text)).toThrow("Not a file of run marks");
    expect(overlay.of("a")).toEqual({ isStarred: true });
  });

  it("leaves out fields of another type and colours that are none", () => {
    const text = JSON.stringify({
      format: "runglass-overlay",
      runs: { a: { isStarred: "yes", note: "n", color: "red", x: 1 }, b: 3 },
      baseline: 4,
    });
    expect(parseOverlay(text)).toEqual({ runs: new Map([["a", { note: "n" }]]), baseline: null });
  });

  it("takes runs with the names of an object's own things like any other", () => {
    const overlay = opened();
    overlay.mark(["__proto__", "constructor"], { isStarred: true });
    expect(opened().of("constructor")).toEqual({ isStarred: true });
    expect(opened().of("__proto__")).toEqual({ isStarred: true });
  });
});
