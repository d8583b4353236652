// A logged value as cells: one text, or a tensor of them of which two axes are seen at a time. Pure.

export interface Cells {
  /** Empty for one text. */
  readonly shape: readonly number[];
  /** The last axis fastest; of a value that is cut, only the first ones. */
  readonly values: readonly string[];
}

/** Differs from TensorBoard: a tensor of one cell, as torch writes every text, is that text and no table. */
export function onlyText({ shape, values }: Cells): string | null {
  return shape.every((size) => size === 1) ? (values[0] ?? "") : null;
}

/**
 * Rows of one slice; undefined stands for a cell that the cut left out. `at`: where on each axis before the last two.
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

/** As the server writes it: a line per row, cells set apart by tabs. */
export function asPlainText(cells: Cells): string {
  const text = onlyText(cells);
  if (text !== null) return text;
  const width = cells.shape.length > 1 ? Math.max(1, cells.shape.at(-1) ?? 1) : 1;
  const rows: string[] = [];
  for (let i = 0; i < cells.values.length; i += width) rows.push(cells.values.slice(i, i + width).join("\t"));
  return rows.join("\n");
}

/** A tensor as arrays in arrays, for the tree. */
export function nested({ shape, values }: Cells): unknown {
  let level: unknown[] = [...values];
  for (const size of shape.slice(1).reverse()) {
    const next: unknown[] = [];
    for (let i = 0; i < level.length; i += Math.max(1, size)) next.push(level.slice(i, i + Math.max(1, size)));
    level = next;
  }
  return shape.length === 0 ? level[0] : level;
}

/** The object or list that a text is written as; undefined when it is none. Bare words and numbers are text. */
export function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
