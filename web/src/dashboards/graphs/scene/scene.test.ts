import { describe, expect, it } from "vitest";
import type { LevelNode } from "../answer";
import { Composer } from "../layout/compose";
import { makeShape } from "../layout/sample_shape";
import { fitCamera, keepInView, keepPoint, pan, toGraph, toScreen, zoomAt } from "./camera";
import { fitText } from "./draw";
import { edgesOf } from "./draw_edges";
import { hitNode } from "./hit";
import { discSign, pillText } from "./sizes";
import { mapScale } from "./map";
import { borderOf } from "./palette";
import { escape, SvgPen } from "./svg_pen";
import { firstNode, walk } from "./walk";

const VIEWPORT = { widthPx: 800, heightPx: 600 };

/** a → g(x → y) → b, and c beside b. */
function nested(open: readonly string[] = ["g"]) {
  const composer = new Composer();
  composer.add(
    makeShape(
      "",
      ["a", "g", "b", "c"],
      [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 1, to: 3 },
      ],
    ),
  );
  composer.add(
    makeShape(
      "g",
      ["g/x", "g/y"],
      [
        { from: 0, to: 1 },
        { from: -1, to: 0, outer: "a" },
        { from: 1, to: -1, outer: "b" },
        { from: 1, to: -1, outer: "c" },
      ],
    ),
  );
  return composer.compose(new Set(open));
}

describe("camera", () => {
  const camera = { x: 100, y: 50, zoom: 0.5 };

  it("zooms to the pointer, pans with it, and knows both ways", () => {
    const at = { x: 120, y: 500 };
    const under = toGraph(camera, VIEWPORT, at);
    const zoomed = zoomAt(camera, VIEWPORT, at, 2.2);
    expect(zoomed.zoom).toBeCloseTo(1.1);
    const now = toScreen(zoomed, VIEWPORT, under);
    expect([now.x, now.y]).toEqual([expect.closeTo(120), expect.closeTo(500)]);
    const moved = toScreen(pan(camera, 30, -7), VIEWPORT, under);
    expect([moved.x, moved.y]).toEqual([expect.closeTo(150), expect.closeTo(493)]);
    expect(zoomAt(camera, VIEWPORT, at, 1e9).zoom).toBe(3);
  });

  it("shows all of a graph, no larger than it is", () => {
    expect(fitCamera({ widthPx: 100, heightPx: 100 }, VIEWPORT)).toEqual({ x: 50, y: 50, zoom: 1 });
    const { zoom } = fitCamera({ widthPx: 100, heightPx: 5_520 }, VIEWPORT);
    expect(zoom).toBeCloseTo(0.1);
  });

  it("shows nothing of a graph under the controls of a narrow pane", () => {
    const [picture, pane] = [
      { widthPx: 400, heightPx: 1_000 },
      { widthPx: 460, heightPx: 500 },
    ];
    const fitted = fitCamera(picture, pane);
    expect(toScreen(fitted, pane, { x: 200, y: 1_000 }).y).toBeCloseTo(500 - 52);
    expect(toScreen(fitted, pane, { x: 200, y: 0 }).y).toBeCloseTo(24);
  });

  it("keeps a corner where it is on the screen", () => {
    const [before, after] = [
      { x: 10, y: 20 },
      { x: 300, y: -40 },
    ];
    const kept = keepPoint(camera, before, after);
    expect(toScreen(kept, VIEWPORT, after)).toEqual(toScreen(camera, VIEWPORT, before));
  });

  it("moves no more than it must to show a node, and makes it readable", () => {
    const near = { x: 0, y: 0, zoom: 1 };
    const box = { x: -20, y: -10, width: 40, height: 20 };
    expect(keepInView(near, box, VIEWPORT)).toEqual(near);
    expect(keepInView(near, { ...box, x: 1_000 }, VIEWPORT)).toEqual({ x: 664, y: 0, zoom: 1 });
    expect(keepInView({ ...near, zoom: 0.1 }, box, VIEWPORT)).toEqual({ x: 0, y: 0, zoom: 0.6 });
  });
});

describe("a picture of nodes", () => {
  const picture = nested();
  const [a, g, b, c, x, y] = [0, 1, 2, 3, 4, 5];
  const middle = (node: number): readonly [number, number] => [
    (picture.x[node] as number) + (picture.width[node] as number) / 2,
    (picture.y[node] as number) + (picture.height[node] as number) / 2,
  ];

  it("is hit at the innermost node, and at the sign of a group", () => {
    expect(hitNode(picture, ...middle(x))?.node).toBe(x);
    const [left, top] = [picture.x[g] as number, picture.y[g] as number];
    expect(hitNode(picture, left + 10, top + 10)).toEqual({ node: g, isChevron: true });
    expect(hitNode(picture, left + (picture.width[g] as number) - 5, top + 60)).toEqual({ node: g, isChevron: false });
    expect(hitNode(picture, -50, -50)).toBeNull();
  });

  it("is walked along edges, into groups and out of them", () => {
    expect(firstNode(picture)).toBe(a);
    expect(walk(picture, x, "down")).toBe(y);
    expect(walk(picture, x, "up")).toBe(a);
    expect([b, c]).toContain(walk(picture, y, "down"));
    expect(walk(picture, g, "in")).toBe(x);
    expect(walk(picture, x, "out")).toBe(g);
    const [left, right] = (picture.x[b] as number) < (picture.x[c] as number) ? [b, c] : [c, b];
    expect([walk(picture, left, "right"), walk(picture, right, "left"), walk(picture, left, "left")]).toEqual([
      right,
      left,
      null,
    ]);
    expect(walk(picture, a, "out")).toBeNull();
  });

  it("lights all pieces of the edges of a node, inside and outside of its group", () => {
    // Of the first level: a → g, g → b, g → c; inside: x → y, a → x, y → b, y → c.
    expect([...edgesOf(picture, x)].sort()).toEqual([0, 3, 4]);
    expect([...edgesOf(picture, y)].sort()).toEqual([1, 2, 3, 5, 6]);
    expect([...edgesOf(picture, b)].sort()).toEqual([1, 5]);
    expect(edgesOf(picture, -1).size).toBe(0);
  });

  it("fits into a map in its middle", () => {
    const { zoom, left, top } = mapScale(picture, 140, 148, 6);
    expect(zoom).toBeLessThanOrEqual(0.25);
    expect(left + (picture.widthPx * zoom) / 2).toBeCloseTo(70);
    expect(top + (picture.heightPx * zoom) / 2).toBeCloseTo(74);
  });
});

describe("signs and texts", () => {
  const op = (name: string, ports: LevelNode["ports"] = []): string => discSign({ type: "op", op: name, ports });

  it("draws joining ops as discs, however a framework names them", () => {
    expect(
      ["aten::add_", "aten.add.Tensor", "AddV2", "Add", "torch.ops.aten.mul.Tensor"].map((name) => op(name)),
    ).toEqual(["+", "+", "+", "+", "×"]);
    expect(["MatMul", "AddN2", "aten::addmm", ""].map((name) => op(name))).toEqual(["", "", "", ""]);
    // Its parameter would be lost.
    expect(op("Mul", [{ id: "w", label: "w", kind: "parameter" }])).toBe("");
    expect(discSign({ type: "group", op: "Add" })).toBe("");
  });

  it("names what a node uses of the nodes that are set aside", () => {
    expect(pillText({})).toBe("");
    expect(pillText({ aside_uses: ["masks/pad_mask"] })).toBe("pad_mask");
    expect(pillText({ aside_uses: ["a", "b", "c"] })).toBe("a + 2");
  });

  it("cuts texts to the room there is, also those of 10 kB", () => {
    const measure = (text: string): number => text.length * 10;
    expect(fitText("softmax", 12, 70, measure)).toBe("softmax");
    expect(fitText("softmax", 12, 69, measure)).toBe("softm…");
    expect(fitText("x".repeat(10_000), 12, 1e9, measure)).toBe(`${"x".repeat(120)}…`);
    expect(fitText("softmax", 12, 3, measure)).toBe("");
  });

  it("mixes the border of a painted node, and leaves colours alone that it cannot read", () => {
    expect(borderOf("#ffffff", "#000000")).toBe("rgb(199 199 199)");
    expect(borderOf("rgb(100 0 0)", "#000")).toBe("rgb(78 0 0)");
    expect(borderOf("var(--x)", "#000")).toBe("var(--x)");
  });

  it("writes names into SVG that no reader takes for markup", () => {
    const pen = new SvgPen();
    pen.text('<script>&"\u0001', 1, 2, { sizePx: 12, color: "red" });
    pen.begin();
    pen.box(0, 0, 10, 4, 6);
    pen.fill("#fff", 0.5);
    expect(pen.shapes[0]).toBe('<text x="1" y="2" font-size="12" fill="red">&lt;script&gt;&amp;&quot;</text>');
    expect(pen.shapes[1]).toContain('fill-opacity="0.5"');
    expect(escape("a'b")).toBe("a&#39;b");
  });
});
