// Lines packed into one buffer, so that a thousand of them are transferred to the worker at once. A table of numbers
// says where each line is in it. Cloning a thousand objects takes longer than copying their numbers.

import type { Series, Stroke } from "./model";

export interface LineBuffer {
  /** The numbers of all lines, each table once. */
  readonly buffer: ArrayBuffer;
  /** `FIELDS` numbers for each line. */
  readonly layout: Uint32Array<ArrayBuffer>;
}

const FIELDS = 6;
const IS_FLOAT32 = 1;
const IS_SORTED = 2;
const HAS_MASK = 4;

/** A copy that can be transferred: several charts may share the numbers, and the page keeps its own. */
export function packLines(lines: readonly Series[]): LineBuffer {
  const placed = new Map<Float64Array | Float32Array | Uint8Array, number>();
  let sizeBytes = 0;
  const place = (array: Float64Array | Float32Array | Uint8Array): number => {
    let at = placed.get(array);
    if (at === undefined) {
      at = sizeBytes;
      placed.set(array, at);
      sizeBytes = (at + array.byteLength + 7) & ~7;
    }
    return at;
  };
  const layout = new Uint32Array(lines.length * FIELDS);
  lines.forEach(({ table, mask, y, isSorted }, i) => {
    const at = i * FIELDS;
    layout[at] = (y instanceof Float32Array ? IS_FLOAT32 : 0) | (isSorted ? IS_SORTED : 0) | (mask ? HAS_MASK : 0);
    layout[at + 1] = place(table);
    layout[at + 2] = table.length;
    layout[at + 3] = place(y);
    layout[at + 4] = y.length;
    if (mask) layout[at + 5] = place(mask);
  });
  const buffer = new ArrayBuffer(sizeBytes);
  const bytes = new Uint8Array(buffer);
  for (const [array, at] of placed) bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
  return { buffer, layout };
}

export function unpackLines({ buffer, layout }: LineBuffer): Series[] {
  const lines: Series[] = [];
  // Lines that shared a table share it here too: its pixels are computed once.
  const tables = new Map<number, Float64Array>();
  for (let at = 0; at < layout.length; at += FIELDS) {
    const [flags, tableAt, entries, yAt, points, maskAt] = layout.subarray(at, at + FIELDS) as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    let table = entries > 0 ? tables.get(tableAt) : undefined;
    if (!table) {
      table = new Float64Array(buffer, tableAt, entries);
      tables.set(tableAt, table);
    }
    lines.push({
      table,
      mask: flags & HAS_MASK ? new Uint8Array(buffer, maskAt, (entries + 7) >> 3) : null,
      y: flags & IS_FLOAT32 ? new Float32Array(buffer, yAt, points) : new Float64Array(buffer, yAt, points),
      isSorted: (flags & IS_SORTED) !== 0,
    });
  }
  return lines;
}

export interface PackedStrokes {
  readonly kinds: readonly Stroke[];
  /** The kind of each line. */
  readonly indices: Uint16Array;
}

/** Whether each line is drawn as before. */
export const isSameStrokes = (strokes: readonly Stroke[], before: readonly Stroke[]): boolean =>
  strokes === before ||
  (strokes.length === before.length &&
    strokes.every(({ color, widthPx, alpha, dash, axis }, i) => {
      const was = before[i] as Stroke;
      return (
        color === was.color &&
        widthPx === was.widthPx &&
        alpha === was.alpha &&
        axis === was.axis &&
        (dash === was.dash || dash.join() === was.dash.join())
      );
    }));

export function packStrokes(strokes: readonly Stroke[]): PackedStrokes {
  const kinds: Stroke[] = [];
  const known = new Map<string, number>();
  const indices = Uint16Array.from(strokes, (stroke) => {
    const key = `${stroke.color} ${stroke.widthPx} ${stroke.alpha} ${stroke.dash.join()} ${stroke.axis}`;
    let index = known.get(key);
    if (index === undefined) {
      index = kinds.push({ ...stroke, dash: [...stroke.dash] }) - 1;
      known.set(key, index);
    }
    return index;
  });
  return { kinds, indices };
}

export const unpackStrokes = ({ kinds, indices }: PackedStrokes): Stroke[] =>
  Array.from(indices, (index) => kinds[index] as Stroke);
