// Levels for tests and measurements, made by rules: the same number always gives the same level.

import { BOX, DISC, type LevelShape } from "./level_shape";

export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9;
    state ^= state >>> 13;
    return (state >>> 0) / 2 ** 32;
  };
}

export interface SampleEdge {
  readonly from: number;
  readonly to: number;
  readonly outer?: string;
  readonly label?: number;
}

export function makeShape(
  group: string,
  ids: readonly string[],
  edges: readonly SampleEdge[],
  { widths = ids.map(() => 110), discs = [] }: { widths?: readonly number[]; discs?: readonly number[] } = {},
): LevelShape {
  const isDisc = new Set(discs);
  return {
    group,
    ids,
    width: Float32Array.from(ids, (_, i) => (isDisc.has(i) ? 16 : (widths[i] as number))),
    height: Float32Array.from(ids, (_, i) => (isDisc.has(i) ? 16 : 26)),
    margin: new Float32Array(ids.length),
    canOpen: new Uint8Array(ids.length),
    place: Uint8Array.from(ids, (_, i) => (isDisc.has(i) ? DISC : BOX)),
    edges: {
      from: Int32Array.from(edges, ({ from }) => from),
      to: Int32Array.from(edges, ({ to }) => to),
      outer: edges.map(({ outer = "" }) => outer),
      labelWidth: Float32Array.from(edges, ({ label = 0 }) => label),
      isBack: new Uint8Array(edges.length),
      isWeak: new Uint8Array(edges.length),
    },
  };
}

/** A deep graph as models are: a chain of blocks, with edges that skip some and branches. */
export function modelShape(nodes: number, edges: number, seed = 1): LevelShape {
  const random = randomNumbers(seed);
  const list: SampleEdge[] = [];
  for (let i = 1; i < nodes; i++) {
    const back = random() < 0.7 ? 1 : 1 + Math.floor(random() * 6);
    list.push({ from: Math.max(0, i - back), to: i, label: random() < 0.3 ? 56 : 0 });
  }
  while (list.length < edges) {
    const to = 2 + Math.floor(random() * (nodes - 2));
    const span = 2 + Math.floor(random() * random() * 14);
    list.push({ from: Math.max(0, to - span), to, label: random() < 0.1 ? 48 : 0 });
  }
  const ids = Array.from({ length: nodes }, (_, i) => `n${i}`);
  const discs = ids.flatMap((_, i) => (random() < 0.12 && i > 0 ? [i] : []));
  return makeShape("", ids, list, { widths: ids.map(() => 80 + Math.floor(random() * 90)), discs });
}

/** Anything: cycles, edges to itself, pairs with several edges, single nodes, edges to and from outside. */
export function wildShape(seed: number, group = "", prefix = ""): LevelShape {
  const random = randomNumbers(seed);
  const nodes = 1 + Math.floor(random() * 40);
  const ids = Array.from({ length: nodes }, (_, i) => `${prefix}${i}`);
  const any = (): number => Math.floor(random() * nodes);
  const count = Math.floor(random() * 70);
  const list: SampleEdge[] = Array.from({ length: count }, () => {
    const label = random() < 0.3 ? 30 + Math.floor(random() * 40) : 0;
    if (group && random() < 0.2) return { from: -1, to: any(), outer: `o${Math.floor(random() * 3)}` };
    if (group && random() < 0.2) return { from: any(), to: -1, outer: `o${Math.floor(random() * 3)}` };
    return { from: any(), to: any(), label };
  });
  const discs = ids.flatMap((_, i) => (random() < 0.15 ? [i] : []));
  return makeShape(group, ids, list, { widths: ids.map(() => 60 + Math.floor(random() * 120)), discs });
}
