// Loudness of a clip after ITU-R BS.1770 as EBU R 128 uses it: K-weighted, over 400 ms blocks, quiet ones gated out.
// All channels have the same weight, because logs do not say where the speakers are.

const BLOCK_S = 0.4;
const HOP_S = 0.1;
const SILENCE = -70;
const RELATIVE_GATE = -10;
const OFFSET = -0.691;
/** The loudness of matched clips. */
export const TARGET_LUFS = -23;

interface Biquad {
  readonly b: readonly [number, number, number];
  readonly a: readonly [number, number];
}

/** The two K-weighting filters for any sample rate: a high shelf and a high pass. */
function weighting(rate: number): readonly Biquad[] {
  const shelf = (() => {
    const k = Math.tan((Math.PI * 1_681.974450955533) / rate);
    const q = 0.7071752369554196;
    const high = 10 ** (3.999843853973347 / 20);
    const band = high ** 0.4996667741545416;
    const a0 = 1 + k / q + k * k;
    return {
      b: [(high + (band * k) / q + k * k) / a0, (2 * (k * k - high)) / a0, (high - (band * k) / q + k * k) / a0],
      a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0],
    } as const;
  })();
  const k = Math.tan((Math.PI * 38.13547087602444) / rate);
  const q = 0.5003270373238773;
  const a0 = 1 + k / q + k * k;
  return [shelf, { b: [1, -2, 1], a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0] }];
}

/** Running sums of the weighted squares, one for every hop. */
function hopEnergies(samples: Float32Array, rate: number, hop: number): Float64Array {
  const sums = new Float64Array(Math.ceil(samples.length / hop));
  const [first, second] = weighting(rate) as [Biquad, Biquad];
  let x1 = 0,
    x2 = 0,
    y1 = 0,
    y2 = 0,
    z1 = 0,
    z2 = 0;
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i] as number;
    const y = first.b[0] * x + first.b[1] * x1 + first.b[2] * x2 - first.a[0] * y1 - first.a[1] * y2;
    const z = second.b[0] * y + second.b[1] * y1 + second.b[2] * y2 - second.a[0] * z1 - second.a[1] * z2;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
    z2 = z1;
    z1 = z;
    const at = Math.floor(i / hop);
    sums[at] = (sums[at] as number) + z * z;
  }
  return sums;
}

const toLufs = (power: number): number => OFFSET + 10 * Math.log10(power);
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** In LUFS; −∞ for silence. A clip shorter than a block is one. */
export function measureLoudness(channels: readonly Float32Array[], rate: number): number {
  const frames = channels[0]?.length ?? 0;
  if (frames === 0) return -Infinity;
  // A filter at less than twice its frequency would be none; such clips are odd, and their rate may be a lie.
  const usable = Math.max(rate, 4_000);
  const hop = Math.max(1, Math.round(usable * HOP_S));
  const perChannel = channels.map((samples) => hopEnergies(samples, usable, hop));
  const hops = Array.from({ length: perChannel[0]?.length ?? 0 }, (_, i) =>
    perChannel.reduce((sum, sums) => sum + (sums[i] as number), 0),
  );
  const perBlock = Math.round(BLOCK_S / HOP_S);
  const whole = Math.floor(frames / hop);
  const powers: number[] = [];
  for (let i = 0; i + perBlock <= whole; i++)
    powers.push(hops.slice(i, i + perBlock).reduce((sum, energy) => sum + energy, 0) / (hop * perBlock));
  if (powers.length === 0) powers.push(hops.reduce((sum, energy) => sum + energy, 0) / frames);
  const heard = powers.filter((power) => toLufs(power) > SILENCE);
  if (heard.length === 0) return -Infinity;
  const gate = toLufs(meanOf(heard)) + RELATIVE_GATE;
  return toLufs(meanOf(heard.filter((power) => toLufs(power) > gate)));
}

/** What brings a clip to the common loudness without its peaks being cut off. */
export function matchingGain(loudness: number, peak: number): { readonly dB: number; readonly isHeldByPeak: boolean } {
  if (!Number.isFinite(loudness) || peak <= 0) return { dB: 0, isHeldByPeak: false };
  const wanted = TARGET_LUFS - loudness;
  const most = -20 * Math.log10(peak);
  return wanted > most ? { dB: most, isHeldByPeak: true } : { dB: wanted, isHeldByPeak: false };
}

export const gainOf = (dB: number): number => 10 ** (dB / 20);
