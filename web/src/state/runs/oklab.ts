// How far apart two colours look: the distance in OKLab, where equal distances look about equal. Pure; colours are
// #rrggbb.

export type Lab = readonly [lightness: number, a: number, b: number];

export function toOklab(hex: string): Lab {
  const linear = (at: number): number => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  };
  const [r, g, b] = [linear(1), linear(3), linear(5)];
  const l = Math.cbrt(0.4122215 * r + 0.5363325 * g + 0.051446 * b);
  const m = Math.cbrt(0.2119035 * r + 0.6806995 * g + 0.107397 * b);
  const s = Math.cbrt(0.0883025 * r + 0.2817188 * g + 0.6299787 * b);
  return [
    0.2104543 * l + 0.7936178 * m - 0.004072 * s,
    1.9779985 * l - 2.4285922 * m + 0.4505937 * s,
    0.025904 * l + 0.7827718 * m - 0.8086758 * s,
  ];
}

/** `Math.hypot` takes several times as long, and all pairs of shown colours are asked for. */
export const distance = (a: Lab, b: Lab): number =>
  Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);

/** `share`: the part of the second colour, 0 to 1. Mixes red, green and blue. */
export function mixHex(a: string, b: string, share: number): string {
  const parts = [1, 3, 5].map((i) => {
    const [from, to] = [Number.parseInt(a.slice(i, i + 2), 16), Number.parseInt(b.slice(i, i + 2), 16)];
    return Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${parts.join("")}`;
}
