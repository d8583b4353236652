// The pixel under the pointer. All images of a tag show their values there, so that runs can be compared.

export interface Pixel {
  readonly x: number;
  readonly y: number;
}

class PointedPixel {
  #at = $state.raw<(Pixel & { readonly tag: string }) | null>(null);

  on(tag: string): Pixel | null {
    return this.#at?.tag === tag ? this.#at : null;
  }

  set(tag: string, pixel: Pixel | null): void {
    if (pixel?.x === this.#at?.x && pixel?.y === this.#at?.y && this.#at?.tag === tag) return;
    if (pixel) this.#at = { ...pixel, tag };
    else if (this.#at?.tag === tag) this.#at = null;
  }
}

export const pointedPixel = new PointedPixel();

const NAMES: Readonly<Record<number, readonly string[]>> = {
  2: ["L", "A"],
  3: ["R", "G", "B"],
  4: ["R", "G", "B", "A"],
};

/** R 255 G 0 B 12; one channel needs no name. */
export function nameValues(values: readonly number[]): string {
  const names = NAMES[values.length];
  return values.map((value, i) => (names ? `${names[i]} ${value}` : String(value))).join("  ");
}
