import { expect, it } from "vitest";
import {
  axisOf,
  type ImportanceRow,
  rowLabel,
  shareText,
  shownRows,
  strongestPair,
  trustLevel,
} from "./importance_rows";

const row = (share: number, distinguishable: boolean, ...names: string[]): ImportanceRow => ({
  names,
  share,
  low: share - 0.05,
  high: share + 0.05,
  n: 60,
  distinguishable,
});
const rows = [
  row(0.46, true, "lr"),
  row(0.19, true, "optimizer", "lr"),
  row(0.12, true, "optimizer"),
  row(0.01, false, "batch"),
  row(0.004, false, "batch", "lr"),
];

it("keeps settings that do not matter, and drops pairs that do not", () => {
  expect(shownRows(rows).map(rowLabel)).toEqual(["lr", "optimizer × lr", "optimizer", "batch"]);
});

it("writes shares as whole percent", () => {
  expect([0.46, 0.004, 0].map(shareText)).toEqual(["46 %", "< 1 %", "0 %"]);
});

it("ends the axis where the bars do", () => {
  expect(axisOf(rows)).toEqual({ end: 0.51, ticks: [0, 0.2, 0.4] });
  expect(axisOf([])).toEqual({ end: 0.05, ticks: [0, 0.05] });
});

it("finds the pair to look at", () => {
  expect(strongestPair(rows)).toEqual(["optimizer", "lr"]);
  expect(strongestPair(rows.filter(({ names }) => names.length === 1))).toEqual(["lr", "optimizer"]);
  expect(strongestPair([row(1, true, "lr")])).toBeNull();
});

it("says how far to trust the forest", () => {
  expect([0.87, 0.4, 0.1, null].map(trustLevel)).toEqual(["good", "fair", "poor", "poor"]);
});
