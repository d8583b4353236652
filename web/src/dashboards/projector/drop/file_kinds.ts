// What a file of the user is: vectors, labels for them, or bookmarks. Pure.

export type FileKind = "vectors" | "labels" | "bookmarks";

const VECTORS = /\.(npy|npz|safetensors|parquet|h5|hdf5|bytes|bin|raw|f32)$/i;
const LABELS = /(meta|label|vocab|names|classes)[^/]*\.(tsv|csv|txt)$/i;

const isNumber = (cell: string): boolean => cell.trim() !== "" && Number.isFinite(Number(cell));

/** `head`: the beginning of a text file. Rows of several numbers are vectors, everything else are labels. */
export function kindOf(name: string, head: string): FileKind {
  if (/\.json$/i.test(name)) return "bookmarks";
  if (VECTORS.test(name)) return "vectors";
  if (LABELS.test(name)) return "labels";
  // The last line may be cut off; the first may be a heading.
  const lines = head.split(/\r?\n/).filter((line) => line.trim() !== "");
  const whole = lines.length > 2 ? lines.slice(1, -1) : lines;
  const cells = whole.map((line) => line.split(line.includes("\t") ? "\t" : line.includes(",") ? "," : /\s+/));
  return cells.length > 0 && cells.every((row) => row.length > 1 && row.every(isNumber)) ? "vectors" : "labels";
}
