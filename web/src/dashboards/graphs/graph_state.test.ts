// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { GraphFacts, Level, LevelNode, LevelsAnswer } from "./answer";
import { GraphView, type LoadLevels } from "./graph_state.svelte";
import { Composer } from "./layout/compose";
import type { Layout } from "./layout/layout_client";

const FACTS = { nodes: 9, edges: 9, depth: 3 } as GraphFacts;
const group = (id: string): LevelNode => ({ id, label: id, type: "group", can_open: true });
const op = (id: string): LevelNode => ({ id, label: id, type: "op", op: "MatMul" });

/** encoder(layer(norm, attention), out) → head */
const LEVELS: readonly Level[] = [
  { group: "", nodes: [group("encoder"), op("head")], edges: [{ from: 0, to: 1 }] },
  {
    group: "encoder",
    nodes: [group("encoder/layer"), op("encoder/out")],
    edges: [{ from: 0, to: 1 }],
    out: [{ from: 1, outer: "head" }],
  },
  {
    group: "encoder/layer",
    nodes: [op("encoder/layer/norm"), op("encoder/layer/attention")],
    edges: [{ from: 0, to: 1 }],
    out: [{ from: 1, outer: "encoder/out" }],
  },
];

/** In place of the worker. */
class LayoutHere implements Layout {
  #composer = new Composer();

  compose: Layout["compose"] = async (shapes, open) => {
    for (const shape of shapes) this.#composer.add(shape);
    return this.#composer.compose(new Set(open));
  };
  forget = (): void => void (this.#composer = new Composer());
  end = (): void => {};
}

function makeView(asked: string[] = []): GraphView {
  const load: LoadLevels = async (groups, depth): Promise<LevelsAnswer> => {
    asked.push(`${groups.join(" ")} ${depth}`);
    if (groups.includes("broken")) throw new Error("no such group");
    const deepest = Math.max(...groups.map((id) => (id === "" ? 0 : id.split("/").length))) + depth;
    const levels = LEVELS.filter(
      ({ group: id }) =>
        groups.includes(id) ||
        (groups.some((top) => id.startsWith(top)) && (id === "" ? 0 : id.split("/").length) < deepest),
    );
    return { graph: FACTS, levels };
  };
  const view = new GraphView(load, new LayoutHere());
  view.resize(800, 600);
  return view;
}

describe("GraphView", () => {
  it("opens groups one level at a time and asks for each only once", async () => {
    const asked: string[] = [];
    const view = makeView(asked);
    await view.start();
    expect(view.shown).toEqual(["encoder", "head"]);
    await view.toggle("encoder");
    await view.toggle("encoder/layer");
    expect(view.shown).toEqual([
      "encoder",
      "head",
      "encoder/layer",
      "encoder/out",
      "encoder/layer/norm",
      "encoder/layer/attention",
    ]);
    await view.toggle("encoder");
    expect(view.shown).toEqual(["encoder", "head"]);
    await view.toggle("encoder");
    expect(view.shown).toHaveLength(6);
    expect(asked).toEqual([" 1", "encoder 1", "encoder/layer 1"]);
    expect(view.parent("encoder/layer/norm")).toBe("encoder/layer");
    // An op does not open.
    await view.toggle("head");
    expect(view.open.has("head")).toBe(false);
  });

  it("keeps the corner of a group on the screen while it opens, and brings the camera back when it closes", async () => {
    const view = makeView();
    await view.start();
    expect(view.isFitted).toBe(true);
    const [box, camera] = [view.screenBox("encoder"), view.camera];
    await view.toggle("encoder");
    expect(view.isFitted).toBe(false);
    expect(view.screenBox("encoder")).toMatchObject({
      x: expect.closeTo(box?.x ?? NaN),
      y: expect.closeTo(box?.y ?? NaN),
    });
    await view.toggle("encoder");
    expect([view.camera.x, view.camera.y]).toEqual([expect.closeTo(camera.x), expect.closeTo(camera.y)]);
    expect(view.camera.zoom).toBe(camera.zoom);
  });

  it("starts with the groups of an address, or down to a depth, and leaves out what is gone", async () => {
    const view = makeView();
    await view.start({ open: ["encoder", "encoder/layer"] });
    expect(view.shown).toHaveLength(6);
    await view.start({ open: ["encoder", "broken"] });
    expect(view.shown).toEqual(["encoder", "head"]);
    expect(view.error).toBeNull();
    await view.start({ depth: 2 });
    expect([...view.open]).toEqual(["encoder"]);
    await view.setDepth(1);
    expect([...view.open]).toEqual([]);
    await view.openBelow("encoder");
    expect([...view.open].sort()).toEqual(["encoder", "encoder/layer"]);
  });

  it("opens the groups around a node to show it, and says when there is no such node", async () => {
    const view = makeView();
    await view.start();
    expect(await view.reveal("encoder/layer/attention")).toBe(true);
    expect(view.shown).toContain("encoder/layer/attention");
    const box = view.screenBox("encoder/layer/attention");
    expect(box && box.x >= 0 && box.x + box.width <= 800 && box.y >= 0 && box.y + box.height <= 600).toBe(true);
    expect(await view.reveal("encoder/nothing")).toBe(false);
  });

  it("gives ghosts of a difference a place, but no name that can be asked about", async () => {
    const view = makeView();
    await view.start({ open: ["encoder"] });
    view.ghosts = [{ group: "encoder", label: "scale", op: "Mul", from: ["encoder/layer"], to: ["encoder/out"] }];
    await expect.poll(() => view.nodes.map(({ label }) => label)).toContain("scale");
    expect(view.shown).toEqual(["encoder", "head", "encoder/layer", "encoder/out"]);
    expect(view.places.size).toBe(5);
    view.ghosts = [];
    await expect.poll(() => view.nodes).toHaveLength(4);
  });

  it("shows what went wrong and keeps the picture", async () => {
    const view = makeView();
    await view.start();
    view.levels = new Map([["", { ...(LEVELS[0] as Level), nodes: [group("broken"), op("head")] }]]);
    await view.openGroup("broken");
    expect(view.error?.message).toContain("no such group");
    expect(view.isLoading).toBe(false);
    expect(view.picture).not.toBeNull();
  });
});
