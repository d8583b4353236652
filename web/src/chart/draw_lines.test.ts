import { describe, expect, it } from "vitest";
import { type Context, drawLines } from "./draw_lines";
import { type Frame, toSeries, type ScaleKind } from "./model";

/** Notes the path calls as text, with whole pixels. */
function recorder(): { ctx: Context; calls: string[] } {
  const calls: string[] = [];
  const note = (name: string) => (...args: number[]) => void calls.push(`${name} ${args.map(Math.round).slice(0, 2).join(",")}`);
  const ignore = (): void => undefined;
  const ctx = {
    setTransform: ignore, clearRect: ignore, save: ignore, restore: ignore, beginPath: ignore, rect: ignore, clip: ignore,
    stroke: ignore, fill: ignore, moveTo: note("move"), lineTo: note("line"), arc: note("dot"),
    lineJoin: "round", lineCap: "butt", lineWidth: 1, globalAlpha: 1, strokeStyle: "", fillStyle: "",
  } as unknown as Context;
  return { ctx, calls };
}

const frame = (x: [number, number], y: [number, number], yScale: ScaleKind = "linear"): Frame => ({
  widthPx: 110, heightPx: 110, pixelRatio: 2, margins: { top: 5, right: 5, bottom: 5, left: 5 },
  x, y, yScale, strokes: [{ color: "red", widthPx: 1, alpha: 1, dash: [], axis: "left" }],
});

function draw(x: number[], y: number[], at: Frame): string[] {
  const { ctx, calls } = recorder();
  drawLines(ctx, at, [toSeries(new Float64Array(x), new Float64Array(y))]);
  return calls;
}

describe("drawLines", () => {
  it("maps the domain to the area inside the margins", () => {
    expect(draw([0, 1], [0, 1], frame([0, 1], [0, 1]))).toEqual(["move 5,105", "line 105,5"]);
  });

  it("leaves gaps at values that are not finite", () => {
    const y = [0, 0, Number.NaN, 1, 1, Number.POSITIVE_INFINITY, 0, 0];
    expect(draw([0, 1, 2, 3, 4, 5, 6, 7], y, frame([0, 10], [0, 1]))).toEqual([
      "move 5,105", "line 15,105", "move 35,5", "line 45,5", "move 65,105", "line 75,105",
    ]);
  });

  it("draws a point without neighbours as a dot", () => {
    expect(draw([5], [0.5], frame([0, 10], [0, 1]))).toContain("dot 55,55");
    const calls = draw([0, 1, 2, 3, 4], [0, Number.NaN, 1, Number.NaN, 0], frame([0, 10], [0, 1]));
    expect(calls.filter((call) => call.startsWith("dot"))).toEqual(["dot 5,105", "dot 25,5", "dot 45,105"]);
  });

  it("treats what a log axis cannot show as a gap", () => {
    expect(draw([0, 1, 2, 3, 4], [1, 10, 0, 100, 1], frame([0, 10], [1, 100], "log"))).toEqual([
      "move 5,105", "line 15,55", "move 35,5", "line 45,105",
    ]);
  });

  it("draws one point beyond each edge and no more", () => {
    const x = [0, 1, 2, 3, 4, 5, 6];
    expect(draw(x, x, frame([2, 4], [0, 6]))).toHaveLength(5);
  });
});
