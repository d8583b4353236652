import { describe, expect, it } from "vitest";
import { ViewHistory } from "./view_history";
import { DEFAULT_VIEW, type View } from "./view";

const view = (runFilter: string): View => ({ ...DEFAULT_VIEW, runFilter });

describe("the history of views", () => {
  it("makes one entry of a burst", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(view("a"), 0);
    history.note(view("ab"), 50);
    expect(history.take("ab")).toBe("push");
    history.note(view("abc"), 900);
    expect(history.take("abc")).toBe("replace");
    history.note(view("abcd"), 1_800);
    expect(history.take("abcd")).toBe("replace");
  });

  it("makes a new entry after a pause", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(view("a"), 0);
    history.take("a");
    history.note(view("b"), 1_500);
    expect(history.take("b")).toBe("push");
  });

  it("makes no entry when only the text of a view changes", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(DEFAULT_VIEW, 5_000);
    expect(history.take("other text")).toBe("replace");
  });

  it("makes no entry of going back, and one of the change after it", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.note(view("a"), 0);
    const back = view("");
    history.arrive(back);
    history.note(back, 10);
    expect(history.take("")).toBe("replace");
    history.note(view("b"), 20);
    expect(history.take("b")).toBe("push");
  });

  it("leaves no entry of changes that end where they began", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    expect(history.take("")).toBe("replace");
    history.note(view("a"), 0);
    expect(history.take("a")).toBe("push");
    history.note(view("ab"), 300);
    expect(history.take("ab")).toBe("replace");
    history.note(view(""), 600);
    expect(history.take("")).toBe("back");
    history.note(view("c"), 700);
    expect(history.take("c")).toBe("push");
  });

  it("writes nothing when the view is the same again at once", () => {
    const history = new ViewHistory(DEFAULT_VIEW);
    history.take("");
    history.note(view("a"), 0);
    history.note(view(""), 50);
    expect(history.take("")).toBe("none");
    history.note(view("b"), 2_000);
    expect(history.take("b")).toBe("push");
  });
});
