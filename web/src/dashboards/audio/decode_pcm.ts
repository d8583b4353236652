// Decodes PCM of a WAV into numbers from −1 to 1, exactly as stored. The server says where the PCM is; nothing is read
// beyond the bytes that came.

import type { PcmLayout } from "./sound";

type Reader = (view: DataView, at: number) => number;

const BYTES: Readonly<Record<PcmLayout["encoding"], number>> = { u8: 1, s16: 2, s24: 3, s32: 4, f32: 4, f64: 8 };
const READERS: Readonly<Record<PcmLayout["encoding"], Reader>> = {
  u8: (view, at) => (view.getUint8(at) - 128) / 128,
  s16: (view, at) => view.getInt16(at, true) / 32_768,
  s24: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608,
  s32: (view, at) => view.getInt32(at, true) / 2_147_483_648,
  f32: (view, at) => view.getFloat32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
};

/** Further channels are left out. */
export const MOST_CHANNELS = 8;

export function decodePcm(
  bytes: ArrayBuffer,
  layout: PcmLayout,
  channelCount: number,
  frameCount: number,
): Float32Array[] {
  const { start_byte: start, frame_bytes: frameBytes, encoding } = layout;
  const view = new DataView(bytes);
  const frames = Math.max(0, Math.min(frameCount, Math.floor((bytes.byteLength - start) / frameBytes)));
  const valueBytes = BYTES[encoding];
  const count = Math.min(channelCount, MOST_CHANNELS, Math.floor(frameBytes / valueBytes));
  const read = READERS[encoding];
  return Array.from({ length: count }, (_, channel) => {
    const pcm = new Float32Array(frames);
    let at = start + channel * valueBytes;
    for (let i = 0; i < frames; i++, at += frameBytes) pcm[i] = read(view, at);
    return pcm;
  });
}
