// What is said about one event: its arguments in words and units, the known ones first. Pure.

import { formatCount } from "../../../base/count";
import { formatBytes } from "../../../base/format";
import type { Device, EventArgument, EventInfo } from "../answer";
import { formatTime } from "../trace/time_format";

/** A piece of a line; quiet ones are not what the line is about. */
export interface Piece {
  readonly text: string;
  readonly isQuiet?: boolean;
}
export interface Fact {
  readonly label: string;
  readonly pieces: readonly Piece[];
}

const quiet = (text: string): Piece => ({ text, isQuiet: true });
const plain = (text: string): Piece => ({ text });

/** Arguments by name, in lower case and without punctuation: frameworks spell them differently. */
class Arguments {
  readonly #byName: ReadonlyMap<string, unknown>;
  readonly used = new Set<string>();

  constructor(list: readonly EventArgument[]) {
    this.#byName = new Map(list.map(({ key, value }) => [plainKey(key), value]));
  }

  /** The first of these that there is, as `read` understands it; what it does not understand is not used. */
  take<T>(names: readonly string[], read: (value: unknown) => T | null): T | null {
    const name = names.find((each) => this.#byName.has(each));
    const value = name === undefined ? null : read(this.#byName.get(name));
    if (name !== undefined && value !== null) this.used.add(name);
    return value;
  }

  number = (...names: readonly string[]): number | null => this.take(names, numberOf);
  size = (...names: readonly string[]): string | null => this.take(names, sizeText);
  text = (...names: readonly string[]): string | null =>
    this.take(names, (value) => (typeof value === "string" && value !== "" ? value : null));
}

function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export const plainKey = (key: string): string =>
  key
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

/** "32,768 × 1 × 1" of [32768, 1, 1] or "32768,1,1". */
export function sizeText(value: unknown): string | null {
  const parts = Array.isArray(value) ? value : typeof value === "string" ? value.split(/[\s,x×]+/) : [];
  const numbers = parts.map(Number);
  if (numbers.length === 0 || numbers.length > 3 || !numbers.every((each) => Number.isInteger(each) && each >= 0))
    return null;
  return numbers.map(formatCount).join(" × ");
}

/** "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:50" as XLA and TensorFlow write it. */
export function kernelDetails(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/(\w+):([\w.,]+)/g)].map(([, name, value]) => [name as string, value as string]));
}

const RATES = ["", "k", "M", "G", "T", "P"] as const;
/** 378 TFLOP/s, 1.3 TB/s. */
export function rateText(perSecond: number, unit: string): string {
  const power = perSecond < 1 ? 0 : Math.min(Math.floor(Math.log10(perSecond) / 3), RATES.length - 1);
  return `${Number((perSecond / 1000 ** power).toPrecision(3))} ${RATES[power]}${unit}/s`;
}
const percentText = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;
const kibibytes = (bytes: number): string =>
  bytes >= 1024 ? `${Number((bytes / 1024).toPrecision(4))} KiB` : `${formatCount(bytes)} B`;

/** How an argument is written that has no words of its own. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "";
}

export interface Facts {
  readonly facts: readonly Fact[];
  /** Every argument that the facts do not tell. */
  readonly others: readonly { readonly key: string; readonly value: string }[];
}

/** `device`: the one that it ran on. */
export function factsOf(info: EventInfo, stepNumber: number | null, device: Device | null, unit: string): Facts {
  const given = new Arguments(info.arguments);
  const facts: Fact[] = [];
  const add = (label: string, pieces: readonly (Piece | null)[]): void => {
    const there = pieces.filter((piece) => piece !== null);
    if (there.length > 0) facts.push({ label, pieces: there });
  };
  const seconds = info.duration_ps / 1e12;

  add(unit === "bytes" ? "Size" : "Duration", [
    plain(formatTime(info.duration_ps, unit)),
    quiet(
      info.in_step_ps === null || stepNumber === null
        ? `at ${formatTime(info.start_ps, unit)}`
        : `at ${formatTime(info.in_step_ps, unit)} of step ${formatCount(stepNumber)}`,
    ),
    info.children > 0 && info.self_ps !== info.duration_ps
      ? quiet(`${formatTime(info.self_ps, unit)} by itself`)
      : null,
  ]);
  const operation = info.operation && info.operation.event !== info.event ? info.operation.name : null;
  const scope = given.text("tf op", "long name", "hlo op");
  add(info.module ? (operation ? "Op, module" : "Module") : "Op", [
    operation ? plain(info.module ? `${operation},` : operation) : null,
    info.module ? plain(info.module) : null,
    !operation && !info.module && scope ? plain(scope) : null,
  ]);
  // Scalars among the inputs have no shape.
  const shapes = info.shapes.filter(({ shape }) => shape !== "" && shape !== "[]");
  if (shapes.length > 0) {
    const types = new Set(shapes.map(({ type }) => type).filter(Boolean));
    add("Inputs", [
      plain(shapes.map(({ shape }) => shape).join(", ")),
      types.size > 0 ? quiet([...types].join(", ")) : null,
    ]);
    for (const name of ["input dims", "input type"]) given.take([name], () => true);
  }

  const flops = given.number("flops", "model flops", "flop");
  const bytes = given.number("bytes", "bytes accessed", "bytes transferred");
  const bandwidth = given.number("memory bandwidth gb s");
  const rates: (Piece | null)[] = [];
  if (flops !== null && flops > 0 && seconds > 0) {
    rates.push(plain(rateText(flops / seconds, "FLOP")));
    if (device?.peak_flops) rates.push(quiet(`${percentText(flops / seconds / device.peak_flops)} of peak`));
  }
  if (bytes !== null && bytes > 0 && seconds > 0) {
    const perSecond = bandwidth === null ? bytes / seconds : bandwidth * 1e9;
    rates.push(plain(rateText(perSecond, "B")));
    if (device?.bandwidth_bytes && flops === null)
      rates.push(quiet(`${percentText(perSecond / device.bandwidth_bytes)} of peak`));
  }
  add("Rate", rates);
  if (bytes !== null) add("Bytes", [plain(formatBytes(bytes)), quiet(formatCount(bytes))]);

  const written = given.text("kernel details");
  const details = written === null ? null : kernelDetails(written);
  const grid = given.size("grid") ?? sizeText(details?.get("grid"));
  const block = given.size("block") ?? sizeText(details?.get("block"));
  add("Grid, block", [
    grid === null ? null : plain(block === null ? grid : `${grid},`),
    block === null ? null : plain(block),
  ]);
  const registers = given.number("registers per thread") ?? numberOf(details?.get("regs"));
  const shared =
    given.number("shared memory") ??
    sumOf(numberOf(details?.get("static_shared")), numberOf(details?.get("dynamic_shared")));
  add("Registers", [
    registers === null ? null : plain(formatCount(registers)),
    registers === null ? null : quiet("per thread"),
    shared === null || shared === 0 ? null : plain(kibibytes(shared)),
    shared === null || shared === 0 ? null : quiet("shared"),
  ]);
  const occupancy = given.number("est achieved occupancy") ?? numberOf(details?.get("occ_pct"));
  if (occupancy !== null) add("Occupancy", [plain(`${Number(occupancy.toPrecision(3))} %`)]);

  const others = info.arguments
    .filter(({ key }) => !given.used.has(plainKey(key)))
    .map(({ key, value }) => ({ key, value: valueText(value) }));
  return { facts, others };
}

const sumOf = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);
