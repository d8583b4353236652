// Numbers on nodes and in figures: three digits and a unit. Pure.

export interface Quantity {
  readonly number: string;
  /** "ms", "MB", "M"; "" without one. */
  readonly unit: string;
}

const MINUS = "−";
const POWERS = ["", "k", "M", "G", "T", "P"] as const;
const BYTES = ["B", "kB", "MB", "GB", "TB", "PB"] as const;
const TIMES = ["µs", "ms", "s"] as const;

/** 0.041, 1.74, 60.5, 1,842 */
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : `${MINUS}∞`;
  if (value === 0) return "0";
  if (size < 0.001 || size >= 1e6) return value.toExponential(1).replace("e+", "e").replaceAll("-", MINUS);
  const decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : size >= 0.00995 ? 3 : 4;
  const text = value.toFixed(decimals).replace("-", MINUS);
  return size >= 1000 ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
}

function scaled(value: number, units: readonly string[]): Quantity {
  const size = Math.abs(value);
  // 999.6 would be written as 1000.
  const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size * 1.0005) / 3));
  const number = value / 1000 ** power;
  const isWhole = power === 0 && Number.isInteger(value);
  return { number: isWhole ? String(value).replace("-", MINUS) : threeDigits(number), unit: units[power] as string };
}

/** `unit`: as the server names it: "us", "bytes", "count", or "" for values of a training. */
export function quantity(value: number, unit: string): Quantity {
  switch (unit) {
    case "us":
    case "µs":
      return scaled(value, TIMES);
    case "bytes":
    case "B":
      return scaled(value, BYTES);
    case "":
      return { number: threeDigits(value), unit: "" };
    default:
      return scaled(value, POWERS);
  }
}

export function quantityText(value: number, unit: string): string {
  const { number, unit: shown } = quantity(value, unit);
  return shown === "" ? number : `${number} ${shown}`;
}

/** +18, −14,080 */
export function signed(value: number): string {
  const digits = String(Math.round(Math.abs(value))).replace(/\B(?=(\d{3})+$)/g, ",");
  return value === 0 ? "0" : `${value > 0 ? "+" : MINUS}${digits}`;
}

/** −0.1 %; "" where nothing changes or there is nothing to compare with. */
export function shareChange(from: number, to: number): string {
  if (from === 0 || from === to) return "";
  const percent = ((to - from) / from) * 100;
  return `${percent > 0 ? "+" : MINUS}${threeDigits(Number(Math.abs(percent).toPrecision(2)))} %`;
}
