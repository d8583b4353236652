import { describe, expect, it } from "vitest";
import { Changes } from "./changes.svelte";

describe("changes", () => {
  it("apply to the runs they name, or to all", () => {
    const changes = new Changes();
    changes.add({ generation: 3, runs: null });
    changes.add({ generation: 5, runs: ["a"] });
    expect([
      changes.isNewer(3, ["a"]),
      changes.isNewer(3, ["b"]),
      changes.isNewer(2, ["b"]),
      changes.isNewer(5, ["a"]),
    ]).toEqual([true, false, true, false]);
  });

  it("of another server start a new epoch", () => {
    const changes = new Changes();
    changes.add({ generation: 30, runs: ["a"] });
    changes.add({ generation: 2, runs: null });
    expect(changes.epoch).toBe(1);
    expect(changes.isNewer(1, ["b"])).toBe(true);
  });

  it("are applied together when they are released", () => {
    const changes = new Changes();
    changes.add({ generation: 3, runs: null });
    changes.hold({ generation: 3, runs: null });
    expect(changes.held).toBeNull();
    changes.hold({ generation: 4, runs: ["a"] });
    changes.hold({ generation: 6, runs: ["b", "a"] });
    expect(changes.isNewer(3, ["a"])).toBe(false);
    expect([...(changes.held?.runs ?? [])]).toEqual(["a", "b"]);
    changes.release();
    expect(changes.held).toBeNull();
    expect([changes.isNewer(3, ["a"]), changes.isNewer(3, ["b"]), changes.isNewer(3, ["c"])]).toEqual([
      true,
      true,
      false,
    ]);
    changes.hold({ generation: 7, runs: null });
    changes.hold({ generation: 8, runs: ["a"] });
    expect(changes.held?.runs).toBeNull();
  });

  it("detect a new server while they are held", () => {
    const changes = new Changes();
    changes.add({ generation: 10, runs: null });
    changes.hold({ generation: 2, runs: null });
    changes.hold({ generation: 20, runs: ["a"] });
    changes.release();
    expect(changes.epoch).toBe(1);
    expect(changes.isNewer(10, ["b"])).toBe(true);
  });
});
