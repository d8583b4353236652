// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../api/http";
import type { MarkChange, SharedMark, SharedOverlay, WrittenMarks } from "../../api/types";
import { Overlay } from "./overlay.svelte";
import { SavedViews } from "./saved_views.svelte";
import { Messages } from "../messages.svelte";
import { SharedMarks } from "./shared_marks.svelte";
import { changesBetween, SharedSync } from "./shared_sync";

const LOGS = ["/logs"];

/** Marks of a server that merges by field, as the real one does. */
class Server {
  revision = 0;
  marks: SharedMark[] = [];
  canMark = true;
  failure: ApiError | null = null;
  saved: MarkChange[][] = [];

  write(by: string, ...changes: Omit<MarkChange, "base">[]): void {
    this.revision++;
    for (const change of changes)
      this.marks = [
        ...this.marks.filter(
          (each) => each.of !== change.of || each.name !== change.name || each.field !== change.field,
        ),
        { ...change, by, at: 1, version: this.revision },
      ];
  }

  load = (since: number): Promise<SharedOverlay> =>
    Promise.resolve({
      is_shared: true,
      can_mark: this.canMark,
      revision: this.revision,
      problem: "",
      is_whole: since === 0,
      marks: this.marks.filter(({ version }) => version > since),
    });

  save = (changes: readonly MarkChange[]): Promise<WrittenMarks> => {
    if (this.failure) return Promise.reject(this.failure);
    this.saved.push([...changes]);
    const replaced = this.marks.filter((mark) =>
      changes.some(
        (each) =>
          each.name === mark.name && each.field === mark.field && mark.version > each.base && each.value !== mark.value,
      ),
    );
    this.write("me", ...changes.map(({ of, name, field, value }) => ({ of, name, field, value })));
    return Promise.resolve({
      revision: this.revision,
      marks: this.marks.filter(({ version }) => version === this.revision),
      replaced,
    });
  };
}

function begin(server = new Server()) {
  const messages = new Messages();
  let sync: SharedSync | null = null;
  const own = () => ({ runs: overlay.own, views: new Map(views.own.map(({ name, address }) => [name, address])) });
  const shared: SharedMarks = new SharedMarks((marks) =>
    Promise.resolve((sync = new SharedSync(marks, server, messages, own))),
  );
  const overlay = new Overlay(shared);
  const views = new SavedViews(shared);
  overlay.open(LOGS);
  views.open(LOGS);
  shared.open(LOGS, server.revision);
  const refresh = async (): Promise<void> => {
    await settle();
    await sync?.refresh();
  };
  return { server, shared, overlay, views, messages, refresh };
}
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};
const star = (name: string) => ({ of: "run", name, field: "isStarred", value: true }) as const;

describe("marks that all share", () => {
  beforeEach(() => {
    localStorage.clear();
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it("are those of the server, and what this page changes", async () => {
    const { server, shared, overlay, refresh } = begin();
    server.write("ann", star("a"), { of: "run", name: "a", field: "label:paper", value: true });
    await refresh();
    expect(overlay.of("a")).toEqual({ isStarred: true, labels: ["paper"] });
    expect(shared.author("run", "a", "isStarred")).toEqual({ by: "ann", atMs: 1_000 });
    overlay.mark(["a"], { note: "good" });
    overlay.label(["a"], { add: ["old"], remove: ["paper"] });
    expect(overlay.of("a")).toEqual({ isStarred: true, note: "good", labels: ["old"] });
    await settle();
    expect(server.saved.flat().map(({ field, value }) => [field, value])).toEqual([
      ["note", "good"],
      ["label:old", true],
      ["label:paper", null],
    ]);
    expect(shared.pendingCount).toBe(0);
    expect(overlay.of("a")).toEqual({ isStarred: true, note: "good", labels: ["old"] });
  });

  it("leave hidden runs and the baseline to this browser", async () => {
    const { server, overlay } = begin();
    await settle();
    overlay.mark(["a"], { isHidden: true, isStarred: true });
    overlay.setBaseline("a");
    await settle();
    expect(server.saved.flat().map(({ field }) => field)).toEqual(["isStarred"]);
    const again = begin(server);
    await settle();
    expect(again.overlay.of("a")).toEqual({ isHidden: true, isStarred: true });
    expect(again.overlay.baseline).toBe("a");
  });

  it("tell what somebody else had written in the same field", async () => {
    const { server, overlay, shared, messages, refresh } = begin();
    await settle();
    const since = shared.revision;
    server.write("ben", { of: "run", name: "a", field: "note", value: "two" });
    await refresh();
    overlay.mark(["a"], { note: "three" }, { since });
    await settle();
    expect(messages.last?.text).toBe("ben had changed the note of a to “two” meanwhile. Yours has replaced it.");
    messages.last?.action?.run();
    await settle();
    expect(overlay.of("a").note).toBe("two");
  });

  it("wait in the browser while they cannot be saved", async () => {
    const { server, overlay, shared } = begin();
    await settle();
    server.failure = new ApiError("overlay_unavailable", "The disk is full.", null, 503);
    overlay.mark(["a"], { isStarred: true });
    await settle();
    expect(shared.problem).toBe("The disk is full.");
    expect(overlay.of("a")).toEqual({ isStarred: true });
    // Another page of the same browser, or the same one after a reload.
    const again = begin(server);
    await settle();
    expect(again.overlay.of("a")).toEqual({ isStarred: true });
    server.failure = null;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.marks.map(({ name, value }) => [name, value])).toEqual([["a", true]]);
    expect([shared.problem, shared.pendingCount, again.shared.pendingCount]).toEqual(["", 0, 0]);
    expect(Object.keys(localStorage).filter((key) => key.includes("pending"))).toEqual([]);
  });

  it("are not changed by those who may only read", async () => {
    const server = new Server();
    server.canMark = false;
    const { overlay, messages } = begin(server);
    await settle();
    overlay.mark(["a"], { isStarred: true });
    expect(overlay.of("a")).toEqual({});
    expect(messages.last?.text).toBe("You may look at the marks that all share, but not change them.");
    expect(server.saved).toEqual([]);
  });

  it("forget a change that the server refuses", async () => {
    const { server, overlay, messages, shared } = begin();
    await settle();
    server.failure = new ApiError("bad_request", "Too long.", null, 400);
    overlay.mark(["a"], { note: "x" });
    await settle();
    expect([messages.last?.text, overlay.of("a"), shared.pendingCount]).toEqual(["Too long.", {}, 0]);
  });

  it("do not hide what this browser had before, which can be added", async () => {
    const own = new Overlay();
    own.open(LOGS);
    own.mark(["a"], { isStarred: true, note: "mine", labels: ["x"] });
    const server = new Server();
    server.write("ann", { of: "run", name: "a", field: "note", value: "hers" });
    const { overlay, messages } = begin(server);
    await settle();
    expect(overlay.of("a")).toEqual({ note: "hers" });
    expect(messages.last?.text).toBe("This browser has 1 marked run that others do not see.");
    messages.last?.action?.run();
    await settle();
    expect(overlay.of("a")).toEqual({ note: "hers", isStarred: true, labels: ["x"] });
    // It is offered once.
    const again = begin(server);
    await settle();
    expect(again.messages.last).toBeNull();
  });

  it("are undone only where they are still one's own", async () => {
    const { server, overlay, refresh } = begin();
    server.write("ann", { of: "run", name: "a", field: "note", value: "hers" });
    await refresh();
    const undo = overlay.label(["a", "b"], { add: ["paper"] });
    const undoFile = overlay.addText(
      JSON.stringify({ format: "runglass-overlay", runs: { c: { name: "C", note: "mine" } } }),
    );
    await settle();
    server.write("ben", star("b"), { of: "run", name: "a", field: "label:good", value: true });
    server.write("ben", { of: "run", name: "c", field: "note", value: "his" }, star("d"));
    await refresh();
    server.saved = [];
    undo();
    undoFile();
    await settle();
    expect(Object.fromEntries(overlay.runs)).toEqual({
      a: { note: "hers", labels: ["good"] },
      b: { isStarred: true },
      c: { note: "his" },
      d: { isStarred: true },
    });
    expect(server.saved.flat().map(({ name, field }) => [name, field])).toEqual([
      ["a", "label:paper"],
      ["b", "label:paper"],
      ["c", "name"],
    ]);
  });

  it("are undone as views, unless somebody has saved the view since", async () => {
    const { server, views, refresh } = begin();
    server.write("ann", { of: "view", name: "v", field: "address", value: "#/images" });
    await refresh();
    const undos = [views.remove("v"), views.save("mine", "#/text"), views.save("ours", "#/audio")];
    await settle();
    server.write("ben", { of: "view", name: "ours", field: "address", value: "#/mesh" });
    await refresh();
    for (const undo of undos) undo();
    await settle();
    expect(views.all).toEqual([
      { name: "ours", address: "#/mesh" },
      { name: "v", address: "#/images" },
    ]);
  });

  it("include views", async () => {
    const { server, views, refresh } = begin();
    server.write("ann", { of: "view", name: "hers", field: "address", value: "#/images" });
    await refresh();
    views.save("mine", "#/scalars");
    expect(views.all.map(({ name }) => name)).toEqual(["hers", "mine"]);
    views.rename("mine", "ours");
    views.remove("hers");
    await settle();
    expect(server.marks.filter(({ value }) => value !== null).map(({ name }) => name)).toEqual(["ours"]);
  });
});

it("finds what leads from some marks to others", () => {
  expect(changesBetween("a", { note: "x", labels: ["p", "q"] }, { isStarred: true, labels: ["q", "r"] })).toEqual([
    { of: "run", name: "a", field: "isStarred", value: true },
    { of: "run", name: "a", field: "note", value: null },
    { of: "run", name: "a", field: "label:r", value: true },
    { of: "run", name: "a", field: "label:p", value: null },
  ]);
});
