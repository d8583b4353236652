import { beforeEach, describe, expect, it } from "vitest";
import { type Brush, withBrush } from "../brushes";
import { type Column, readTable } from "../columns";
import { sampleAnswer } from "../sample_answer";
import { makeScale, type ScaleKind } from "../scales";
import { AxisBrushing, type BrushedAxis } from "./axis_brushing";

const table = readTable(sampleAnswer());
const axis = (id: string, kind?: ScaleKind): BrushedAxis => {
  const column = table.byId.get(id) as Column;
  return { column, scale: makeScale(column, kind), isFlipped: false };
};
const LOSS = axis("m:val|loss|last", "linear");

describe("AxisBrushing", () => {
  let brushes: readonly Brush[] = [];
  let ended = 0;
  const of = (id: string): Brush | null => brushes.find(({ column }) => column === id) ?? null;
  const keep = (brush: Brush): void => void (brushes = withBrush(brushes, brush));
  // Values 1 to 5 from 100 px up to 0.
  const brushing = new AxisBrushing(
    { brushOf: of, setBrush: keep, moveBrush: keep, endMove: () => ended++ },
    { topPx: 0, bottomPx: 100, missingPx: 120 },
  );
  const drag = (on: BrushedAxis, from: number, to: number): void => {
    brushing.start(on, from);
    brushing.move((from + to) / 2);
    brushing.move(to);
    brushing.end();
  };
  beforeEach(() => {
    brushes = [];
    ended = 0;
  });
  const ranges = (): unknown => of("m:val|loss|last")?.ranges;

  it("makes several brushes on one axis, moves them and their ends, and removes one by a click", () => {
    drag(LOSS, 100, 75);
    drag(LOSS, 25, 0);
    expect(ranges()).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect(ended).toBe(2);
    drag(LOSS, 87, 62);
    expect(ranges()).toEqual([
      [2, 3],
      [4, 5],
    ]);
    drag(LOSS, 75, 100);
    expect(ranges()).toEqual([
      [1, 3],
      [4, 5],
    ]);
    brushing.start(LOSS, 12);
    brushing.end();
    expect(ranges()).toEqual([[1, 3]]);
  });

  it("keeps the size of a brush that is pushed against the end", () => {
    drag(LOSS, 60, 40);
    drag(LOSS, 50, -200);
    const [[low, high]] = ranges() as [[number, number]];
    expect(high).toBe(5);
    expect(high - low).toBeCloseTo(0.8, 1);
  });

  it("joins brushes that meet", () => {
    drag(LOSS, 100, 50);
    drag(LOSS, 20, 60);
    expect(ranges()).toEqual([[1, 4.2]]);
  });

  it("toggles categories and missing values by a click", () => {
    const optimizer = axis("h:optimizer");
    for (const px of [75, 25]) {
      brushing.start(optimizer, px);
      brushing.end();
    }
    expect(of("h:optimizer")?.levels).toEqual(["adam", "sgd"]);
    brushing.start(optimizer, 75);
    brushing.end();
    brushing.start(optimizer, 121);
    brushing.end();
    expect(of("h:optimizer")).toMatchObject({ levels: ["sgd"], missing: true });
    const batch = axis("h:batch", "category");
    brushing.start(batch, 75);
    brushing.end();
    expect(of("h:batch")?.ranges).toEqual([[64, 64]]);
    brushing.start(batch, 75);
    brushing.end();
    expect(of("h:batch")).toBeNull();
  });
});
