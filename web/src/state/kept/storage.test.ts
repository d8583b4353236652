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

describe("browser storage", () => {
  beforeEach(() => localStorage.clear());
  afterEach(() => {
    vi.restoreAllMocks();
    // A write that works is how the page learns that it may again.
    remember("x", null);
  });

  it("uses our own prefix", () => {
    remember("x", "1");
    expect(localStorage.getItem("runglass-x")).toBe("1");
    expect(recall("x")).toBe("1");
    expect(isLasting()).toBe(true);
    remember("x", null);
    expect(localStorage.length).toBe(0);
  });

  it("lasts as long as the page if storage is full", () => {
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

  it("lasts as long as the page if storage is blocked", () => {
    vi.spyOn(globalThis, "localStorage", "get").mockImplementation(() => {
      throw new DOMException("closed", "SecurityError");
    });
    expect(recall("x")).toBeNull();
    expect(isLasting()).toBe(false);
    remember("x", "1");
    expect(recall("x")).toBe("1");
    expect([...recallAll()]).toEqual([["x", "1"]]);
  });

  it("returns null for invalid JSON", () => {
    remember("x", "{");
    expect(recallJson("x")).toBeNull();
  });

  it("can be exported as a whole, without the entries of others", () => {
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

describe("the exported file", () => {
  it("round-trips", () => {
    const entries = new Map([
      ["preferences", '{"tipRows":5}'],
      ["views-1a", ""],
    ]);
    expect(parseKept(encodeKept(entries))).toEqual(entries);
  });

  it("is checked", () => {
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
