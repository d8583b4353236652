import { describe, expect, it } from "vitest";
import { Homes } from "./camera_targets.svelte";

const at = (x: number, radius = 1) => ({ center: [x, 0, 0], radius }) as const;

describe("what the cards of a tag look at", () => {
  it("holds what each of them showed first", () => {
    const homes = new Homes();
    expect(homes.home("shape")).toBeNull();
    homes.note("shape", "one", at(0));
    expect(homes.home("shape")).toEqual(at(0));
    homes.note("shape", "two", at(4));
    homes.note("other", "three", at(100));
    expect(homes.home("shape")).toEqual(at(2, 3));
    // A later step of the same card moves nothing.
    homes.note("shape", "one", at(50));
    expect(homes.home("shape")).toEqual(at(2, 3));
  });

  it("is the same object until something changes, so that nothing is drawn again", () => {
    const homes = new Homes();
    homes.note("shape", "one", at(0));
    homes.note("shape", "two", at(4));
    expect(homes.home("shape")).toBe(homes.home("shape"));
  });

  it("begins anew when it is reset, for one tag or for all", () => {
    const homes = new Homes();
    homes.note("shape", "one", at(0));
    homes.note("other", "two", at(1));
    homes.forget("shape");
    expect([homes.home("shape"), homes.home("other")]).toEqual([null, at(1)]);
    homes.note("shape", "one", at(7));
    expect(homes.home("shape")).toEqual(at(7));
    homes.forgetAll();
    expect(homes.home("other")).toBeNull();
  });
});
