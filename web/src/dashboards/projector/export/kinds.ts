// What the points can be saved as.

export const EXPORTS = [
  { kind: "png", label: "PNG", hint: "The picture, with twice the pixels of the screen" },
  { kind: "svg", label: "SVG", hint: "The picture as vectors" },
  { kind: "csv", label: "CSV", hint: "Positions and metadata" },
  { kind: "npz", label: "NPZ", hint: "Positions and metadata for NumPy" },
  { kind: "parquet", label: "Parquet", hint: "Positions and metadata" },
] as const;
export type ExportKind = (typeof EXPORTS)[number]["kind"];
