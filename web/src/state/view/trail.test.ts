import { describe, expect, it } from "vitest";
import { Trail } from "./trail";
import { DEFAULT_VIEW, type View } from "./view";

const view = (runFilter: string): View => ({ ...DEFAULT_VIEW, runFilter });

describe("the trail of views", () => {
  it("makes one step of a burst", () => {
    const trail = new Trail(DEFAULT_VIEW);
    trail.note(view("a"), 0);
    trail.note(view("ab"), 50);
    expect(trail.take()).toBe("push");
    trail.note(view("abc"), 900);
    expect(trail.take()).toBe("replace");
    trail.note(view("abcd"), 1_800);
    expect(trail.take()).toBe("replace");
  });

  it("makes a new step after a rest", () => {
    const trail = new Trail(DEFAULT_VIEW);
    trail.note(view("a"), 0);
    trail.take();
    trail.note(view("b"), 1_500);
    expect(trail.take()).toBe("push");
  });

  it("makes no step of another way to write the same view", () => {
    const trail = new Trail(DEFAULT_VIEW);
    trail.note(DEFAULT_VIEW, 5_000);
    expect(trail.take()).toBe("replace");
  });

  it("makes no step of going back, and one of what comes after it at once", () => {
    const trail = new Trail(DEFAULT_VIEW);
    trail.note(view("a"), 0);
    const back = view("");
    trail.arrive(back);
    trail.note(back, 10);
    expect(trail.take()).toBe("replace");
    trail.note(view("b"), 20);
    expect(trail.take()).toBe("push");
  });
});
