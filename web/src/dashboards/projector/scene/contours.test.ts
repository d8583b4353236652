import { expect, test } from "vitest";
import { contoursOf } from "./contours";

function blob(count: number, x: number, y: number, spread: number): number[] {
  const points: number[] = [];
  // A sunflower: even, and without chance.
  for (let i = 0; i < count; i++) {
    const [far, turn] = [Math.sqrt((i + 0.5) / count) * spread, i * 2.39996];
    points.push(x + far * Math.cos(turn), y + far * Math.sin(turn), 0);
  }
  return points;
}

const all = (positions: Float32Array): Uint32Array => Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);

test("two clusters have a closed line each, around their middle", () => {
  const positions = Float32Array.from([...blob(2000, -5, 0, 2), ...blob(2000, 5, 1, 2)]);
  const [outer] = contoursOf(positions, all(positions));
  expect(outer?.lines).toHaveLength(2);
  const middles = (outer?.lines ?? []).map((line) => {
    expect([line.at(-2), line.at(-1)]).toEqual([line[0], line[1]]);
    const xs = line.filter((_, i) => i % 2 === 0);
    const ys = line.filter((_, i) => i % 2 === 1);
    const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    for (const x of xs) expect(Math.abs(Math.abs(x) - 5)).toBeLessThan(2.8);
    return [mean(xs), mean(ys)];
  });
  middles.sort((a, b) => (a[0] as number) - (b[0] as number));
  expect(middles[0]?.[0]).toBeCloseTo(-5, 0);
  expect(middles[1]?.[1]).toBeCloseTo(1, 0);
});

test("few points have one line around them, not one each", () => {
  const positions = Float32Array.from(blob(100, 0, 0, 2));
  expect(contoursOf(positions, all(positions))[0]?.lines).toHaveLength(1);
});

test("one point, equal points and no points have no lines", () => {
  for (const points of [[], [1, 1, 0], Array.from({ length: 90 }, () => 1)]) {
    const positions = Float32Array.from(points);
    expect(contoursOf(positions, all(positions))).toEqual([]);
  }
});
