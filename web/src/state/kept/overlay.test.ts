// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { encodeOverlay, Overlay, parseOverlay } from "./overlay.svelte";

const LOGS = ["/logs"];

function opened(locations = LOGS): Overlay {
  const overlay = new Overlay();
  overlay.open(locations);
  return overlay;
}

describe("marks on runs", () => {
  beforeEach(() => localStorage.clear());

  it("survive a reload, only for this log directory", () => {
    const overlay = opened();
    overlay.mark(["a", "b"], { isStarred: true });
    overlay.mark(["a"], { note: "good one", color: "#112233" });
    overlay.setBaseline("b");
    const again = opened();
    expect(again.of("a")).toEqual({ isStarred: true, note: "good one", color: "#112233" });
    expect(again.baseline).toBe("b");
    expect(opened(["/other"]).of("a")).toEqual({});
  });

  it("are removed by undefined, false or an empty text", () => {
    const overlay = opened();
    overlay.mark(["a"], { isStarred: true, note: "x", name: "y" });
    overlay.mark(["a"], { isStarred: false, note: "", name: undefined });
    expect(overlay.runs.size).toBe(0);
  });

  it("include labels, which are added and removed one by one", () => {
    const overlay = opened();
    overlay.label(["a", "b"], { add: ["good", "paper"] });
    overlay.label(["a"], { add: ["good"], remove: ["paper"] });
    overlay.label(["b"], { remove: ["good", "paper"] });
    expect(opened().of("a")).toEqual({ labels: ["good"] });
    expect(opened().runs.has("b")).toBe(false);
    const text = JSON.stringify({ format: "runglass-overlay", runs: { a: { labels: [1] }, b: { labels: "x" } } });
    expect(parseOverlay(text)?.runs.size).toBe(0);
  });

  it("return what undoes a change, and leave what was changed since", () => {
    const overlay = opened();
    overlay.mark(["a"], { note: "first", labels: ["x", "y"] });
    const undo = overlay.mark(["a", "b"], { note: "second", isStarred: true });
    const undoLabels = overlay.label(["a"], { add: ["z"], remove: ["x"] });
    overlay.mark(["b"], { note: "third" });
    undo();
    undoLabels();
    expect(opened().of("a")).toEqual({ note: "first", labels: ["y", "x"] });
    expect(opened().of("b")).toEqual({ note: "third" });
  });

  it("can be exported, and imported into existing ones", () => {
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

  it("reject another file, and do not change", () => {
    const overlay = opened();
    overlay.mark(["a"], { isStarred: true });
    for (const text of ["", "{}", "[1]", "null", '{"format": "other", "runs": {}}'])
      expect(() => overlay.addText(text)).toThrow("Not a file of run marks");
    expect(overlay.of("a")).toEqual({ isStarred: true });
  });

  it("ignore fields of another type and invalid colours", () => {
    const text = JSON.stringify({
      format: "runglass-overlay",
      runs: { a: { isStarred: "yes", note: "n", color: "red", x: 1 }, b: 3 },
      baseline: 4,
    });
    expect(parseOverlay(text)).toEqual({ runs: new Map([["a", { note: "n" }]]), baseline: null });
  });

  it("accept runs with the names of object properties", () => {
    const overlay = opened();
    overlay.mark(["__proto__", "constructor"], { isStarred: true });
    expect(opened().of("constructor")).toEqual({ isStarred: true });
    expect(opened().of("__proto__")).toEqual({ isStarred: true });
  });
});
