import { describe, expect, it } from "vitest";
import { CameraTargets } from "./camera_targets.svelte";

const at = (x: number, radius = 1) => ({ center: [x, 0, 0], radius }) as const;

describe("what the cards of a tag look at", () => {
  it("holds what each of them showed first", () => {
    const targets = new CameraTargets();
    expect(targets.get("shape")).toBeNull();
    targets.note("shape", "one", at(0));
    expect(targets.get("shape")).toEqual(at(0));
    targets.note("shape", "two", at(4));
    targets.note("other", "three", at(100));
    expect(targets.get("shape")).toEqual(at(2, 3));
    // A later step of the same card moves nothing.
    targets.note("shape", "one", at(50));
    expect(targets.get("shape")).toEqual(at(2, 3));
  });

  it("is the same object until something changes, so that nothing is drawn again", () => {
    const targets = new CameraTargets();
    targets.note("shape", "one", at(0));
    targets.note("shape", "two", at(4));
    expect(targets.get("shape")).toBe(targets.get("shape"));
  });

  it("begins anew when it is reset, for one tag or for all", () => {
    const targets = new CameraTargets();
    targets.note("shape", "one", at(0));
    targets.note("other", "two", at(1));
    targets.forget("shape");
    expect([targets.get("shape"), targets.get("other")]).toEqual([null, at(1)]);
    targets.note("shape", "one", at(7));
    expect(targets.get("shape")).toEqual(at(7));
    targets.forgetAll();
    expect(targets.get("other")).toBeNull();
  });
});
