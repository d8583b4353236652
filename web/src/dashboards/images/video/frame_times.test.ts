import { describe, expect, it } from "vitest";
import { frameTimes } from "./frame_times";

const bytes = (...parts: readonly (readonly number[])[]): Uint8Array => new Uint8Array(parts.flat());
const u32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255];
const zeros = (count: number): number[] => new Array<number>(count).fill(0);
const box = (name: string, ...inside: readonly (readonly number[])[]): number[] => {
  const content = inside.flat();
  return [...u32(8 + content.length), ...Array.from(name, (letter) => letter.charCodeAt(0)), ...content];
};

const track = (handler: string, id: number, ...table: readonly number[][]): number[] =>
  box(
    "trak",
    box("tkhd", zeros(12), u32(id)),
    box(
      "mdia",
      box("mdhd", zeros(12), u32(1_000)),
      box(
        "hdlr",
        zeros(8),
        Array.from(handler, (letter) => letter.charCodeAt(0)),
      ),
      box("minf", box("stbl", ...table)),
    ),
  );
const runsOf = (name: string, ...runs: readonly [number, number][]): number[] =>
  box(name, u32(0), u32(runs.length), ...runs.map(([count, ticks]) => [...u32(count), ...u32(ticks)]));

const rounded = (times: Float64Array): number[] => Array.from(times, (time) => Math.round(time * 1_000));

describe("frameTimes of MP4", () => {
  it("reads the table of the track of pictures, in the order of showing", () => {
    const sound = track("soun", 1, runsOf("stts", [9, 7]));
    const video = track(
      "vide",
      2,
      runsOf("stts", [3, 40], [1, 100]),
      runsOf("ctts", [1, 40], [1, 120], [1, 0], [1, 40]),
    );
    expect(rounded(frameTimes(bytes(box("ftyp", u32(0)), box("moov", sound, video))))).toEqual([0, 40, 120, 120]);
  });

  it("reads fragments, with times of their own and with the usual one", () => {
    const moov = box("moov", track("vide", 2), box("mvex", box("trex", u32(0), u32(2), u32(1), u32(50))));
    const own = box(
      "traf",
      box("tfhd", u32(0), u32(2)),
      box("tfdt", u32(0), u32(500)),
      box("trun", u32(0x301), u32(2), u32(99), u32(30), u32(1), u32(40), u32(1)),
    );
    const usual = box(
      "traf",
      box("tfhd", u32(0), u32(2)),
      box("tfdt", u32(0x01000000), zeros(4), u32(570)),
      box("trun", u32(0x200), u32(2), u32(1), u32(1)),
    );
    const told = box(
      "traf",
      box("tfhd", u32(8), u32(2), u32(20)),
      box("tfdt", u32(0), u32(700)),
      box("trun", u32(0x800), u32(2), u32(0), u32(5)),
    );
    const other = box("traf", box("tfhd", u32(0), u32(1)), box("trun", u32(0), u32(50)));
    expect(
      rounded(
        frameTimes(bytes(moov, box("moof", other, own), box("mdat", zeros(9)), box("moof", usual), box("moof", told))),
      ),
    ).toEqual([0, 30, 70, 120, 200, 225]);
  });

  it("says nothing about what it cannot read", () => {
    expect(frameTimes(bytes(box("moov", box("trak", zeros(3)))))).toHaveLength(0);
    expect(frameTimes(bytes(box("moov", track("vide", 1, box("stts", u32(0), u32(5))))))).toHaveLength(0);
    expect(frameTimes(new Uint8Array(5))).toHaveLength(0);
  });

  it("does not count to what a file claims", () => {
    expect(frameTimes(bytes(box("moov", track("vide", 1, runsOf("stts", [0xffffffff, 1])))))).toHaveLength(250_000);
  });
});

describe("frameTimes of WebM", () => {
  const UNKNOWN = [0x01, 255, 255, 255, 255, 255, 255, 255];
  const element = (
    number: readonly number[],
    content: readonly number[],
    size = [0x40 | (content.length >> 8), content.length & 255],
  ): number[] => [...number, ...size, ...content];
  const entry = (number: number, type: number): number[] =>
    element([0xae], [...element([0xd7], [number]), ...element([0x83], [type])]);
  const block = (number: number, ticks: number): number[] => [0x80 | number, ...u16(ticks), 0, 9, 9];

  it("reads blocks and groups of the track of pictures, in clusters without an end", () => {
    const head = element([0x1a, 0x45, 0xdf, 0xa3], [1, 2, 3]);
    const info = element([0x15, 0x49, 0xa9, 0x66], element([0x2a, 0xd7, 0xb1], [0x1e, 0x84, 0x80]));
    const tracks = element([0x16, 0x54, 0xae, 0x6b], [...entry(1, 2), ...entry(2, 1)]);
    const first = element(
      [0x1f, 0x43, 0xb6, 0x75],
      [
        ...element([0xe7], [10]),
        ...element([0xa3], block(2, 0)),
        ...element([0xa3], block(1, 3)),
        ...element([0xa3], block(2, 20)),
      ],
      UNKNOWN,
    );
    const second = element(
      [0x1f, 0x43, 0xb6, 0x75],
      [...element([0xe7], [50]), ...element([0xa0], element([0xa1], block(2, -5)))],
      UNKNOWN,
    );
    const segment = element([0x18, 0x53, 0x80, 0x67], [...info, ...tracks, ...first, ...second], UNKNOWN);
    // A tick is two milliseconds here.
    expect(rounded(frameTimes(bytes(head, segment)))).toEqual([0, 40, 70]);
    expect(rounded(frameTimes(bytes(head, segment.slice(0, -4))))).toEqual([0, 40]);
  });
});
