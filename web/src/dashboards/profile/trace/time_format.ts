// Times and durations of a trace in readable units. Where the axis is not time, amounts of bytes.

const UNITS = [
  { ps: 60e12, name: "min" },
  { ps: 1e12, name: "s" },
  { ps: 1e9, name: "ms" },
  { ps: 1e6, name: "µs" },
  { ps: 1e3, name: "ns" },
  { ps: 1, name: "ps" },
] as const;
const BYTES = [
  { ps: 2 ** 40, name: "TiB" },
  { ps: 2 ** 30, name: "GiB" },
  { ps: 2 ** 20, name: "MiB" },
  { ps: 2 ** 10, name: "KiB" },
  { ps: 1, name: "B" },
] as const;

export type AxisUnit = "ps" | "bytes";

const unitsOf = (unit: string): readonly { readonly ps: number; readonly name: string }[] =>
  unit === "bytes" ? BYTES : UNITS;

/** 27.2 ms, 920 µs, 1.836 s: four digits at most. */
export function formatTime(ps: number, unit: string = "ps"): string {
  const units = unitsOf(unit);
  const size = Math.abs(ps);
  const { ps: per, name } = units.find((each) => size >= each.ps) ?? (units.at(-1) as (typeof units)[number]);
  const value = size / per;
  const text = value >= 1000 || per === 1 ? Math.round(value).toLocaleString("en") : trim(value.toPrecision(4));
  return `${ps < 0 ? "−" : ""}${text} ${name}`;
}

const trim = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** Texts for ticks that are `step` apart: all in one unit, with as many decimals as tell them apart. */
export function tickFormat(step: number, largest: number, unit: string = "ps"): (ps: number) => string {
  const units = unitsOf(unit);
  // The unit of the largest number that stands there, unless its ticks would need too many decimals.
  const found =
    units.find(({ ps }) => largest >= ps && step >= ps / 10_000) ?? (units.at(-1) as (typeof units)[number]);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / found.ps) - 1e-9));
  return (ps) => {
    const text = (Math.abs(ps) / found.ps).toLocaleString("en", {
      minimumFractionDigits: 0,
      maximumFractionDigits: decimals,
    });
    return `${ps < 0 && text !== "0" ? "−" : ""}${text} ${found.name}`;
  };
}

/** A round distance between ticks: at most `most` of them in `length`. */
export function tickStep(length: number, most: number, unit: string = "ps"): number {
  const rough = length / Math.max(1, most);
  if (!(rough > 0)) return 1;
  if (unit === "bytes") return 2 ** Math.max(0, Math.ceil(Math.log2(rough)));
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  return Math.max(1, factor * power);
}
