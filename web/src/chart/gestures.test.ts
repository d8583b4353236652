import { describe, expect, it } from "vitest";
import {
  type Drag,
  dragAxes,
  dragBox,
  followFingers,
  type Ground,
  keyAction,
  panAlong,
  type Point,
  type Region,
  regionAt,
  tidyRange,
  touchDown,
  touchMove,
  touchUp,
  zoomAt,
  zoomInto,
} from "./gestures";
import { type ChartView, type ScaleKind, WHOLE_VIEW } from "./model";
import { makeScale } from "./axes/scale";

const plot = { left: 50, top: 10, right: 150, bottom: 60 };
const ground = (view: ChartView = WHOLE_VIEW, yScale: ScaleKind = "linear", hasRight = false): Ground => ({
  axes: {
    x: makeScale("linear", [0, 1000], [50, 150]),
    y: makeScale(yScale, yScale === "log" ? [0.01, 1] : [0, 5], [60, 10]),
    y2: makeScale("linear", [0, 500], [60, 10]),
    plot,
  },
  view,
  xKind: "step",
  hasRight,
});
const drag = (from: [number, number], to: [number, number], region: Region = "plot"): Drag => ({
  kind: "zoom",
  region,
  from: { x: from[0], y: from[1] },
  to: { x: to[0], y: to[1] },
});

describe("regions", () => {
  it("are the plot and the strips of its axes", () => {
    const at = (x: number, y: number, hasRight = false) => regionAt({ x, y }, plot, hasRight);
    expect([at(100, 30), at(100, 75), at(20, 30), at(170, 30), at(170, 30, true), at(20, 75)]).toEqual([
      "plot",
      "x",
      "y",
      null,
      "y2",
      null,
    ]);
  });
});

describe("a drag", () => {
  it("is meant for one axis when it is nearly horizontal or vertical", () => {
    expect(dragAxes(drag([60, 30], [140, 38]))).toEqual({ x: true, y: false });
    expect(dragAxes(drag([60, 15], [66, 55]))).toEqual({ x: false, y: true });
    expect(dragAxes(drag([60, 15], [140, 55]))).toEqual({ x: true, y: true });
    expect(dragAxes(drag([20, 15], [90, 55], "y"))).toEqual({ x: false, y: true });
    expect(dragAxes(drag([60, 70], [140, 10], "x"))).toEqual({ x: true, y: false });
  });

  it("zooms into its box, which ends at the plot", () => {
    expect(zoomInto(drag([60, 20], [100, 50]), ground())).toEqual({ x: [100, 500], y: [1, 4], y2: null });
    expect(zoomInto(drag([100, 30], [400, 32]), ground({ x: null, y: [1, 2], y2: null }))).toEqual({
      x: [500, 1000],
      y: [1, 2],
      y2: null,
    });
    expect(zoomInto(drag([60, 20], [100, 50]), ground(WHOLE_VIEW, "linear", true)).y2).toEqual([100, 400]);
    expect(dragBox(drag([20, 20], [20, 50], "y"), plot)).toEqual({ left: 50, right: 150, top: 20, bottom: 50 });
  });

  it("pans, but not an axis that follows the data until the drag moves along it", () => {
    expect(panAlong(drag([100, 30], [110, 31]), ground())).toEqual({ x: [-100, 900], y: null, y2: null });
    expect(panAlong(drag([100, 30], [110, 35]), ground({ x: null, y: [0, 5], y2: null })).y).toEqual([0.5, 5.5]);
    expect(panAlong(drag([100, 30], [150, 40]), ground())).toEqual({ x: [-500, 500], y: null, y2: null });
    expect(panAlong(drag([100, 30], [130, 50]), ground()).y).toEqual([2, 7]);
  });

  it("pans a log axis by factors", () => {
    const [low = 0, high = 0] = panAlong(drag([20, 10], [20, 35], "y"), ground(WHOLE_VIEW, "log")).y ?? [];
    expect([low, high]).toEqual([0.1, 10]);
  });
});

describe("zoom at the pointer", () => {
  const at: Point = { x: 70, y: 35 };

  it("keeps what is under it", () => {
    expect(zoomAt("plot", at, 0.5, ground())).toEqual({ x: [100, 600], y: [1.25, 3.75], y2: null });
    expect(zoomAt("x", at, 2, ground()).x).toEqual([-200, 1800]);
    expect(zoomAt("y", at, 2, ground())).toEqual({ x: null, y: [-2.5, 7.5], y2: null });
    expect(zoomAt("y2", at, 2, ground(WHOLE_VIEW, "linear", true))).toEqual({ x: null, y: null, y2: [-250, 750] });
  });
});

describe("fingers", () => {
  const at = (x: number, y = 30): Point => ({ x, y });
  const press = touchDown(null, 1, at(100), ground());

  it("press until they move sideways; up and down belong to the page", () => {
    expect(touchMove(press, 1, at(103)).kind).toBe("press");
    expect(touchMove(press, 1, at(110, 60)).kind).toBe("press");
    expect(touchMove(press, 1, at(110, 35)).kind).toBe("move");
    expect(touchUp(press, 1, ground())).toBeNull();
  });

  it("pan x and leave y alone", () => {
    const zoomed = ground({ x: [0, 1000], y: [1, 2], y2: null });
    const moved = touchMove(touchDown(null, 1, at(100), zoomed), 1, at(110));
    expect(followFingers(moved)).toEqual({ x: [-100, 900], y: [1, 2], y2: null });
  });

  it("zoom x with two, whichever way round they are", () => {
    const pinch = touchDown(touchDown(null, 1, at(80), ground()), 2, at(120), ground());
    expect(pinch.kind).toBe("move");
    const apart = touchMove(touchMove(pinch, 1, at(60)), 2, at(140));
    expect(followFingers(apart)).toEqual({ x: [250, 750], y: null, y2: null });
    const other = touchDown(touchDown(null, 1, at(120), ground()), 2, at(80), ground());
    expect(followFingers(touchMove(touchMove(other, 1, at(140)), 2, at(60))).x).toEqual([250, 750]);
    // Further to the right, what they hold goes along.
    expect(followFingers(touchMove(touchMove(pinch, 1, at(70)), 2, at(150))).x).toEqual([200, 700]);
  });

  it("do not leap when they are close together or one above the other", () => {
    const pinch = touchDown(touchDown(null, 1, at(100, 20), ground()), 2, at(100, 50), ground());
    expect(followFingers(touchMove(pinch, 2, at(104, 50))).x).toEqual([-20, 980]);
  });

  it("go on from where they are when one is lifted", () => {
    const pinch = touchDown(touchDown(null, 1, at(80), ground()), 2, at(120), ground());
    const one = touchUp(touchMove(pinch, 2, at(150)), 1, ground({ x: [0, 1000], y: null, y2: null }));
    expect(one && followFingers(one).x).toEqual([0, 1000]);
    expect(one && followFingers(touchMove(one, 2, at(140))).x).toEqual([100, 1100]);
  });

  it("read on while a second one comes and goes", () => {
    const read = { ...press, kind: "read" } as const;
    expect(touchDown(read, 2, at(120), ground())).toBe(read);
    expect(touchUp(read, 2, ground())).toBe(read);
    expect(touchMove(read, 1, at(140)).kind).toBe("read");
  });
});

describe("keyAction", () => {
  const press = (key: string, pointer: Point | null = null, isLeap = false) => keyAction(key, isLeap, pointer, plot);

  it("moves the pointer from the middle and keeps it inside", () => {
    expect(press("ArrowRight")).toEqual({ move: { x: 108, y: 35 } });
    expect(press("ArrowRight", { x: 147, y: 20 }, true)).toEqual({ move: { x: 150, y: 20 } });
    expect(press("ArrowUp", { x: 55, y: 13 })).toEqual({ move: { x: 55, y: 10 } });
  });

  it("zooms either axis", () => {
    expect(["+", "-", "y", "Y"].map((key) => press(key))).toEqual([
      { zoom: "x", factor: 0.5 },
      { zoom: "x", factor: 2 },
      { zoom: "y", factor: 0.5 },
      { zoom: "y", factor: 2 },
    ]);
  });

  it("handles its other keys and leaves the rest to the page", () => {
    expect(["0", "Enter", "Escape", "s", "Tab", "a"].map((key) => press(key))).toEqual([
      "reset",
      "pin",
      "release",
      "select",
      null,
      null,
    ]);
  });
});

describe("tidyRange", () => {
  it("writes no more digits than are visible", () => {
    expect(tidyRange([10.4, 20.2], "step", "linear")).toEqual([10, 20]);
    expect(tidyRange([10.4, 10.45], "step", "linear")).toEqual([10, 11]);
    expect(tidyRange([1.23456, 2], "relative", "linear")).toEqual([1.235, 2]);
    expect(tidyRange([0.1234567, 0.2], "value", "linear")).toEqual([0.12346, 0.2]);
    expect(tidyRange([1e-7 / 3, 12345.678], "value", "log")).toEqual([3.3333e-8, 12346]);
  });
});
