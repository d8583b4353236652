import { describe, expect, it } from "vitest";
import { ViewHistory } from "./view_history";
import { DEFAULT_VIEW, type View } from "./view";

const view = (runFilter: string): View => ({ ...DEFAULT_VIEW, runFilter });

describe("the history of views", () => {
  it("makes one entry of a burst", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(view("a"), 0);
    history.note(view("ab"), 50);
    expect(history.take()).toBe("push");
    history.note(view("abc"), 900);
    expect(history.take()).toBe("replace");
    history.note(view("abcd"), 1_800);
    expect(history.take()).toBe("replace");
  });

  it("makes a new entry after a pause", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(view("a"), 0);
    history.take();
    history.note(view("b"), 1_500);
    expect(history.take()).toBe("push");
  });

  it("makes no entry when only the text of a view changes", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(DEFAULT_VIEW, 5_000);
    expect(history.take()).toBe("replace");
  });

  it("makes no entry of going back, and one of the change after it", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(view("a"), 0);
    const back = view("");
    history.arrive(back);
    history.note(back, 10);
    expect(history.take()).toBe("replace");
    history.note(view("b"), 20);
    expect(history.take()).toBe("push");
  });
});
