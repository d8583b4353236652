import { describe, expect, it } from "vitest";
import { GifDecoder, parseGif, uncompress } from "./gif";
import { readHead } from "./picture_head";

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const BLUE = [0, 0, 255, 255];
const CLEAR = [0, 0, 0, 0];
const PALETTE = [...RED.slice(0, 3), ...GREEN.slice(0, 3), ...BLUE.slice(0, 3), 9, 9, 9];

interface FrameOptions {
  readonly at?: readonly [left: number, top: number, width: number, height: number];
  readonly delayCs?: number;
  readonly disposal?: number;
  readonly transparent?: number;
  readonly isInterlaced?: boolean;
  readonly palette?: readonly number[];
}

const two = (value: number): number[] => [value & 255, value >> 8];

/** LZW that never learns: it forgets its codes before they grow. */
function pixels(indices: readonly number[]): number[] {
  const bits = indices.map((index, i) =>
    (i % 2 === 0 ? "100" : "").concat(index.toString(2).padStart(3, "0").split("").reverse().join("")),
  );
  // Codes have three bits, the lowest first; 4 says forget, 5 says end.
  const text = bits
    .map((each) => (each.length > 3 ? `001${each.slice(3)}` : each))
    .join("")
    .concat("101");
  const bytes = Array.from({ length: Math.ceil(text.length / 8) }, (_, i) =>
    Number.parseInt(
      text
        .slice(i * 8, i * 8 + 8)
        .padEnd(8, "0")
        .split("")
        .reverse()
        .join(""),
      2,
    ),
  );
  const out = [2];
  for (let i = 0; i < bytes.length; i += 255) out.push(Math.min(255, bytes.length - i), ...bytes.slice(i, i + 255));
  return [...out, 0];
}

function frame(
  indices: readonly number[],
  { at = [0, 0, 2, 2], delayCs = 10, disposal = 1, transparent, isInterlaced = false, palette }: FrameOptions = {},
): number[] {
  const control = [
    0x21,
    0xf9,
    4,
    (disposal << 2) | (transparent === undefined ? 0 : 1),
    ...two(delayCs),
    transparent ?? 0,
    0,
  ];
  const flags = (palette ? 0x81 : 0) | (isInterlaced ? 0x40 : 0);
  return [...control, 0x2c, ...at.flatMap(two), flags, ...(palette ?? []), ...pixels(indices)];
}

function gif(width: number, height: number, ...frames: readonly number[][]): Uint8Array {
  const start = new TextEncoder().encode("GIF89a");
  return new Uint8Array([
    ...start,
    ...two(width),
    ...two(height),
    0x81,
    0,
    0,
    ...PALETTE,
    0x21,
    0xfe,
    2,
    1,
    2,
    0,
    ...frames.flat(),
    0x3b,
  ]);
}

const seen = (decoder: GifDecoder, index: number): number[][] => {
  const rgba = decoder.frame(index);
  return Array.from({ length: rgba.length / 4 }, (_, i) => Array.from(rgba.subarray(i * 4, i * 4 + 4)));
};

describe("GifDecoder", () => {
  it("draws frames over each other, where they belong and where they are not transparent", () => {
    const decoder = new GifDecoder(
      gif(2, 2, frame([0, 0, 0, 0]), frame([1], { at: [1, 0, 1, 1] }), frame([2, 3, 2, 3], { transparent: 3 })),
    );
    expect(seen(decoder, 0)).toEqual([RED, RED, RED, RED]);
    expect(seen(decoder, 1)).toEqual([RED, GREEN, RED, RED]);
    expect(seen(decoder, 2)).toEqual([BLUE, GREEN, BLUE, RED]);
  });

  it("clears and restores as frames ask, in any order", () => {
    const bytes = gif(
      2,
      1,
      frame([0, 0], { at: [0, 0, 2, 1] }),
      frame([1], { at: [0, 0, 1, 1], disposal: 2 }),
      frame([2], { at: [1, 0, 1, 1], disposal: 3 }),
      frame([1], { at: [0, 0, 1, 1] }),
    );
    const expected = [
      [RED, RED],
      [GREEN, RED],
      [CLEAR, BLUE],
      [GREEN, RED],
    ];
    const decoder = new GifDecoder(bytes);
    for (const index of [0, 1, 2, 3, 3, 2, 1, 0, 3, 0, 2]) expect(seen(decoder, index)).toEqual(expected[index]);
  });

  it("reaches every frame of a long animation from every other", () => {
    const frames = Array.from({ length: 40 }, (_, i) =>
      frame([i % 3], { at: [i % 4, 0, 1, 1], disposal: i % 5 === 4 ? 2 : 1, ...(i % 7 === 6 && { transparent: 0 }) }),
    );
    const bytes = gif(4, 1, ...frames);
    const forwards = new GifDecoder(bytes);
    const expected = frames.map((_, i) => seen(forwards, i));
    const decoder = new GifDecoder(bytes);
    for (let i = 0; i < 200; i++) expect(seen(decoder, (i * 17) % 40)).toEqual(expected[(i * 17) % 40]);
  });

  it("uses a frame's own colours and the rows of interlacing", () => {
    const own = [5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8];
    const decoder = new GifDecoder(
      gif(1, 4, frame([0, 1, 2, 3], { at: [0, 0, 1, 4], isInterlaced: true, palette: own })),
    );
    expect(seen(decoder, 0).map(([red]) => red)).toEqual([5, 7, 6, 8]);
  });

  it("cuts frames that are larger than the picture", () => {
    const decoder = new GifDecoder(gif(2, 1, frame([0, 1, 2, 2, 2, 2, 2, 2, 2], { at: [1, 0, 3, 3] })));
    expect(seen(decoder, 0)).toEqual([CLEAR, RED]);
  });
});

describe("parseGif", () => {
  it("says how long frames are shown, and takes too short for a mistake", () => {
    const { frames, width, height, isWhole } = parseGif(
      gif(2, 2, frame([0, 0, 0, 0], { delayCs: 25 }), frame([1, 1, 1, 1], { delayCs: 0 })),
    );
    expect([width, height, isWhole, frames.map(({ delayMs }) => delayMs)]).toEqual([2, 2, true, [250, 100]]);
  });

  it("keeps the whole frames of a file that is cut short", () => {
    const bytes = gif(2, 2, frame([0, 0, 0, 0]), frame([1, 1, 1, 1]));
    expect(parseGif(bytes.slice(0, -1))).toMatchObject({ isWhole: true, frames: { length: 2 } });
    const cut = parseGif(bytes.slice(0, -4));
    expect([cut.isWhole, cut.frames.length]).toEqual([false, 1]);
    expect(() => parseGif(bytes.slice(0, 40))).toThrow("GIF file is cut short");
    expect(() => parseGif(bytes.slice(0, 8))).toThrow("GIF file is cut short");
  });

  it("refuses frames of absurd size", () => {
    expect(() => parseGif(gif(2, 2, frame([0], { at: [0, 0, 65535, 65535] })))).toThrow("damaged");
  });

  it("a GIF says whether it moves", () => {
    expect(readHead(gif(2, 2, frame([0, 0, 0, 0]))).isAnimated).toBe(false);
    expect(readHead(gif(2, 2, frame([0, 0, 0, 0]), frame([0, 0, 0, 0]))).isAnimated).toBe(true);
  });
});

describe("uncompress", () => {
  // 32 x 32 pixels as `runglass.writer.values.video` compresses them, in codes of 9 to 11 bits.
  it("reads what Runglass itself writes", () => {
    const bytes = Uint8Array.from(atob(WRITTEN), (letter) => letter.charCodeAt(0));
    const expected = Array.from({ length: 1024 }, (_, i) => (7 * (i % 32) ** 2 + 3 * (i >> 5)) & 255);
    expect(Array.from(uncompress(bytes, 0, 1024))).toEqual(expected);
  });

  it("stops at codes that nobody defined", () => {
    expect(() => uncompress(new Uint8Array([2, 1, 0b11_111_100, 0]), 0, 10)).toThrow(
      "GIF file is cut short or damaged",
    );
  });

  it("leaves out what is missing", () => {
    expect(Array.from(uncompress(new Uint8Array([2, 1, 0b01_001_100, 0]), 0, 4))).toEqual([1, 0, 0, 0]);
  });
});

const WRITTEN =
  "CP8AARzg8APOK35XgN3g9QTeJy4nAJzj9g3eAx53gF3g8w7OP05HBij4IGSOrH9ahun4JWWeqC8qBqj7Jm6ehB96hmn4I2+OgE9KDDQQUcROLQFdjPUQVsVeKTEtDLQTV85eBSF9jHUQVM9OAVFNEkAogSQPrgJg" +
  "kgEphiUfqjIwEsArhy4fhiKAkoEohC8PglJQGExAsYTPLgRjmA1BtoXfKjQzGMxDt47fBiSDmI1AtI/PAlRTHlhY4eSPrwVmnhlZ5uWfqzU2Hthb5+6fhyWGnplY5O+Pg1VWJGRwEUVQMAdppCVxFkZALDc5JORz" +
  "F09ACCeJpKVwFEBQBFdZKnD/iEGlELEIbKoxiUamAK04PCrwi0evAIkojKqxiESgEIVYXGDwAQ1XIHIMBW9g8wQ1ZyBwCx0/YPAPPfcgcAIVj2DzAiUHIHIBLV9sIMINWiyizAVybCPFNWosoMsdQmwgwD36LKDC" +
  "FZJsI8MlCiyiwS1ieFCCDl040owGdXhThTZtONCLHkV4UIA+/TjQghaVeFODJg040oEuZYSAQg9gRAJNB3iEg0U3cEQATB9IhIBAPwBEAEMXmISDQycQRAJCL2iQsAIQY1AyDQh7kLMFOHNQMAwgS5CwAAADUDAD" +
  "GJuQswMoE1AyAjBrnODCEGZcYs0IfpzjxTh2XGDMIE6c/+DAAAZcYMMYnpzjwygWXGLCMG6oEIMRaWiSjQmBqBOGOXlokIwhUagQgQEJaJCDGaGoE4QpGWiSgjFxtEBDEmx0wk0KhLRDRjp8dMBMIlS0QEECDHTA" +
  "QxqktENEKhx0wkIydMBwAxNvgPINC4fAcwY7f4DwDCNXwHABAw+A8AMbp8BzBCsfgPICM3fMoMMTcowizguKzKPGO4KMIM0jWsygwQMSjCDEG6rMo8QrIowiwzN62NCDFHWYUo4MjdjThjyFmFCNJF3Y0IEEFZhQ" +
  "hByt2NOELCWYUoM0feQARBV4pIJODZDkA0c9iKSATSVg5ABCBRikgEQdsOQDRS0opP+CQzWA8DAEFnuwsg4Ok/AzBz6LsLANJmPwMAIGG7CwBB6z8DMFLiuwsgM2g/xgxBZ+vOLODpb8Y8c+jrzgzSZm/GDCBh68" +
  "4MQetvxjxS4uvOLDNoYIkYQXgcgSjw+ZCJCHP5HIEI4naQiRggchyBCFH7kIkIUvMcgShDeJFMFEGITUQk8QnBTARwCU1EBOKGwUwUIIJNRARSC8FMBFMDTUQkQ4jEDCE8hwCFzcgwifQMAfCHAJHJyDFG9AwgtI" +
  "cAIcXIEQv0DAF4hxA1wcgRyPWIIUzqCIXejjCKJYgCAOoIkdqOMUcliCDE6ggh1o4RDCWIAYjqGDXSjhHJJwQhX/1NAIX/RDCaVwQCEU0AkftEMVdXBCDVTQAh90QRHFcEAZlNEDXzRBHZWIAhbaAIlgAKAJqIgA" +
  "IhoAiiDAoxV4iAIOWgCDIIChEciIABqaAYRgQKEdmKDCFuAwCWIMAAqroMAiIDAKIswDFnugwg5gMAMijAESy6DAGqAxBGJMAR6buIIX5mCJYxhgCq64gCMmYIoj2GMWfriCD2ZggyOYYRLOuIAbpmGEY1hhHp7Q" +
  "QhjskAllJMAKsdBAJCyQCiXkwxaB0EIQbJADJaTBEtHQQByskQRlZMEeoegCGfLAiWYwIAu06AAlMsCKJvAjF4ToAhFywIMmsCET1OgAHbLBCIRmcCEfpAgIAA==";
