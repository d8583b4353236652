// A logged value as cells: one text, or a tensor of texts that shows two axes at a time. Pure.

export interface Cells {
  /** Empty for a single text. */
  readonly shape: readonly number[];
  /** In row-major order. Only the first cells if the value is truncated. */
  readonly values: readonly string[];
}

/**
 * Differs from TensorBoard: shows a tensor with one cell, which torch writes for every text, as text and not as a
 * table.
 */
export function onlyText({ shape, values }: Cells): string | null {
  return shape.every((size) => size === 1) ? (values[0] ?? "") : null;
}

/**
 * The rows of one slice. Undefined marks a cell lost to truncation. `at` is the index on each axis before the last two.
 */
export function sliceRows({ shape, values }: Cells, at: readonly number[]): (string | undefined)[][] {
  const [height = 0, width = 1] = shape.slice(-2);
  let start = 0;
  shape.slice(0, -2).forEach((size, axis) => (start = start * size + Math.min(at[axis] ?? 0, size - 1)));
  start *= height * width;
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => values[start + y * width + x]),
  );
}

/** In the server's format: a line per row, with tabs between cells. */
export function asPlainText(cells: Cells): string {
  const text = onlyText(cells);
  if (text !== null) return text;
  const width = cells.shape.length > 1 ? Math.max(1, cells.shape.at(-1) ?? 1) : 1;
  const rows: string[] = [];
  for (let i = 0; i < cells.values.length; i += width) rows.push(cells.values.slice(i, i + width).join("\t"));
  return rows.join("\n");
}

/** The tensor as nested arrays, for the tree. */
export function nested({ shape, values }: Cells): unknown {
  let level: unknown[] = [...values];
  for (const size of shape.slice(1).reverse()) {
    const next: unknown[] = [];
    for (let i = 0; i < level.length; i += Math.max(1, size)) next.push(level.slice(i, i + Math.max(1, size)));
    level = next;
  }
  return shape.length === 0 ? level[0] : level;
}

/**
 * Parses a text that is a JSON object or list. Returns undefined for anything else, including bare words and numbers.
 */
export function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
