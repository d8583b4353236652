// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { SavedViews } from "./saved_views.svelte";

function open(locations = ["logs"]): SavedViews {
  const views = new SavedViews();
  views.open(locations);
  return views;
}
const names = (views: SavedViews): string[] => views.all.map((view) => view.name);

describe("saved views", () => {
  beforeEach(() => localStorage.clear());

  it("are kept per log directory, in the order of their names", () => {
    const views = open();
    views.save("run 10", "#/?filter=b");
    views.save("run 9", "#/?filter=a");
    expect(names(views)).toEqual(["run 9", "run 10"]);
    expect(names(open())).toEqual(["run 9", "run 10"]);
    expect(names(open(["elsewhere"]))).toEqual([]);
  });

  it("can be overwritten, renamed and removed", () => {
    const views = open();
    views.save("a", "#/?filter=1");
    views.save("a", "#/?filter=2");
    views.save("b", "");
    expect(views.find("a")?.address).toBe("#/?filter=2");
    views.rename("a", "b");
    views.rename("a", "");
    expect(names(views)).toEqual(["a", "b"]);
    views.rename("a", "c");
    views.remove("b");
    expect(open().all).toEqual([{ name: "c", address: "#/?filter=2" }]);
  });

  it("can be exported and imported", () => {
    const views = open();
    views.save("a", "#/?filter=old");
    views.save("mine", "");
    const other = open(["other"]);
    other.save("a", "#/?filter=new");
    expect(views.addText(other.toText())).toBe(1);
    expect(views.all).toEqual([
      { name: "a", address: "#/?filter=new" },
      { name: "mine", address: "" },
    ]);
  });

  it("reject other texts", () => {
    const views = open();
    for (const text of ["", "{}", "[]", "null", '{"format":"runglass-views"}'])
      expect(() => views.addText(text)).toThrow(/^Not a file of views/);
    const odd = {
      format: "runglass-views",
      views: [
        null,
        1,
        { name: "", address: "" },
        { name: "x", address: "javascript:alert(1)" },
        { name: "ok", address: "#/" },
      ],
    };
    expect(views.addText(JSON.stringify(odd))).toBe(1);
    expect(names(views)).toEqual(["ok"]);
    localStorage.setItem(Object.keys(localStorage)[0] as string, "broken");
    expect(names(open())).toEqual([]);
  });

  it("follow another tab", () => {
    const views = open();
    const other = open();
    other.save("theirs", "#/");
    dispatchEvent(new StorageEvent("storage", { key: Object.keys(localStorage)[0] as string }));
    expect(names(views)).toEqual(["theirs"]);
  });
});
