// Animated GIFs, frame by frame: which not every browser can decode. Any frame can be
// asked for; the frames between are drawn on the way, from the nearest one that is remembered.

import { cutShort, isTooLarge } from "./picture_head";

interface GifFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly delayMs: number;
  /** 2: its place becomes transparent before the next. 3: what was there before comes back. */
  readonly disposal: number;
  /** Index of the colour that lets the picture below through; -1: none. */
  readonly transparent: number;
  readonly isInterlaced: boolean;
  readonly palette: Uint8Array;
  /** Where its pixels begin: code size, then pieces with their length in front. */
  readonly dataAt: number;
}

export interface Gif {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly GifFrame[];
  /** Whether the file ends where it should. */
  readonly isWhole: boolean;
}

// Browsers take less than two hundredths for a mistake, and so does everything that people compare with.
const SHORTEST_MS = 20;
const DEFAULT_DELAY_MS = 100;
const MAX_CODES = 4096;
/** For cached frames of one file. */
const MEMORY_BYTES = 64 * 2 ** 20;

export function parseGif(bytes: Uint8Array): Gif {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 13) throw cutShort("gif");
  const width = view.getUint16(6, true);
  const height = view.getUint16(8, true);
  const tableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  const flags = view.getUint8(10);
  const shared = bytes.subarray(13, 13 + tableBytes(flags));
  const frames: GifFrame[] = [];
  let control = { delayMs: DEFAULT_DELAY_MS, disposal: 0, transparent: -1 };
  let isWhole = false;
  let at = 13 + tableBytes(flags);
  while (at < bytes.length) {
    const block = bytes[at];
    if (block === 0x21) {
      if (bytes[at + 1] === 0xf9 && at + 8 <= bytes.length) {
        const packed = view.getUint8(at + 3);
        const delayMs = view.getUint16(at + 4, true) * 10;
        control = {
          delayMs: delayMs < SHORTEST_MS ? DEFAULT_DELAY_MS : delayMs,
          disposal: (packed >> 2) & 7,
          transparent: packed & 1 ? view.getUint8(at + 6) : -1,
        };
      }
      at = skipPieces(bytes, at + 2);
    } else if (block === 0x2c && at + 11 <= bytes.length) {
      const own = view.getUint8(at + 9);
      const dataAt = at + 10 + tableBytes(own);
      const end = skipPieces(bytes, dataAt + 1);
      if (end > bytes.length) break;
      const [left, top, across, down] = [1, 3, 5, 7].map((field) => view.getUint16(at + field, true)) as [
        number,
        number,
        number,
        number,
      ];
      if (isTooLarge(across, down)) throw cutShort("gif");
      frames.push({
        left,
        top,
        width: across,
        height: down,
        ...control,
        isInterlaced: (own & 0x40) !== 0,
        palette: own & 0x80 ? bytes.subarray(at + 10, dataAt) : shared,
        dataAt,
      });
      control = { delayMs: DEFAULT_DELAY_MS, disposal: 0, transparent: -1 };
      at = end;
    } else {
      isWhole = block === 0x3b;
      break;
    }
  }
  if (frames.length === 0) throw cutShort("gif");
  return { width, height, frames, isWhole: isWhole || at === bytes.length };
}

/** Behind the empty piece at the end; past the end of the bytes when that is missing. */
function skipPieces(bytes: Uint8Array, at: number): number {
  while (at < bytes.length) {
    const size = bytes[at] as number;
    at += size + 1;
    if (size === 0) return at;
  }
  return bytes.length + 1;
}

/** The frames of a GIF as they are seen, one on top of the other. */
export class GifDecoder {
  readonly gif: Gif;
  /** After frame `#shown` was drawn, RGBA; before the first one everything is transparent. */
  #canvas: Uint8ClampedArray<ArrayBuffer>;
  /** What frame `#shown` covered, if that comes back. */
  #covered: Uint8ClampedArray<ArrayBuffer> | null = null;
  #shown = -1;
  /** The canvas before some frames, so that going back need not begin at the start. */
  readonly #kept = new Map<number, Uint8ClampedArray<ArrayBuffer>>();
  readonly #keepEvery: number;

  constructor(private readonly bytes: Uint8Array) {
    this.gif = parseGif(bytes);
    this.#canvas = this.#blank();
    const room = Math.max(1, Math.floor(MEMORY_BYTES / this.#canvas.length));
    this.#keepEvery = Math.max(4, Math.ceil(this.gif.frames.length / room));
  }

  /** RGBA of the whole picture; a copy. */
  frame(index: number): Uint8ClampedArray<ArrayBuffer> {
    if (index !== this.#shown) {
      this.#goBefore(index);
      while (this.#shown < index) this.#advance();
    }
    return this.#canvas.slice();
  }

  #blank(): Uint8ClampedArray<ArrayBuffer> {
    return new Uint8ClampedArray(this.gif.width * this.gif.height * 4);
  }

  /** To the nearest place before a frame from which it can be reached by drawing on. */
  #goBefore(index: number): void {
    let from = this.#shown < index ? this.#shown + 1 : 0;
    for (let i = index; i > from; i--) if (this.#kept.has(i) || this.#coversAll(i)) from = i;
    if (from === this.#shown + 1) return;
    this.#canvas = this.#kept.get(from)?.slice() ?? this.#blank();
    this.#covered = null;
    this.#shown = from - 1;
    this.#isRestored = true;
  }

  /** The canvas is as the next frame finds it: what the one before leaves behind is done already. */
  #isRestored = true;

  #coversAll(index: number): boolean {
    const frame = this.gif.frames[index] as GifFrame;
    return (
      frame.left === 0 &&
      frame.top === 0 &&
      frame.width >= this.gif.width &&
      frame.height >= this.gif.height &&
      frame.transparent < 0 &&
      frame.disposal !== 3
    );
  }

  #advance(): void {
    const index = this.#shown + 1;
    if (!this.#isRestored) this.#leave(this.gif.frames[this.#shown] as GifFrame);
    if (index > 0 && index % this.#keepEvery === 0 && !this.#kept.has(index))
      this.#kept.set(index, this.#canvas.slice());
    const frame = this.gif.frames[index] as GifFrame;
    this.#covered = frame.disposal === 3 ? this.#canvas.slice() : null;
    this.#draw(frame);
    this.#shown = index;
    this.#isRestored = false;
  }

  #leave(frame: GifFrame): void {
    if (frame.disposal === 3 && this.#covered) this.#canvas = this.#covered;
    if (frame.disposal !== 2) return;
    const right = Math.min(frame.left + frame.width, this.gif.width);
    const bottom = Math.min(frame.top + frame.height, this.gif.height);
    for (let y = frame.top; y < bottom; y++)
      this.#canvas.fill(0, (y * this.gif.width + frame.left) * 4, (y * this.gif.width + right) * 4);
  }

  #draw(frame: GifFrame): void {
    const indices = uncompress(this.bytes, frame.dataAt, frame.width * frame.height);
    const rows = frame.isInterlaced ? interlacedRows(frame.height) : null;
    const columns = Math.min(frame.width, this.gif.width - frame.left);
    for (let line = 0; line < frame.height; line++) {
      const y = frame.top + (rows ? (rows[line] as number) : line);
      if (y >= this.gif.height) continue;
      let to = (y * this.gif.width + frame.left) * 4;
      for (let x = 0; x < columns; x++, to += 4) {
        const colour = indices[line * frame.width + x] as number;
        if (colour === frame.transparent) continue;
        this.#canvas[to] = frame.palette[colour * 3] ?? 0;
        this.#canvas[to + 1] = frame.palette[colour * 3 + 1] ?? 0;
        this.#canvas[to + 2] = frame.palette[colour * 3 + 2] ?? 0;
        this.#canvas[to + 3] = 255;
      }
    }
  }
}

function interlacedRows(height: number): number[] {
  const rows: number[] = [];
  for (const [start, apart] of [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const)
    for (let y = start; y < height; y += apart) rows.push(y);
  return rows;
}

/** LZW: so many colour indices, fewer never: what the data does not say stays the first colour. */
export function uncompress(bytes: Uint8Array, at: number, count: number): Uint8Array {
  const out = new Uint8Array(count);
  const smallest = Math.min(bytes[at] as number, 11);
  const clear = 1 << smallest;
  // Of every code: the code that it goes on from, its last index, its first one, and how many it has.
  const before = new Uint16Array(MAX_CODES);
  const last = new Uint8Array(MAX_CODES);
  const first = new Uint8Array(MAX_CODES);
  const lengths = new Uint16Array(MAX_CODES);
  for (let code = 0; code < clear; code++) {
    last[code] = first[code] = code;
    lengths[code] = 1;
  }
  let next = clear + 2;
  let width = smallest + 1;
  let previous = -1;
  let bits = 0;
  let bitCount = 0;
  let to = 0;
  let piece = at + 1;
  let left = bytes[piece] ?? 0;
  let from = piece + 1;
  while (to < count) {
    while (bitCount < width) {
      if (left === 0) {
        piece = from;
        left = bytes[piece] ?? 0;
        from = piece + 1;
        if (left === 0) return out;
      }
      bits |= (bytes[from++] ?? 0) << bitCount;
      bitCount += 8;
      left--;
    }
    const code = bits & ((1 << width) - 1);
    bits >>>= width;
    bitCount -= width;
    if (code === clear) {
      next = clear + 2;
      width = smallest + 1;
      previous = -1;
      continue;
    }
    if (code === clear + 1) return out;
    if (code > next || (code === next && previous < 0)) throw cutShort("gif");
    if (previous >= 0 && next < MAX_CODES) {
      before[next] = previous;
      first[next] = first[previous] as number;
      last[next] = code === next ? (first[previous] as number) : (first[code] as number);
      lengths[next] = (lengths[previous] as number) + 1;
      next++;
      if (next === 1 << width && width < 12) width++;
    } else if (code === next) throw cutShort("gif");
    const length = lengths[code] as number;
    let walk = code;
    for (let i = to + length - 1; i >= to; i--) {
      if (i < count) out[i] = last[walk] as number;
      walk = before[walk] as number;
    }
    to += length;
    previous = code;
  }
  return out;
}
