import { describe, expect, it } from "vitest";
import { readHead } from "./picture_head";
import { decodePng } from "./png";

const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Options {
  readonly depth?: number;
  readonly type?: number;
  readonly filter?: (row: number) => number;
  readonly isInterlaced?: boolean;
  readonly chunks?: readonly Uint8Array[];
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length + 12);
  new DataView(out.buffer).setUint32(0, data.length);
  out.set(new TextEncoder().encode(name), 4);
  out.set(data, 8);
  return out;
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  );
}

/** One row of values as a file has it, before any filter. */
function packRow(values: readonly number[], depth: number): number[] {
  if (depth === 16) return values.flatMap((value) => [value >> 8, value & 255]);
  const bits = values.map((value) => value.toString(2).padStart(depth, "0")).join("");
  return Array.from({ length: Math.ceil(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8).padEnd(8, "0"), 2),
  );
}

/** By the definition of the filters: what is stored is the value less its prediction. */
function filterRow(row: readonly number[], above: readonly number[], filter: number, bpp: number): number[] {
  return [
    filter,
    ...row.map((value, i) => {
      const [a, b, c] = [row[i - bpp] ?? 0, above[i] ?? 0, above[i - bpp] ?? 0];
      const nearest = [a, b, c].sort((p, q) => Math.abs(a + b - c - p) - Math.abs(a + b - c - q))[0] ?? 0;
      return (value - [0, a, b, Math.floor((a + b) / 2), nearest][filter]!) & 255;
    }),
  ];
}

async function png(
  values: readonly number[],
  width: number,
  { depth = 8, type = 0, filter = () => 0, isInterlaced = false, chunks = [] }: Options = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const channels = CHANNELS[type] as number;
  const height = values.length / width / channels;
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header.set([depth, type, 0, 0, isInterlaced ? 1 : 0], 8);
  const passes = isInterlaced
    ? [
        [0, 0, 8, 8],
        [4, 0, 8, 8],
        [0, 4, 4, 8],
        [2, 0, 4, 4],
        [0, 2, 2, 4],
        [1, 0, 2, 2],
        [0, 1, 1, 2],
      ]
    : [[0, 0, 1, 1]];
  const raw: number[] = [];
  for (const [left, top, across, down] of passes as [number, number, number, number][]) {
    let above: number[] = [];
    for (let y = top, n = 0; y < height && left < width; y += down, n++) {
      const line: number[] = [];
      for (let x = left; x < width; x += across)
        line.push(...values.slice((y * width + x) * channels, (y * width + x + 1) * channels));
      const packed = packRow(line, depth);
      raw.push(...filterRow(packed, above, filter(n), Math.max(1, (channels * depth) >> 3)));
      above = packed;
    }
  }
  const data = await deflate(new Uint8Array(raw));
  // In two pieces, as encoders cut them.
  const middle = data.length >> 1;
  const start = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return join([
    start,
    chunk("IHDR", header),
    ...chunks,
    chunk("IDAT", data.slice(0, middle)),
    chunk("IDAT", data.slice(middle)),
    chunk("IEND", new Uint8Array()),
  ]);
}

function noise(count: number, limit: number): number[] {
  let seed = 7;
  return Array.from({ length: count }, () => (seed = (seed * 1103515245 + 12345) % 2147483648) % limit);
}

describe("decodePng", () => {
  for (const [type, depths] of [
    [0, [1, 2, 4, 8, 16]],
    [2, [8, 16]],
    [4, [8, 16]],
    [6, [8, 16]],
  ] as const) {
    for (const depth of depths) {
      for (const isInterlaced of [false, true]) {
        it(`gives the stored values: colour type ${type}, ${depth} bits${isInterlaced ? ", interlaced" : ""}`, async () => {
          const values = noise(13 * 11 * (CHANNELS[type] as number), 2 ** depth);
          const bytes = await png(values, 13, { depth, type, isInterlaced, filter: (row) => row % 5 });
          const found = await decodePng(bytes);
          expect([found.width, found.height, found.channels, found.bitDepth]).toEqual([13, 11, CHANNELS[type], depth]);
          expect(Array.from(found.values)).toEqual(values);
          expect(readHead(bytes)).toMatchObject({
            format: "png",
            width: 13,
            height: 11,
            channels: CHANNELS[type],
            bitDepth: depth,
            isAnimated: false,
          });
        });
      }
    }
  }

  it("looks palettes up, with and without transparency", async () => {
    const palette = chunk("PLTE", new Uint8Array([1, 2, 3, 40, 50, 60]));
    const opaque = await png([0, 1, 1, 0], 2, { type: 3, depth: 1, chunks: [palette] });
    expect(Array.from((await decodePng(opaque)).values)).toEqual([1, 2, 3, 40, 50, 60, 40, 50, 60, 1, 2, 3]);
    const clear = await png([0, 1], 2, { type: 3, depth: 4, chunks: [palette, chunk("tRNS", new Uint8Array([9]))] });
    expect(await decodePng(clear)).toMatchObject({ channels: 4, bitDepth: 8 });
    expect(Array.from((await decodePng(clear)).values)).toEqual([1, 2, 3, 9, 40, 50, 60, 255]);
    expect(readHead(clear)).toMatchObject({ channels: 4, bitDepth: 8 });
  });

  it("refuses what is cut short, wherever", async () => {
    const whole = await png(noise(900, 256), 30);
    for (const size of [20, 40, 200, whole.length - 12])
      await expect(decodePng(whole.slice(0, size))).rejects.toThrow("cut short or damaged");
  });

  it("refuses pixels that are missing or no deflate stream", async () => {
    const few = await png(noise(30, 256), 30);
    new DataView(few.buffer).setUint32(20, 10);
    await expect(decodePng(few)).rejects.toThrow("cut short or damaged");
    const whole = await png(noise(900, 256), 30);
    whole.fill(0xaa, 41, 60);
    await expect(decodePng(whole)).rejects.toThrow("cut short or damaged");
  });

  it("inflates no more than the picture needs", async () => {
    const bomb = await png(new Array<number>(90_000).fill(0), 300);
    new DataView(bomb.buffer).setUint32(16, 2);
    new DataView(bomb.buffer).setUint32(20, 2);
    expect((await decodePng(bomb)).values.length).toBe(4);
  });

  it("refuses depths and colour types that there are not", async () => {
    await expect(decodePng(await png([1, 2], 2, { depth: 8 }).then((bytes) => bytes.fill(5, 25, 26)))).rejects.toThrow(
      "colour type 5",
    );
  });
});

describe("readHead", () => {
  it("refuses sizes that nobody can show, before anything is decoded", async () => {
    const bytes = await png([1, 2], 2);
    new DataView(bytes.buffer).setUint32(16, 30_000);
    expect(() => readHead(bytes)).toThrow("30,000 × 1 pixels, which is too large");
    new DataView(bytes.buffer).setUint32(16, 0);
    expect(() => readHead(bytes)).toThrow("0 × 1 pixels: there is nothing");
  });

  it("knows pictures from other bytes", () => {
    const text = (words: string): Uint8Array => new TextEncoder().encode(words);
    for (const words of ["", "<svg onload='alert(1)'>", "<html>", "plain words that are long enough"])
      expect(() => readHead(text(words))).toThrow("no picture");
    expect(() => readHead(new Uint8Array([0xff, 0xd8, 0xff]))).toThrow("JPEG file is cut short");
    expect(() => readHead(text("GIF8"))).toThrow("GIF file is cut short");
  });

  it("reads the sizes of WebP, BMP and JPEG", () => {
    const webp = (kind: string, rest: number[]): Uint8Array =>
      join([new TextEncoder().encode(`RIFF    WEBP${kind}    `), new Uint8Array(rest)]);
    expect(readHead(webp("VP8X", [0x12, 0, 0, 0, 9, 0, 0, 4, 1, 0]))).toMatchObject({
      width: 10,
      height: 261,
      channels: 4,
      isAnimated: true,
    });
    expect(readHead(webp("VP8L", [0x2f, 0x09, 0x40, 0x01, 0x10]))).toMatchObject({ width: 10, height: 6, channels: 4 });
    expect(readHead(webp("VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, 30, 0, 20, 0]))).toMatchObject({
      width: 30,
      height: 20,
      channels: 3,
    });
    const bmp = new Uint8Array(54);
    bmp.set([0x42, 0x4d]);
    bmp.set([40, 0, 0, 0, 7, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff], 14);
    expect(readHead(bmp)).toMatchObject({ width: 7, height: 5 });
    const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 11, 8, 0, 20, 0, 30, 1, 0, 0, 0]);
    expect(readHead(jpeg)).toMatchObject({ width: 30, height: 20, channels: 1, bitDepth: 8 });
  });
});
