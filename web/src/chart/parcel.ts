// How a thousand lines travel to the worker: each buffer once, and who lies where in it as plain numbers. Cloning a
// thousand lines as objects takes longer than copying what is in them.

import type { Series, Stroke } from "./model";

export interface SeriesParcel {
  readonly buffers: readonly ArrayBufferLike[];
  /** `FIELDS` numbers for each line. */
  readonly layout: Uint32Array;
}

const FIELDS = 9;
const IS_FLOAT32 = 1;
const IS_SORTED = 2;
const HAS_MASK = 4;

export function packSeries(lines: readonly Series[]): SeriesParcel {
  const buffers: ArrayBufferLike[] = [];
  const indices = new Map<ArrayBufferLike, number>();
  const indexOf = (buffer: ArrayBufferLike): number => {
    let index = indices.get(buffer);
    if (index === undefined) {
      index = buffers.push(buffer) - 1;
      indices.set(buffer, index);
    }
    return index;
  };
  const layout = new Uint32Array(lines.length * FIELDS);
  lines.forEach(({ table, mask, y, isSorted }, i) => {
    const flags = (y instanceof Float32Array ? IS_FLOAT32 : 0) | (isSorted ? IS_SORTED : 0) | (mask ? HAS_MASK : 0);
    const at = i * FIELDS;
    layout[at] = flags;
    layout[at + 1] = indexOf(table.buffer);
    layout[at + 2] = table.byteOffset;
    layout[at + 3] = table.length;
    layout[at + 4] = indexOf(y.buffer);
    layout[at + 5] = y.byteOffset;
    layout[at + 6] = y.length;
    if (mask) {
      layout[at + 7] = indexOf(mask.buffer);
      layout[at + 8] = mask.byteOffset;
    }
  });
  return { buffers, layout };
}

export function unpackSeries({ buffers, layout }: SeriesParcel): Series[] {
  const lines: Series[] = [];
  // Lines that shared a table share it here too: its pixels are worked out once.
  const tables = new Map<string, Float64Array>();
  for (let at = 0; at < layout.length; at += FIELDS) {
    const [flags, tableIn, tableAt, entries, yIn, yAt, points, maskIn, maskAt] = layout.subarray(at, at + FIELDS) as unknown as [
      number, number, number, number, number, number, number, number, number,
    ];
    const bufferOf = (index: number): ArrayBuffer => buffers[index] as ArrayBuffer;
    const key = `${tableIn} ${tableAt} ${entries}`;
    let table = tables.get(key);
    if (!table) {
      table = new Float64Array(bufferOf(tableIn), tableAt, entries);
      tables.set(key, table);
    }
    lines.push({
      table,
      mask: flags & HAS_MASK ? new Uint8Array(bufferOf(maskIn), maskAt, (entries + 7) >> 3) : null,
      y: flags & IS_FLOAT32 ? new Float32Array(bufferOf(yIn), yAt, points) : new Float64Array(bufferOf(yIn), yAt, points),
      isSorted: (flags & IS_SORTED) !== 0,
    });
  }
  return lines;
}

export interface StrokesParcel {
  readonly kinds: readonly Stroke[];
  /** The kind of each line. */
  readonly indices: Uint16Array;
}

export function packStrokes(strokes: readonly Stroke[]): StrokesParcel {
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

export const unpackStrokes = ({ kinds, indices }: StrokesParcel): Stroke[] => Array.from(indices, (index) => kinds[index] as Stroke);
