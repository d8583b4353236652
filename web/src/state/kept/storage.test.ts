// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  encodeKept,
  isLasting,
  onOtherTab,
  parseKept,
  recall,
  recallAll,
  recallJson,
  remember,
  rememberAll,
} from "./storage";

describe("what the browser remembers", () => {
  beforeEach(() => localStorage.clear());
  afterEach(() => {
    vi.restoreAllMocks();
    // A write that works is how the page learns that it may again.
    remember("x", null);
  });

  it("is kept under our own names", () => {
    remember("x", "1");
    expect(localStorage.getItem("runglass-x")).toBe("1");
    expect(recall("x")).toBe("1");
    expect(isLasting()).toBe(true);
    remember("x", null);
    expect(localStorage.length).toBe(0);
  });

  it("lasts as long as the page where storage is full", () => {
    remember("x", "old");
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    expect(isLasting()).toBe(false);
    remember("x", "new");
    expect(recall("x")).toBe("new");
    expect(isLasting()).toBe(false);
    expect(recallAll().get("x")).toBe("new");
    vi.restoreAllMocks();
    remember("x", "newer");
    expect([recall("x"), isLasting()]).toEqual(["newer", true]);
  });

  it("lasts as long as the page where storage is forbidden", () => {
    vi.spyOn(globalThis, "localStorage", "get").mockImplementation(() => {
      throw new DOMException("closed", "SecurityError");
    });
    expect(recall("x")).toBeNull();
    expect(isLasting()).toBe(false);
    remember("x", "1");
    expect(recall("x")).toBe("1");
    expect([...recallAll()]).toEqual([["x", "1"]]);
  });

  it("is nothing where it cannot be understood", () => {
    remember("x", "{");
    expect(recallJson("x")).toBeNull();
  });

  it("can be taken along whole, and leaves others' things alone", () => {
    localStorage.setItem("theirs", "1");
    remember("x", "1");
    remember("y", "2");
    const all = recallAll();
    expect([...all.keys()].sort()).toEqual(["x", "y"]);
    const heard = vi.fn();
    const stop = onOtherTab("x", heard);
    rememberAll(new Map([["z", "3"]]), { isWhole: true });
    expect([...recallAll()]).toEqual([["z", "3"]]);
    rememberAll(all);
    expect([...recallAll().keys()].sort()).toEqual(["x", "y", "z"]);
    expect(heard).toHaveBeenCalledTimes(2);
    expect(localStorage.getItem("theirs")).toBe("1");
    stop();
  });
});

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
