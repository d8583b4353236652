// How the answer of an importance job is shown: bars, their labels and the axis below them. Pure.

import type { components } from "../../../api/types.gen";

/** One hyperparameter, or two that act together. */
export type ImportanceRow = components["schemas"]["ImportanceRow"];
export type ImportanceAnswer = components["schemas"]["ImportanceAnswer"];
export type ImportanceQuestion = components["schemas"]["ImportanceBody"];

export const rowLabel = ({ names }: ImportanceRow): string => names.join(" × ");
export const rowKey = ({ names }: ImportanceRow): string => names.join("\n");

/** Pairs that cannot be told from zero say nothing; single ones do: that a setting does not matter is an answer. */
export const shownRows = (rows: readonly ImportanceRow[]): ImportanceRow[] =>
  rows.filter(({ names, distinguishable }) => names.length === 1 || distinguishable);

/** 46 %, 1 %, < 1 %. */
export function shareText(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 && share > 0 ? "< 1 %" : `${percent} %`;
}

const STEPS = [0.05, 0.1, 0.2, 0.25, 0.5];

/** The end of the axis, and its ticks: at most four. */
export function axisOf(rows: readonly ImportanceRow[]): { readonly end: number; readonly ticks: readonly number[] } {
  const most = Math.min(1, Math.max(0.05, ...rows.map(({ share, high }) => Math.max(share, high))));
  const step = STEPS.find((each) => most / each <= 3.5) ?? 0.5;
  return { end: most, ticks: Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step) };
}

/** The strongest interaction, else the two strongest settings; null if there are not two. */
export function strongestPair(rows: readonly ImportanceRow[]): readonly [string, string] | null {
  const pair = rows.find(({ names, distinguishable }) => names.length === 2 && distinguishable);
  const [first, second] = pair
    ? pair.names
    : rows.filter(({ names }) => names.length === 1).map(({ names }) => names[0]);
  return first !== undefined && second !== undefined ? [first, second] : null;
}

/** How far the forest's predictions can be trusted, as a colour. */
export const trustLevel = (r2: number | null): "good" | "fair" | "poor" =>
  r2 === null || r2 < 0.3 ? "poor" : r2 < 0.6 ? "fair" : "good";
