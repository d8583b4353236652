import { describe, expect, it } from "vitest";
import { isSelected } from "../runs/selection";
import { readTensorBoardHash, readTensorBoardQuery } from "./tensorboard_url";

describe("addresses made for TensorBoard", () => {
  it("determine the tab", () => {
    expect(readTensorBoardHash("#scalars")).toEqual({ dashboard: "scalars" });
    expect(readTensorBoardHash("#timeseries")).toEqual({ dashboard: "scalars" });
    expect(readTensorBoardHash("#pr_curves&run=x")).toEqual({ dashboard: "pr_curves" });
    expect(readTensorBoardHash("#debugger-v2")).toEqual({ dashboard: "debugger-v2" });
  });

  it("are not ours", () => {
    for (const hash of ["", "#", "#/", "#/scalars?tags=x", "#/?run=a&filter=b", "#&tagFilter=x"])
      expect(readTensorBoardHash(hash)).toBeNull();
  });

  it("contain filters, smoothing and runs after the tab", () => {
    const states = btoa(JSON.stringify({ "a/train": true, "a/val": false, "caf\u00e9": false }));
    const view = readTensorBoardHash(
      `#scalars&tagFilter=loss%2F.*%7Cacc&regexInput=lr%3D0.1&_smoothingWeight=0.85&runSelectionState=${encodeURIComponent(states)}`,
    );
    expect(view).toMatchObject({
      dashboard: "scalars",
      tagFilter: "loss/.*|acc",
      runFilter: "lr=0.1",
      smoothing: { kind: "ema", amount: 0.85 },
    });
    const selection = view?.selection;
    expect(selection && ["a/train", "a/val", "caf\u00e9", "later"].map((run) => isSelected(selection, run))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it("ignore invalid parts", () => {
    expect(readTensorBoardHash("#scalars&_smoothingWeight=much&runSelectionState=%%%&tagFilter=%E0%A4&x")).toEqual({
      dashboard: "scalars",
      tagFilter: "%E0%A4",
    });
    expect(readTensorBoardHash("#scalars&_smoothingWeight=7")?.smoothing?.amount).toBe(0.999);
    expect(readTensorBoardQuery("?pinnedCards=[{&smoothing=&runColorGroup=moon&darkMode=maybe").view).toEqual({});
  });

  it("have a query, from which only understood keys are removed", () => {
    const cards = JSON.stringify([
      { plugin: "scalars", tag: "val/loss" },
      { plugin: "images", tag: "x" },
      null,
      { plugin: "scalars", tag: "val/loss", runId: "a" },
    ]);
    const query = new URLSearchParams({
      tagFilter: "a+b",
      runFilter: "^x$",
      smoothing: "0.25",
      pinnedCards: cards,
      runColorGroup: "regex_by_exp:(train|val):",
      darkMode: "true",
      tensorboardColab: "1",
    });
    expect(readTensorBoardQuery(`?${query}`)).toEqual({
      view: {
        tagFilter: "a+b",
        runFilter: "^x$",
        smoothing: { kind: "ema", amount: 0.25 },
        pinned: ["val/loss"],
        colorBy: "regex:(train|val):",
        theme: "dark",
      },
      rest: "?tensorboardColab=1",
    });
    expect(readTensorBoardQuery("?runColorGroup=experiment&darkMode=false")).toEqual({
      view: { theme: "light" },
      rest: "",
    });
  });
});
