// The discrete Fourier transform of real samples, by halving (radix 2). Knows nothing of sound.

export class Fft {
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #order: Uint32Array;
  readonly #re: Float64Array;
  readonly #im: Float64Array;

  /** `size`: a power of two. */
  constructor(readonly size: number) {
    const bits = Math.log2(size);
    if (!Number.isInteger(bits) || bits < 1)
      throw new RangeError(`An FFT of ${size} samples: the size must be a power of two.`);
    this.#cos = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sin = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
    this.#order = new Uint32Array(size);
    for (let i = 1; i < size; i++) this.#order[i] = ((this.#order[i >> 1] as number) >> 1) | (i & 1 ? size >> 1 : 0);
    this.#re = new Float64Array(size);
    this.#im = new Float64Array(size);
  }

  /**
   * The squared magnitude of the frequencies 0 to size/2, so many times higher than the samples' own as they are many.
   */
  power(samples: Float32Array, window: Float32Array, into: Float64Array): void {
    const re = this.#re;
    const im = this.#im;
    const { size } = this;
    for (let i = 0; i < size; i++) {
      const from = this.#order[i] as number;
      re[i] = (samples[from] as number) * (window[from] as number);
      im[i] = 0;
    }
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0; k < half; k++) {
          const cos = this.#cos[k * stride] as number;
          const sin = this.#sin[k * stride] as number;
          const a = start + k;
          const b = a + half;
          const reB = (re[b] as number) * cos - (im[b] as number) * sin;
          const imB = (re[b] as number) * sin + (im[b] as number) * cos;
          re[b] = (re[a] as number) - reB;
          im[b] = (im[a] as number) - imB;
          re[a] = (re[a] as number) + reB;
          im[a] = (im[a] as number) + imB;
        }
      }
    }
    for (let i = 0; i <= size / 2; i++) into[i] = (re[i] as number) ** 2 + (im[i] as number) ** 2;
  }
}
