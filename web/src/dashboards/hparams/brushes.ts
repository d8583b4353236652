// Brushes: on each column the values that a run may have. A run is included if every brush includes it. Pure.

import { readParts, writeParts } from "../../base/parts";
import { type Column, numberText, type SessionTable, VALUE } from "./columns";

export interface Brush {
  /** Id of the column. */
  readonly column: string;
  /** In values, both ends included; for columns of numbers. */
  readonly ranges: readonly (readonly [low: number, high: number])[];
  /** For columns with levels: their names, because codes change as runs appear. */
  readonly levels: readonly string[] | null;
  /** Includes runs without a finite value. */
  readonly missing: boolean;
}

export const isEmptyBrush = ({ ranges, levels, missing }: Brush): boolean =>
  ranges.length === 0 && (levels === null || levels.length === 0) && !missing;

/** 1 for every row that all brushes include. A brush on a column that does not exist includes all. */
export function applyBrushes(table: SessionTable, brushes: readonly Brush[]): Uint8Array {
  const included = new Uint8Array(table.rows).fill(1);
  for (const brush of brushes) {
    const column = table.byId.get(brush.column);
    if (column) applyBrush(included, column, brush);
  }
  return included;
}

function applyBrush(included: Uint8Array, { numbers, state, levels }: Column, brush: Brush): void {
  const { missing } = brush;
  if (levels) {
    const wanted = new Set(brush.levels ?? []);
    const isWanted = levels.map((level) => wanted.has(level));
    for (let row = 0; row < included.length; row++)
      if (included[row]) included[row] = Number(state[row] === VALUE ? isWanted[numbers[row] as number] : missing);
    return;
  }
  const { ranges } = brush;
  for (let row = 0; row < included.length; row++) {
    if (!included[row]) continue;
    if (state[row] !== VALUE) {
      included[row] = Number(missing);
      continue;
    }
    const value = numbers[row] as number;
    let isIn = 0;
    for (const [low, high] of ranges)
      if (value >= low && value <= high) {
        isIn = 1;
        break;
      }
    included[row] = isIn;
  }
}

export function countFlags(flags: Uint8Array): number {
  let count = 0;
  for (const flag of flags) count += flag;
  return count;
}

/** Replaces the brush of its column; an empty one is removed. */
export function withBrush(brushes: readonly Brush[], brush: Brush): readonly Brush[] {
  const at = brushes.findIndex(({ column }) => column === brush.column);
  const next = isEmptyBrush(brush) ? [] : [{ ...brush, ranges: mergeRanges(brush.ranges) }];
  return at < 0 ? [...brushes, ...next] : [...brushes.slice(0, at), ...next, ...brushes.slice(at + 1)];
}

/** In order, overlapping ones as one. */
export function mergeRanges(ranges: Brush["ranges"]): Brush["ranges"] {
  const merged: (readonly [number, number])[] = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && low <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], high)];
    else merged.push([low, high]);
  }
  return merged;
}

/** A limit that the pointer set: as few digits as keep it within a thousandth of the column's span. */
export function roundLimit(value: number, span: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  for (let digits = 2; digits < 15; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.abs(rounded - value) <= Math.min(Math.abs(value) * 0.01, span / 500)) return rounded;
  }
  return value;
}

const MAX_NAMED = 3;

/** What a chip says: "8e−5 – 6.3e−3", "adamw, lion", "2 ranges". */
export function brushText(column: Column, { ranges, levels, missing }: Brush): string {
  const parts: string[] = [];
  const named = column.levels ? (levels ?? []) : ranges.flatMap(([a, b]) => (a === b ? [numberText(column, a)] : []));
  const wide = column.levels ? [] : ranges.filter(([a, b]) => a !== b);
  if (named.length > MAX_NAMED) parts.push(`${named.length} values`);
  else parts.push(...named);
  if (wide.length === 1 && wide[0]) parts.push(`${numberText(column, wide[0][0])} – ${numberText(column, wide[0][1])}`);
  else if (wide.length > 1) parts.push(`${wide.length} ranges`);
  if (missing) parts.push("missing");
  return parts.join(", ");
}

/** For the address. */
export function writeBrushes(brushes: readonly Brush[]): string {
  return writeParts(
    brushes.map(({ column, ranges, levels, missing }) =>
      writeParts([
        column,
        ...ranges.map(([low, high]) => `${low}~${high}`),
        ...(levels ?? []).map((level) => `=${level}`),
        ...(missing ? ["?"] : []),
      ]),
    ),
  );
}

/** The address may contain anything: what makes no sense is left out. */
export function readBrushes(text: string): readonly Brush[] {
  if (text === "") return [];
  return readParts(text).flatMap((part) => {
    const [column = "", ...rest] = readParts(part);
    const ranges: [number, number][] = [];
    const levels: string[] = [];
    let missing = false;
    for (const each of rest) {
      if (each === "?") missing = true;
      else if (each.startsWith("=")) levels.push(each.slice(1));
      else {
        const [low = Number.NaN, high = Number.NaN] = each.split("~").map(Number);
        if (low <= high) ranges.push([low, high]);
      }
    }
    const brush: Brush = { column, ranges, levels: levels.length > 0 ? levels : null, missing };
    return isEmptyBrush(brush) ? [] : [brush];
  });
}
