// The values that a PNG stores, exactly: all depths and colour types, interlaced or not. Browsers give eight bits and
// multiply with alpha; this is for reading numbers, not for showing.

import { cutShort, PNG_CHANNELS } from "./picture_head";

/** Row by row, the channels of a pixel side by side. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bitDepth: number;
  readonly values: Uint8Array | Uint8ClampedArray | Uint16Array;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly storedDepth: number;
  readonly colourType: number;
  readonly isInterlaced: boolean;
}

/** First column and row of a pass, and how far its pixels are apart. */
type Pass = readonly [left: number, top: number, across: number, down: number];

const WHOLE: readonly Pass[] = [[0, 0, 1, 1]];
const ADAM7: readonly Pass[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

export async function decodePng(bytes: Uint8Array): Promise<Pixels> {
  const { header, palette, alphas, data } = readChunks(bytes);
  const { width, height, storedDepth, colourType } = header;
  const stored = PNG_CHANNELS[colourType] === undefined || colourType === 3 ? 1 : (PNG_CHANNELS[colourType] ?? 1);
  const bitsPerPixel = stored * storedDepth;
  const passes = (header.isInterlaced ? ADAM7 : WHOLE)
    .map(([left, top, across, down]) => ({
      left,
      top,
      across,
      down,
      columns: Math.ceil((width - left) / across),
      rows: Math.ceil((height - top) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
  const rowBytes = (columns: number): number => Math.ceil((columns * bitsPerPixel) / 8);
  const raw = await inflate(
    data,
    passes.reduce((sum, { columns, rows }) => sum + rows * (1 + rowBytes(columns)), 0),
  );

  const values =
    storedDepth === 16 ? new Uint16Array(width * height * stored) : new Uint8Array(width * height * stored);
  const mask = 2 ** storedDepth - 1;
  let at = 0;
  for (const { left, top, across, down, columns, rows } of passes) {
    const lineBytes = rowBytes(columns);
    unfilter(raw, at, rows, lineBytes, Math.max(1, bitsPerPixel >> 3));
    for (let row = 0; row < rows; row++) {
      const start = at + row * (1 + lineBytes) + 1;
      for (let column = 0; column < columns; column++) {
        const to = ((top + row * down) * width + left + column * across) * stored;
        for (let channel = 0; channel < stored; channel++) {
          const index = column * stored + channel;
          if (storedDepth === 16)
            values[to + channel] = ((raw[start + index * 2] as number) << 8) | (raw[start + index * 2 + 1] as number);
          else if (storedDepth === 8) values[to + channel] = raw[start + index] as number;
          else {
            const bit = index * storedDepth;
            values[to + channel] = ((raw[start + (bit >> 3)] as number) >> (8 - storedDepth - (bit & 7))) & mask;
          }
        }
      }
    }
    at += rows * (1 + lineBytes);
  }
  if (colourType === 3) return { width, height, ...inColours(values as Uint8Array, palette, alphas) };
  return { width, height, channels: stored, bitDepth: storedDepth, values };
}

function readChunks(bytes: Uint8Array): {
  header: Header;
  palette: Uint8Array;
  alphas: Uint8Array | null;
  data: Uint8Array<ArrayBuffer>[];
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | null = null;
  let palette: Uint8Array = new Uint8Array();
  let alphas: Uint8Array | null = null;
  const data: Uint8Array<ArrayBuffer>[] = [];
  let isWhole = false;
  for (let at = 8; at + 12 <= bytes.length && !isWhole;) {
    const size = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.slice(at + 8, at + 8 + size);
    if (content.length < size) break;
    if (name === "IHDR") header = readHeader(view, at + 8);
    else if (name === "PLTE") palette = content;
    else if (name === "tRNS") alphas = content;
    else if (name === "IDAT") data.push(content);
    else if (name === "IEND") isWhole = true;
    at += 12 + size;
  }
  if (!header || !isWhole) throw cutShort("png");
  return { header, palette, alphas, data };
}

function readHeader(view: DataView, at: number): Header {
  const storedDepth = view.getUint8(at + 8);
  const colourType = view.getUint8(at + 9);
  if (!DEPTHS[colourType]?.includes(storedDepth))
    throw new Error(`This PNG has ${storedDepth} bits in colour type ${colourType}, which there is not.`);
  return {
    width: view.getUint32(at),
    height: view.getUint32(at + 4),
    storedDepth,
    colourType,
    isInterlaced: view.getUint8(at + 12) === 1,
  };
}

/** Exactly so many bytes; what would come after them is not even inflated. */
async function inflate(parts: Uint8Array<ArrayBuffer>[], sizeBytes: number): Promise<Uint8Array> {
  const out = new Uint8Array(sizeBytes);
  const reader = new Blob(parts).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  let at = 0;
  try {
    while (at < sizeBytes) {
      const { value, done } = await reader.read();
      if (done) break;
      out.set(value.subarray(0, sizeBytes - at), at);
      at += Math.min(value.length, sizeBytes - at);
    }
  } catch {
    throw cutShort("png");
  }
  // What it still had to say, such as that its checksum is wrong, is of no interest.
  reader.cancel().catch(() => {});
  if (at < sizeBytes) throw cutShort("png");
  return out;
}

/** Each row says how its bytes were predicted; this adds the prediction again, in place. */
function unfilter(raw: Uint8Array, start: number, rows: number, lineBytes: number, pixelBytes: number): void {
  for (let row = 0; row < rows; row++) {
    const line = start + row * (1 + lineBytes) + 1;
    const above = line - lineBytes - 1;
    const filter = raw[line - 1] as number;
    if (filter > 4) throw cutShort("png");
    if (filter === 0) continue;
    for (let i = 0; i < lineBytes; i++) {
      const left = i >= pixelBytes ? (raw[line + i - pixelBytes] as number) : 0;
      const up = row > 0 ? (raw[above + i] as number) : 0;
      const corner = row > 0 && i >= pixelBytes ? (raw[above + i - pixelBytes] as number) : 0;
      const guess = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
      raw[line + i] = (raw[line + i] as number) + guess;
    }
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const byLeft = Math.abs(guess - left);
  const byUp = Math.abs(guess - up);
  const byCorner = Math.abs(guess - corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}

function inColours(
  indices: Uint8Array,
  palette: Uint8Array,
  alphas: Uint8Array | null,
): Pick<Pixels, "channels" | "bitDepth" | "values"> {
  const channels = alphas ? 4 : 3;
  const values = new Uint8Array(indices.length * channels);
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i] as number;
    for (let channel = 0; channel < 3; channel++) values[i * channels + channel] = palette[index * 3 + channel] ?? 0;
    if (alphas) values[i * channels + 3] = alphas[index] ?? 255;
  }
  return { channels, bitDepth: 8, values };
}
