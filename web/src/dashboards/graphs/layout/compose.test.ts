import { describe, expect, it } from "vitest";
import { Composer } from "./compose";
import type { Composed } from "./composed";
import type { LevelShape } from "./level_shape";
import { makeShape, modelShape, wildShape } from "./sample_shape";

interface Rect {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const box = ({ x, y, width, height }: Composed, i: number): Rect => ({
  left: x[i] as number,
  right: (x[i] as number) + (width[i] as number),
  top: y[i] as number,
  bottom: (y[i] as number) + (height[i] as number),
});

const overlap = (a: Rect, b: Rect): boolean =>
  a.left < b.right - 0.05 && b.left < a.right - 0.05 && a.top < b.bottom - 0.05 && b.top < a.bottom - 0.05;

const isInside = (inner: Rect, outer: Rect): boolean =>
  inner.left >= outer.left - 0.05 &&
  inner.right <= outer.right + 0.05 &&
  inner.top >= outer.top - 0.05 &&
  inner.bottom <= outer.bottom + 0.05;

const nodesOf = (picture: Composed): number[] => Array.from(picture.index.keys());

function compose(shapes: readonly LevelShape[], open: readonly string[] = []): Composed {
  const composer = new Composer();
  for (const shape of shapes) composer.add(shape);
  return composer.compose(new Set(open));
}

/** The points of a piece of an edge. */
function lineOf({ edges }: Composed, edge: number): (readonly [number, number])[] {
  const line: [number, number][] = [];
  for (let k = edges.start[edge] as number; k < (edges.start[edge + 1] as number); k++)
    line.push([edges.points[2 * k] as number, edges.points[2 * k + 1] as number]);
  return line;
}

function expectNoOverlaps(picture: Composed): void {
  const nodes = nodesOf(picture);
  for (const a of nodes)
    for (const b of nodes) {
      if (a >= b) continue;
      const areSiblings = picture.parent[a] === picture.parent[b];
      if (areSiblings && overlap(box(picture, a), box(picture, b)))
        expect.fail(`${a} lies on ${b}: ${JSON.stringify([box(picture, a), box(picture, b)])}`);
    }
  for (const node of nodes) {
    const parent = picture.parent[node] as number;
    if (parent >= 0 && !isInside(box(picture, node), box(picture, parent))) expect.fail(`${node} leaves ${parent}`);
  }
}

/** Every line is made of level and upright parts, ends at its nodes, and passes no other node. */
function expectGoodLines(picture: Composed, shapes: readonly LevelShape[]): void {
  const { edges } = picture;
  const byGroup = new Map(shapes.map((shape) => [shape.group, shape]));
  for (let edge = 0; edge < edges.from.length; edge++) {
    const line = lineOf(picture, edge);
    const shape = byGroup.get(picture.groups[edges.level[edge] as number] as string) as LevelShape;
    const index = edges.index[edge] as number;
    const fail = (what: string): never => expect.fail(`edge ${edge} ${what}: ${JSON.stringify(line)}`);
    if (line.length < 2 || line.flat().some((value) => !Number.isFinite(value))) fail("is no line");
    line.forEach(([x, y], k) => {
      const [before, above] = line[k - 1] ?? [x, y];
      if (Math.abs(x - before) > 0.6 && Math.abs(y - above) > 0.01) fail("is slanted");
    });
    const ends = [line[0], line.at(-1)] as [readonly [number, number], readonly [number, number]];
    const meets = ([x, y]: readonly [number, number], node: number): boolean => {
      const { left, right, top, bottom } = box(picture, node);
      return x >= left - 0.6 && x <= right + 0.6 && y >= top - 0.6 && y <= bottom + 0.6;
    };
    if ((shape.edges.from[index] as number) >= 0 && !meets(ends[0], edges.from[edge] as number))
      fail("does not begin at its node");
    if ((shape.edges.to[index] as number) >= 0 && !meets(ends[1], edges.to[edge] as number))
      fail("does not end at its node");
    const level = edges.level[edge] as number;
    for (const node of nodesOf(picture)) {
      if (picture.level[node] !== level) continue;
      const { left, right, top, bottom } = box(picture, node);
      if (node === edges.from[edge] || node === edges.to[edge]) continue;
      for (let k = 1; k < line.length; k++) {
        const [x1, y1] = line[k - 1] as readonly [number, number];
        const [x2, y2] = line[k] as readonly [number, number];
        const part = {
          left: Math.min(x1, x2),
          right: Math.max(x1, x2) + 0.1,
          top: Math.min(y1, y2),
          bottom: Math.max(y1, y2) + 0.1,
        };
        if (overlap(part, { left: left + 0.5, right: right - 0.5, top: top + 0.5, bottom: bottom - 0.5 }))
          fail(`passes node ${node}`);
      }
    }
  }
}

function expectFreeLabels(picture: Composed, shapes: readonly LevelShape[]): void {
  const { edges } = picture;
  const byGroup = new Map(shapes.map((shape) => [shape.group, shape]));
  const labels: Rect[] = [];
  for (let edge = 0; edge < edges.from.length; edge++) {
    const x = edges.labelX[edge] as number;
    const y = edges.labelY[edge] as number;
    if (Number.isNaN(x)) continue;
    const shape = byGroup.get(picture.groups[edges.level[edge] as number] as string) as LevelShape;
    const width = shape.edges.labelWidth[edges.index[edge] as number] as number;
    const label = { left: x, right: x + width, top: y - 8, bottom: y + 1 };
    expect(labels.filter((other) => overlap(label, other))).toEqual([]);
    const on = nodesOf(picture).filter((node) => !picture.isOpen[node] && overlap(label, box(picture, node)));
    expect(on, `label of edge ${edge}`).toEqual([]);
    labels.push(label);
  }
}

describe("one level", () => {
  it("keeps nodes apart and leads every edge to its nodes, around all others, whatever the graph", () => {
    for (let seed = 1; seed <= 80; seed++) {
      const shape = wildShape(seed);
      const picture = compose([shape]);
      expect(picture.edges.from.length).toBe(shape.edges.from.length);
      expectNoOverlaps(picture);
      expectGoodLines(picture, [shape]);
      expectFreeLabels(picture, [shape]);
    }
  });

  it("does so for graphs as models are, and always in the same way", () => {
    const shape = modelShape(150, 220);
    const picture = compose([shape]);
    expectNoOverlaps(picture);
    expectGoodLines(picture, [shape]);
    expectFreeLabels(picture, [shape]);
    expect(compose([modelShape(150, 220)])).toEqual(picture);
  });

  it("draws a chain as one straight line from top to bottom", () => {
    const picture = compose([
      makeShape(
        "",
        ["a", "b", "c"],
        [
          { from: 0, to: 1 },
          { from: 1, to: 2 },
        ],
        { widths: [80, 140, 90] },
      ),
    ]);
    expect([lineOf(picture, 0).length, lineOf(picture, 1).length]).toEqual([2, 2]);
    expect((picture.y[2] as number) > (picture.y[1] as number)).toBe(true);
  });

  it("leads what skips a chain around it, from the trunk of its source into the side of a disc", () => {
    const shape = makeShape(
      "",
      ["in", "norm", "attention", "add", "out"],
      [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 2, to: 3 },
        { from: 0, to: 3 },
        { from: 3, to: 4 },
      ],
      { discs: [3] },
    );
    const picture = compose([shape]);
    for (const straight of [0, 1, 2, 4]) expect(lineOf(picture, straight), `edge ${straight}`).toHaveLength(2);
    const skip = lineOf(picture, 3);
    expect(skip[0]).toEqual(lineOf(picture, 0)[0]);
    const [[, beforeY], [, endY]] = [skip.at(-2), skip.at(-1)] as [[number, number], [number, number]];
    expect(beforeY).toBe(endY);
    expect(endY).toBe((picture.y[3] as number) + 8);
  });

  it("leads edges of a cycle up at the side", () => {
    const shape = makeShape(
      "",
      ["enter", "merge", "body", "exit"],
      [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 2, to: 1 },
        { from: 2, to: 3 },
      ],
    );
    const picture = compose([shape]);
    const [merge, body] = [picture.y[1] as number, picture.y[2] as number];
    expect(body).toBeGreaterThan(merge);
    expect(Math.max(...lineOf(picture, 2).map(([x]) => x))).toBeGreaterThan((picture.x[2] as number) + 110);
    expectGoodLines(picture, [shape]);
  });

  it("packs single nodes and wide rows into about the shape of a screen", () => {
    const ids = Array.from({ length: 400 }, (_, i) => `${i}`);
    const single = compose([makeShape("", ids, [])]);
    expect(single.widthPx / single.heightPx).toBeGreaterThan(0.5);
    expect(single.widthPx / single.heightPx).toBeLessThan(3);
    const star = makeShape(
      "",
      ids,
      ids.slice(1).map((_, i) => ({ from: i + 1, to: 0 })),
    );
    const wide = compose([star]);
    expect(wide.widthPx / wide.heightPx).toBeLessThan(8);
    expectGoodLines(wide, [star]);
  });

  it("lays out thousands of nodes, and puts a hundred thousand into a grid", () => {
    expect(compose([modelShape(5_000, 7_000)]).gridded).toEqual([]);
    const picture = compose([modelShape(100_000, 140_000)]);
    expect(picture.gridded).toEqual([""]);
    expect(picture.edges.from).toHaveLength(0);
    expect(picture.widthPx / picture.heightPx).toBeLessThan(3);
  });
});

describe("open groups", () => {
  const root = { ...wildShape(7, "", "g"), canOpen: new Uint8Array(40).fill(1) };
  const inner = (id: string, seed: number): LevelShape => {
    const shape = wildShape(seed, id, `${id}/`);
    // Outer names as the server has them: siblings of the group.
    return { ...shape, edges: { ...shape.edges, outer: shape.edges.outer.map((name) => name && `g${name.slice(1)}`) } };
  };
  const shapes = [root, inner("g3", 11), inner("g5", 12), inner("g3/2", 13)];

  it("are inside their parents, with edges through their borders", () => {
    const picture = compose(shapes, ["g3", "g5", "g3/2"]);
    expect(picture.groups).toEqual(["", "g3", "g3/2", "g5"]);
    expectNoOverlaps(picture);
    expectGoodLines(picture, shapes);
    expectFreeLabels(picture, shapes);
  });

  it("leave everything as it was once they are closed again", () => {
    const composer = new Composer();
    for (const shape of shapes) composer.add(shape);
    const before = composer.compose(new Set(["g5"]));
    composer.compose(new Set(["g3", "g5", "g3/2"]));
    composer.compose(new Set(["g3", "g3/2"]));
    expect(composer.compose(new Set(["g5"]))).toEqual(before);
  });

  it("grow with another form of a level inside them", () => {
    const composer = new Composer();
    for (const shape of shapes) composer.add(shape);
    composer.compose(new Set(["g3", "g3/2"]));
    const another = inner("g3/2", 21);
    composer.add(another);
    const picture = composer.compose(new Set(["g3", "g3/2"]));
    expectNoOverlaps(picture);
    expect(picture).toEqual(compose([root, inner("g3", 11), another], ["g3", "g3/2"]));
  });

  it("change no order: what stood left or above still does", () => {
    const closed = compose(shapes);
    const open = compose(shapes, ["g3"]);
    const count = root.ids.length;
    for (let a = 0; a < count; a++)
      for (let b = 0; b < count; b++) {
        const [first, second] = [box(closed, a), box(closed, b)];
        const sameRow = Math.abs(first.top - second.top) < 6;
        if (sameRow && first.right <= second.left) expect(box(open, a).right).toBeLessThanOrEqual(box(open, b).left);
        if (first.bottom <= second.top) expect(box(open, a).top).toBeLessThanOrEqual(box(open, b).top);
      }
  });

  it("join the pieces of an edge at the border", () => {
    const outside = makeShape(
      "",
      ["a", "g", "b"],
      [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ],
    );
    const body = makeShape(
      "g",
      ["g/x", "g/y"],
      [
        { from: -1, to: 0, outer: "a" },
        { from: 0, to: 1 },
        { from: 1, to: -1, outer: "b" },
      ],
    );
    const picture = compose([outside, body], ["g"]);
    const [intoBorder, outOfBorder, intoX, , outOfY] = [0, 1, 2, 3, 4].map((edge) => lineOf(picture, edge));
    expect(intoBorder?.at(-1)).toEqual(intoX?.[0]);
    expect(outOfY?.at(-1)).toEqual(outOfBorder?.[0]);
    expect(Array.from(picture.edges.hasArrow)).toEqual([0, 1, 1, 1, 0]);
    expect(Array.from(picture.edges.from)).toEqual([0, 1, 0, 3, 4]);
    expect(Array.from(picture.edges.to)).toEqual([1, 2, 3, 4, 2]);
  });
});
