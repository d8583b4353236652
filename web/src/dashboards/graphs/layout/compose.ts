// Open groups inside their parents: each level is laid out by itself, innermost first, and an open group is a node of
// its parent with the size of its own picture. The same levels with the same groups open always give the same picture,
// so closing a group brings back what was there before.

import type { Composed } from "./composed";
import type { LevelShape } from "./level_shape";
import { type LevelPlan, planLevel } from "./pieces";
import { placeLevel, type PlacedLevel } from "./place";

interface Known {
  readonly shape: LevelShape;
  /** Another form of a level is another picture for its parents too. */
  readonly version: number;
  plan: LevelPlan | null;
  /** The last picture, and which groups were open in it. */
  last: { readonly key: string; readonly placed: PlacedLevel } | null;
}

interface Drawn {
  readonly shape: LevelShape;
  readonly placed: PlacedLevel;
  /** By node, those that are open. */
  readonly inner: ReadonlyMap<number, Drawn>;
  readonly key: string;
}

const ROOT = "";
/** Deeper than any graph; a group that were in itself would not end otherwise. */
const MAX_DEPTH = 128;
/** An open group has a border beside its title. */
const TITLE_EXTRA_PX = 24;

export class Composer {
  readonly #levels = new Map<string, Known>();
  #versions = 0;

  /** A new level, or another form of one. */
  add(shape: LevelShape): void {
    this.#levels.set(shape.group, { shape, version: ++this.#versions, plan: null, last: null });
  }

  compose(open: ReadonlySet<string>): Composed {
    const root = this.#draw(ROOT, open, 0, 0);
    if (!root) throw new Error("The first level of the graph is missing.");
    return flatten(root);
  }

  #draw(group: string, open: ReadonlySet<string>, minWidthPx: number, depth: number): Drawn | null {
    const known = this.#levels.get(group);
    if (!known || depth > MAX_DEPTH) return null;
    const { shape } = known;
    const inner = new Map<number, Drawn>();
    const keys: string[] = [];
    shape.ids.forEach((id, node) => {
      if (!open.has(id)) return;
      const drawn = this.#draw(id, open, (shape.width[node] as number) + TITLE_EXTRA_PX, depth + 1);
      if (!drawn) return;
      inner.set(node, drawn);
      keys.push(`${node}(${drawn.key})`);
    });
    const key = `${known.version}: ${keys.join(" ")}`;
    if (known.last?.key !== key) {
      known.plan ??= planLevel(shape);
      const opened = new Map([...inner].map(([node, { placed }]) => [node, placed]));
      known.last = { key, placed: placeLevel(shape, known.plan, opened, group === ROOT, minWidthPx) };
    }
    return { shape, placed: known.last.placed, inner, key };
  }
}

/** All levels in the coordinates of the first one. */
function flatten(root: Drawn): Composed {
  const groups: string[] = [];
  const gridded: string[] = [];
  const asides: number[] = [];
  let [nodes, edges, points] = [0, 0, 0];
  const count = ({ placed, shape, inner }: Drawn): void => {
    nodes += shape.ids.length;
    for (const line of placed.points)
      if (line) {
        edges++;
        points += line.length;
      }
    for (const drawn of inner.values()) count(drawn);
  };
  count(root);
  const int = (): Int32Array => new Int32Array(nodes);
  const float = (): Float32Array => new Float32Array(nodes);
  const picture = {
    level: int(),
    index: int(),
    parent: int(),
    isOpen: new Uint8Array(nodes),
    x: float(),
    y: float(),
    width: float(),
    height: float(),
  };
  const lines = {
    level: new Int32Array(edges),
    index: new Int32Array(edges),
    from: new Int32Array(edges),
    to: new Int32Array(edges),
    hasArrow: new Uint8Array(edges),
    start: new Int32Array(edges + 1),
    points: new Float32Array(points),
    labelX: new Float32Array(edges),
    labelY: new Float32Array(edges),
  };
  let [nextNode, nextEdge, nextPoint] = [0, 0, 0];
  const placeOf = new Map<string, number>();
  const byNode: { readonly drawn: Drawn; readonly first: number; readonly left: number; readonly top: number }[] = [];

  const addNodes = (drawn: Drawn, parent: number, left: number, top: number): void => {
    const { shape, placed, inner } = drawn;
    const level = groups.push(shape.group) - 1;
    if (placed.isGrid) gridded.push(shape.group);
    const first = nextNode;
    byNode.push({ drawn, first, left, top });
    shape.ids.forEach((id, i) => {
      placeOf.set(id, nextNode);
      picture.level[nextNode] = level;
      picture.index[nextNode] = i;
      picture.parent[nextNode] = parent;
      picture.isOpen[nextNode] = Number(inner.has(i));
      picture.x[nextNode] = left + (placed.x[i] as number);
      picture.y[nextNode] = top + (placed.y[i] as number);
      picture.width[nextNode] = placed.width[i] as number;
      picture.height[nextNode] = placed.height[i] as number;
      nextNode++;
    });
    if (placed.asideBox) {
      const [x, y, width, height] = placed.asideBox;
      asides.push(level, left + x, top + y, width, height);
    }
    for (const [node, child] of inner)
      addNodes(child, first + node, left + (placed.x[node] as number), top + (placed.y[node] as number));
  };
  addNodes(root, -1, 0, 0);

  byNode.forEach(({ drawn: { shape, placed, inner }, first, left, top }, level) => {
    const { from, to, outer } = shape.edges;
    placed.points.forEach((line, edge) => {
      if (!line) return;
      const [source, target] = [from[edge] as number, to[edge] as number];
      const beyond = placeOf.get(outer[edge] as string) ?? -1;
      lines.level[nextEdge] = level;
      lines.index[nextEdge] = edge;
      lines.from[nextEdge] = source < 0 ? beyond : first + source;
      lines.to[nextEdge] = target < 0 ? beyond : first + target;
      // Where the edge goes on inside, its arrow is there.
      const inside = target < 0 ? undefined : inner.get(target);
      const goesOn = inside?.placed.ins.has(source < 0 ? (outer[edge] as string) : (shape.ids[source] as string));
      lines.hasArrow[nextEdge] = Number(target >= 0 && !goesOn);
      lines.labelX[nextEdge] = left + (placed.labelX[edge] as number);
      lines.labelY[nextEdge] = top + (placed.labelY[edge] as number);
      line.forEach((value, k) => (lines.points[nextPoint + k] = value + (k % 2 === 0 ? left : top)));
      nextPoint += line.length;
      lines.start[++nextEdge] = nextPoint / 2;
    });
  });
  return {
    ...picture,
    groups,
    widthPx: root.placed.widthPx,
    heightPx: root.placed.heightPx,
    edges: lines,
    asides: Float32Array.from(asides),
    gridded,
  };
}
