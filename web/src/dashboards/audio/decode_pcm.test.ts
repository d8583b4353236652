import { describe, expect, test } from "vitest";
import { decodePcm, MOST_CHANNELS } from "./decode_pcm";
import type { PcmLayout } from "./sound";

type Writer = (view: DataView, at: number, value: number) => void;

const WAYS: readonly [PcmLayout["encoding"], number, Writer][] = [
  ["u8", 1, (view, at, value) => view.setUint8(at, value * 128 + 128)],
  ["s16", 2, (view, at, value) => view.setInt16(at, value * 32_768, true)],
  [
    "s24",
    3,
    (view, at, value) => {
      view.setUint16(at, (value * 8_388_608) & 0xffff, true);
      view.setInt8(at + 2, (value * 8_388_608) >> 16);
    },
  ],
  ["s32", 4, (view, at, value) => view.setInt32(at, value * 2_147_483_648, true)],
  ["f32", 4, (view, at, value) => view.setFloat32(at, value, true)],
  ["f64", 8, (view, at, value) => view.setFloat64(at, value, true)],
];
// Exact in eight bits and in every other encoding.
const VALUES = [0, 0.5, -0.5, -1, 0.9921875, -0.0078125];

function stored(sampleBytes: number, write: Writer, channels: number, startByte: number): ArrayBuffer {
  const bytes = new ArrayBuffer(startByte + VALUES.length * channels * sampleBytes);
  const view = new DataView(bytes);
  VALUES.forEach((value, frame) => {
    // Each channel is the one before it, upside down.
    for (let channel = 0; channel < channels; channel++)
      write(view, startByte + (frame * channels + channel) * sampleBytes, channel % 2 ? Math.max(-value, -1) : value);
  });
  return bytes;
}

describe.each(WAYS)("%s", (encoding, sampleBytes, write) => {
  test.each([1, 2, 3, 8])("%i channels", (channels) => {
    const layout = { encoding, start_byte: 5, frame_bytes: channels * sampleBytes };
    const decoded = decodePcm(stored(sampleBytes, write, channels, 5), layout, channels, VALUES.length);
    expect(decoded).toHaveLength(channels);
    expect([...(decoded[0] as Float32Array)]).toEqual(VALUES);
    if (channels > 1) expect([...(decoded[1] as Float32Array)].slice(1, 3)).toEqual([-0.5, 0.5]);
  });
});

test("never reads beyond the bytes, whatever the numbers say", () => {
  const bytes = new ArrayBuffer(100);
  const layout = { encoding: "s16", start_byte: 44, frame_bytes: 4 } as const;
  expect(decodePcm(bytes, layout, 2, 1e12).map((channel) => channel.length)).toEqual([14, 14]);
  expect(decodePcm(bytes, { ...layout, start_byte: 1_000 }, 2, 10).map((channel) => channel.length)).toEqual([0, 0]);
});

test("leaves out channels beyond what can be shown", () => {
  const layout = { encoding: "u8", start_byte: 0, frame_bytes: 50 } as const;
  expect(decodePcm(new ArrayBuffer(500), layout, 50, 10)).toHaveLength(MOST_CHANNELS);
});
