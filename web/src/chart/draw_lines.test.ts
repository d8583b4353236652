import { describe, expect, it } from "vitest";
import { type Context, drawLines } from "./draw_lines";
import { type Area, type Frame, type ScaleKind, type Stroke, toSeries } from "./model";

/** Notes the path calls as text, in whole pixels of the canvas. */
function recorder(): { ctx: Context; calls: string[] } {
  const calls: string[] = [];
  let scale = 1;
  const note =
    (name: string) =>
    (...args: number[]) =>
      void calls.push(
        `${name} ${args
          .map((each) => Math.round(each * scale))
          .slice(0, 2)
          .join(",")}`,
      );
  const ignore = (): void => undefined;
  const ctx = {
    save: ignore,
    closePath: ignore,
    setLineDash: (dash: number[]) => dash.length > 0 && calls.push(`dash ${dash.map((each) => each / 16).join()}`),
    restore: ignore,
    beginPath: ignore,
    rect: ignore,
    clip: ignore,
    stroke: ignore,
    fill: ignore,
    scale: (by: number) => (scale *= by),
    moveTo: note("move"),
    lineTo: note("line"),
    arc: note("dot"),
    lineJoin: "round",
    lineCap: "butt",
    lineWidth: 1,
    globalAlpha: 1,
    strokeStyle: "",
    fillStyle: "",
  } as unknown as Context;
  return { ctx, calls };
}

const STROKE: Stroke = { color: "red", widthPx: 1, alpha: 1, dash: [], axis: "left" };

const frame = (
  x: [number, number],
  y: [number, number],
  yScale: ScaleKind = "linear",
  more: Partial<Frame> = {},
): Frame => ({
  widthPx: 110,
  heightPx: 110,
  pixelRatio: 1,
  margins: { top: 5, right: 5, bottom: 5, left: 5 },
  x: { kind: "linear", domain: x },
  y: { kind: yScale, domain: y },
  y2: { kind: "linear", domain: [0, 10] },
  breaksFalls: false,
  firstFound: 0,
  ...more,
});

function draw(x: number[], y: number[], at: Frame, stroke: Partial<Stroke> = {}, areas: Area[] = []): string[] {
  const { ctx, calls } = recorder();
  drawLines(ctx, at, {
    series: [toSeries(new Float64Array(x), new Float64Array(y))],
    strokes: [{ ...STROKE, ...stroke }],
    areas,
  });
  return calls;
}

describe("drawLines", () => {
  it("maps the domain to the area inside the margins", () => {
    expect(draw([0, 1], [0, 1], frame([0, 1], [0, 1]))).toEqual(["move 5,105", "line 105,5"]);
    expect(draw([0, 1], [0, 5], frame([0, 1], [0, 1]), { axis: "right" })).toEqual(["move 5,105", "line 105,55"]);
  });

  it("leaves gaps and marks at values that are not finite", () => {
    const y = [0, 0, Number.NaN, 1, 1, Number.POSITIVE_INFINITY, 0, 0];
    const x = [0, 1, 2, 3, 4, 5, 6, 7];
    const lines = ["move 5,105", "line 15,105", "move 35,5", "line 45,5", "move 65,105", "line 75,105"];
    const cross = ["move 22,102", "line 29,109", "move 22,109", "line 29,102"];
    const triangle = ["move 55,5", "line 59,12", "line 52,12"];
    expect(draw(x, y, frame([0, 10], [0, 1]))).toEqual([...lines, ...cross, ...triangle]);
    // Lines that are only drawn have no marks.
    expect(draw(x, y, frame([0, 10], [0, 1], "linear", { firstFound: 1 }))).toEqual(lines);
  });

  it("limits the number of marks", () => {
    const x = Array.from({ length: 5_000 }, (_, i) => i / 500);
    const calls = draw(
      x,
      x.map(() => Number.NaN),
      frame([0, 10], [0, 1]),
    );
    expect(calls.length / 4).toBeLessThanOrEqual(14);
    expect(calls.length / 4).toBeGreaterThan(10);
  });

  it("draws a point without neighbours as a dot", () => {
    expect(draw([5], [0.5], frame([0, 10], [0, 1]))).toContain("dot 55,55");
    const calls = draw([0, 1, 2, 3, 4], [0, Number.NaN, 1, Number.NaN, 0], frame([0, 10], [0, 1]));
    expect(calls.filter((call) => call.startsWith("dot"))).toEqual(["dot 5,105", "dot 25,5", "dot 45,105"]);
  });

  it("leaves a gap without a mark where a log axis cannot show a value", () => {
    expect(draw([0, 1, 2, 3, 4], [1, 10, 0, 100, 1], frame([0, 10], [1, 100], "log"))).toEqual([
      "move 5,105",
      "line 15,55",
      "move 35,5",
      "line 45,105",
    ]);
    const logX = frame([1, 100], [0, 1], "linear", { x: { kind: "log", domain: [1, 100] } });
    expect(draw([-1, 0, 1, 10, 100], [1, 1, 0, 1, 0], logX)).toEqual(["move 5,105", "line 55,5", "line 105,105"]);
  });

  it("draws exactly one point beyond each edge", () => {
    const x = [0, 1, 2, 3, 4, 5, 6];
    expect(draw(x, x, frame([2, 4], [0, 6]))).toHaveLength(5);
  });

  it("breaks the line where x goes back, if requested", () => {
    const [x, y] = [
      [0, 1, 2, 1, 2],
      [0, 0, 0, 1, 1],
    ];
    expect(draw(x, y, frame([0, 10], [0, 1])).filter((call) => call.startsWith("move"))).toHaveLength(1);
    expect(draw(x, y, frame([0, 10], [0, 1], "linear", { breaksFalls: true }))).toEqual([
      "move 5,105",
      "line 15,105",
      "line 25,105",
      "move 15,5",
      "line 25,5",
    ]);
  });

  it("draws one point of a pixel column in which all are equally high", () => {
    expect(draw([0, 0.002, 0.004, 10], [0, 0.0002, 0.0004, 1], frame([0, 10], [0, 1]))).toEqual([
      "move 5,105",
      "line 105,5",
    ]);
    expect(draw([5, 5.001], [0.5, 0.5], frame([0, 10], [0, 1]))).toContain("dot 55,55");
  });

  it("draws the lowest and the highest point of a pixel column, in their order", () => {
    const x = [0, 0.1, 0.2, 0.3, 0.4, 10];
    expect(draw(x, [5, 9, 1, 6, 5, 5], frame([0, 100], [0, 10]))).toEqual(["move 5,15", "line 5,95", "line 15,55"]);
    expect(draw(x, [5, 1, 9, 6, 5, 5], frame([0, 100], [0, 10]))).toEqual(["move 5,95", "line 5,15", "line 15,55"]);
    // Not of a line that goes back and forth.
    expect(draw([0, 0.2, 0.1, 10], [5, 9, 1, 5], frame([0, 100], [0, 10]))).toHaveLength(4);
  });

  it("draws dashes", () => {
    expect(draw([0, 1], [0, 1], frame([0, 1], [0, 1]), { dash: [4, 2] })[0]).toBe("dash 4,2");
  });

  it("draws bands behind the lines, with gaps", () => {
    const nan = Number.NaN;
    const band = (low: number[], high: number[]): Area => ({
      table: new Float64Array([0, 1, 2, 3, 4]),
      low: new Float64Array(low),
      high: new Float64Array(high),
      color: "red",
      alpha: 0.2,
      axis: "left",
    });
    const calls = draw([0, 1], [0, 0], frame([0, 10], [0, 1]), {}, [band([0, 0, nan, 0, 0], [1, 1, 1, 1, 1])]);
    expect(calls).toEqual([
      "move 5,5",
      "line 15,5",
      "line 15,105",
      "line 5,105",
      "move 35,5",
      "line 45,5",
      "line 45,105",
      "line 35,105",
      "move 5,105",
      "line 15,105",
    ]);
    // On a log axis a band from zero reaches down to the edge.
    expect(draw([], [], frame([0, 10], [1, 100], "log"), {}, [band([0, 0, nan, nan, nan], [10, 10, 1, 1, 1])])).toEqual(
      ["move 5,55", "line 15,55", "line 15,105", "line 5,105"],
    );
  });
});
