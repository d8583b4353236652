// What the first bytes of a picture say about it, before anything is decoded: its format, size, depth and channels, and
// whether it moves. Throws for what nobody should try to decode.

import { formatCount } from "../../../base/count";

export interface PictureHead {
  readonly format: Format;
  readonly width: number;
  readonly height: number;
  /** Bits of one stored value of one channel. */
  readonly bitDepth: number;
  /** Stored for every pixel; of a picture with a palette, those of its colours. */
  readonly channels: number;
  readonly isAnimated: boolean;
}

export type Format = "png" | "jpeg" | "gif" | "webp" | "bmp";

// As the server's own limits: what browsers decode everywhere, and 256 MiB.
const SIDE_LIMIT_PX = 16_384;
const AREA_LIMIT_PX = 2 ** 26;

export function readHead(bytes: Uint8Array): PictureHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = formatOf(bytes);
  if (format === null) throw new Error(`These ${formatCount(bytes.length)} bytes are no picture that can be shown.`);
  let head: PictureHead;
  try {
    head = { format, ...READERS[format](view, bytes) };
  } catch (cause) {
    if (cause instanceof RangeError) throw cutShort(format);
    throw cause;
  }
  const { width, height } = head;
  const size = `${formatCount(width)} × ${formatCount(height)} pixels`;
  if (width === 0 || height === 0) throw new Error(`This picture is ${size}: there is nothing to show.`);
  if (isTooLarge(width, height)) throw new Error(`This picture is ${size}, which is too large to show.`);
  return head;
}

export const isTooLarge = (width: number, height: number): boolean =>
  Math.max(width, height) > SIDE_LIMIT_PX || width * height > AREA_LIMIT_PX;

export const cutShort = (format: Format): Error =>
  new Error(`This ${TITLES[format]} file is cut short or damaged, so it cannot be shown.`);

const TITLES: Record<Format, string> = { png: "PNG", jpeg: "JPEG", gif: "GIF", webp: "WebP", bmp: "BMP" };

function formatOf(bytes: Uint8Array): Format | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith("\x89PNG")) return "png";
  if (start.startsWith("\xff\xd8\xff")) return "jpeg";
  if (start.startsWith("GIF8")) return "gif";
  if (start.startsWith("BM")) return "bmp";
  return start.startsWith("RIFF") && start.endsWith("WEBP") ? "webp" : null;
}

type Found = Omit<PictureHead, "format">;

const READERS: Record<Format, (view: DataView, bytes: Uint8Array) => Found> = {
  png: readPng,
  jpeg: readJpeg,
  gif: readGif,
  webp: readWebp,
  bmp: readBmp,
};

/** Channels by the colour type of a PNG; a palette has its own. */
export const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 };

function readPng(view: DataView): Found {
  const colourType = view.getUint8(25);
  let channels = PNG_CHANNELS[colourType];
  if (channels === undefined) throw new Error(`This PNG has the colour type ${colourType}, which there is not.`);
  let isAnimated = false;
  // Up to the pixels; what tells of transparency and movement stands before them.
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const name = view.getUint32(at + 4);
    if (name === 0x49444154) break;
    if (name === 0x6163544c) isAnimated = view.getUint32(at + 8) > 1;
    if (name === 0x74524e53 && colourType === 3) channels = 4;
  }
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    bitDepth: colourType === 3 ? 8 : view.getUint8(24),
    channels,
    isAnimated,
  };
}

function readJpeg(view: DataView): Found {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    // Four are for print; a browser makes three of them.
    const channels = isFrame && view.getUint8(at + 9) === 1 ? 1 : 3;
    if (isFrame)
      return {
        width: view.getUint16(at + 7),
        height: view.getUint16(at + 5),
        bitDepth: view.getUint8(at + 4),
        channels,
        isAnimated: false,
      };
    at += 2 + view.getUint16(at + 2);
  }
  throw cutShort("jpeg");
}

function readGif(view: DataView, bytes: Uint8Array): Found {
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  return { ...size, bitDepth: 8, channels: 3, isAnimated: hasSecondFrame(bytes) };
}

function hasSecondFrame(bytes: Uint8Array): boolean {
  const tableBytes = (flags = 0): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  let frames = 0;
  for (let at = 13 + tableBytes(bytes[10]); at < bytes.length;) {
    const block = bytes[at];
    if (block === 0x2c && ++frames === 2) return true;
    if (block === 0x2c) at += 11 + tableBytes(bytes[at + 9]);
    else if (block === 0x21) at += 2;
    else return false;
    for (let size = bytes[at] ?? 0; size > 0; size = bytes[at] ?? 0) at += size + 1;
    at++;
  }
  return false;
}

function readWebp(view: DataView): Found {
  const kind = view.getUint32(12);
  if (kind === 0x56503858) {
    const flags = view.getUint8(20);
    const side = (at: number): number => (view.getUint16(at, true) | (view.getUint8(at + 2) << 16)) + 1;
    return {
      width: side(24),
      height: side(27),
      bitDepth: 8,
      channels: flags & 0x10 ? 4 : 3,
      isAnimated: (flags & 2) !== 0,
    };
  }
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return {
      width: (bits & 0x3fff) + 1,
      height: ((bits >>> 14) & 0x3fff) + 1,
      bitDepth: 8,
      channels: (bits >>> 28) & 1 ? 4 : 3,
      isAnimated: false,
    };
  }
  return {
    width: view.getUint16(26, true) & 0x3fff,
    height: view.getUint16(28, true) & 0x3fff,
    bitDepth: 8,
    channels: 3,
    isAnimated: false,
  };
}

function readBmp(view: DataView): Found {
  const isCore = view.getUint32(14, true) === 12;
  const width = isCore ? view.getUint16(18, true) : view.getInt32(18, true);
  const height = isCore ? view.getUint16(20, true) : view.getInt32(22, true);
  return { width: Math.abs(width), height: Math.abs(height), bitDepth: 8, channels: 3, isAnimated: false };
}
