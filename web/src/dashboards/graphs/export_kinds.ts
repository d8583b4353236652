// The files that a graph can be saved as.

export const EXPORTS = [
  { kind: "png", label: "PNG", hint: "The picture as it is drawn, all of it" },
  { kind: "svg", label: "SVG", hint: "The picture as vectors, all of it" },
  { kind: "json", label: "JSON", hint: "The nodes and edges that are drawn, with their places and values" },
  { kind: "dot", label: "DOT", hint: "The nodes and edges that are drawn, for Graphviz" },
] as const;
export type ExportKind = (typeof EXPORTS)[number]["kind"];
