// What is drawn of a graph, as plain nodes and edges, and as files: JSON, and DOT for Graphviz. Pure.

import type { LevelNode } from "../answer";
import type { Composed } from "../layout/composed";

export interface DrawnNode extends LevelNode {
  /** The open group that it is in; "": the whole graph. */
  readonly parent: string;
  readonly isOpen: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** What it is coloured by. */
  readonly value?: number;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  readonly control?: boolean;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

/** `facts`: what is known of an edge, by its level and its index there. */
export function drawnGraph(
  picture: Composed,
  nodes: readonly LevelNode[],
  facts: (group: string, index: number) => { readonly label?: string; readonly control?: boolean } | null,
  values: ReadonlyMap<string, number>,
): DrawnGraph {
  const drawn = nodes.map((node, i): DrawnNode => {
    const parent = picture.parent[i] ?? -1;
    const value = values.get(node.id);
    return {
      ...node,
      parent: parent < 0 ? "" : (nodes[parent]?.id ?? ""),
      isOpen: picture.isOpen[i] === 1,
      x: round(picture.x[i]),
      y: round(picture.y[i]),
      width: round(picture.width[i]),
      height: round(picture.height[i]),
      ...(value !== undefined && { value }),
    };
  });
  // An edge that crosses borders is drawn in pieces.
  const edges = new Map<string, DrawnEdge>();
  const { from, to, level, index } = picture.edges;
  for (let i = 0; i < from.length; i++) {
    const [start, end] = [nodes[from[i] as number], nodes[to[i] as number]];
    if (!start || !end) continue;
    const { label, control } = facts(picture.groups[level[i] as number] ?? "", index[i] as number) ?? {};
    const key = JSON.stringify([start.id, end.id, control === true]);
    const known = edges.get(key);
    const shown = known?.label ?? label;
    edges.set(key, { from: start.id, to: end.id, ...(shown && { label: shown }), ...(control && { control }) });
  }
  return { nodes: drawn, edges: [...edges.values()] };
}

const round = (px: number | undefined): number => Math.round((px ?? 0) * 10) / 10;

/** Quotes and backslashes are the only letters that DOT reads otherwise. */
const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&").replace(/\r?\n/g, "\\n")}"`;

/** Open groups are clusters. */
export function writeDot({ nodes, edges }: DrawnGraph): string {
  const children = new Map<string, DrawnNode[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parent) ?? [];
    children.set(node.parent, siblings);
    siblings.push(node);
  }
  const lines = ["digraph {", "  compound=true; rankdir=TB; node [shape=box, style=rounded];"];
  let clusters = 0;
  const write = (parent: string, indent: string): void => {
    for (const node of children.get(parent) ?? []) {
      const label = quoted(node.op && node.op !== node.label ? `${node.label}\n${node.op}` : node.label);
      if (node.isOpen && children.has(node.id)) {
        lines.push(`${indent}subgraph cluster_${clusters++} {`, `${indent}  label=${quoted(node.label)};`);
        write(node.id, `${indent}  `);
        lines.push(`${indent}}`);
      } else lines.push(`${indent}${quoted(node.id)} [label=${label}];`);
    }
  };
  write("", "  ");
  const isGroup = new Set(nodes.filter(({ id, isOpen }) => isOpen && children.has(id)).map(({ id }) => id));
  for (const { from, to, label, control } of edges) {
    // Graphviz has no edges between clusters: those end at nodes inside.
    if (isGroup.has(from) || isGroup.has(to)) continue;
    const styles = [label && `label=${quoted(label)}`, control && "style=dashed"].filter(Boolean).join(", ");
    lines.push(`  ${quoted(from)} -> ${quoted(to)}${styles && ` [${styles}]`};`);
  }
  return `${[...lines, "}"].join("\n")}\n`;
}
