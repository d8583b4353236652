// The filter of one column as a part of the query, and back: the widgets write what a user could have typed. Knows only
// its own form; other parts of the query stay as they are. Pure.

import type { Cell } from "../base/natural";
import { quoteName, quoteText, readTokens, type Token } from "../state/runs/query_tokens";
import { findBuiltIn } from "../state/runs/run_query";
import type { RunColumn } from "../state/view/view";

/** Runs without a value are listed only with `hasMissing`. */
export type ColumnFilter =
  | { readonly kind: "values"; readonly values: readonly Cell[]; readonly hasMissing: boolean }
  /** Null: no limit. */
  | {
      readonly kind: "interval";
      readonly low: number | null;
      readonly high: number | null;
      readonly hasMissing: boolean;
    };

/** The column as a query names it. */
export function operandText(column: RunColumn): string {
  if (column.kind === "info") return column.name;
  if (column.kind === "hparam") {
    const isPlain = findBuiltIn({ kind: "name", text: column.name, from: 0, to: 0 }) === undefined;
    return isPlain && !/^(label|has):/i.test(column.name)
      ? quoteName(column.name)
      : `hparam(${quoteName(column.name)})`;
  }
  const tag = quoteName(column.tag);
  if (column.stat === "at_step") return `at(${tag}, ${column.step})`;
  if (column.stat === "at_best") return `at(${tag}, ${column.best}(${quoteName(column.bestTag)}))`;
  return `${column.stat}(${tag})`;
}

const valueText = (value: Cell): string => (typeof value === "string" ? quoteText(value) : String(value));

/** "" for a filter that leaves nothing out. */
export function writeFilter(operand: string, filter: ColumnFilter): string {
  const missing = filter.hasMissing ? `${operand} is missing` : "";
  let present: string;
  if (filter.kind === "values") {
    if (filter.values.length === 0) return missing || `${operand} is missing and ${operand} is not missing`;
    const isBool = filter.values.some((value) => typeof value === "boolean");
    present = isBool
      ? filter.values.map((value) => `${operand} == ${String(value)}`).join(" or ")
      : `${operand} in (${filter.values.map(valueText).join(", ")})`;
  } else {
    const limits = [
      filter.low !== null && `${operand} >= ${filter.low}`,
      filter.high !== null && `${operand} <= ${filter.high}`,
    ].filter(Boolean);
    if (limits.length === 0) return missing ? "" : `${operand} is not missing`;
    present = limits.join(" and ");
  }
  return [present, missing].filter(Boolean).join(" or ");
}

/** The connectives outside parentheses. Throws for an invalid character. */
function connectives(query: string): Token[] {
  let depth = 0;
  return readTokens(query).filter((token) => {
    if (token.kind === "sign" && token.text === "(") depth++;
    else if (token.kind === "sign" && token.text === ")") depth--;
    return depth === 0 && token.kind === "name" && ["and", "or"].includes(token.text.toLowerCase());
  });
}

/** The parts that `and` joins; one part where `or` joins them, or where the query cannot be read. */
export function splitQuery(query: string): string[] {
  if (query.trim() === "") return [];
  let cuts: Token[] = [];
  try {
    cuts = connectives(query);
  } catch {
    // The user is still typing it.
  }
  if (cuts.some(({ text }) => text.toLowerCase() === "or")) cuts = [];
  const starts = [0, ...cuts.map(({ to }) => to)];
  const ends = [...cuts.map(({ from }) => from), query.length];
  return starts.map((from, i) => query.slice(from, ends[i]).trim());
}

function isCompound(part: string): boolean {
  try {
    return connectives(part).length > 0;
  } catch {
    return false;
  }
}

/** What a part of the query says about this column; null if it is about something else, or in another form. */
export function readFilter(part: string, operand: string): ColumnFilter | null {
  // At most one pair of parentheses, around all of it; what is written inside has none at its ends.
  let rest = part.startsWith("(") && part.endsWith(")") ? part.slice(1, -1) : part;
  const missing = `${operand} is missing`;
  if (rest === missing) return { kind: "values", values: [], hasMissing: true };
  if (rest === `${missing} and ${operand} is not missing`) return { kind: "values", values: [], hasMissing: false };
  if (rest === `${operand} is not missing`) return { kind: "interval", low: null, high: null, hasMissing: false };
  const hasMissing = rest.endsWith(` or ${missing}`);
  if (hasMissing) rest = rest.slice(0, -` or ${missing}`.length);
  if (!rest.startsWith(`${operand} `)) return null;
  const filter =
    readValues(rest.slice(operand.length), hasMissing) ??
    readInterval(rest, operand, hasMissing) ??
    readFlags(rest, operand, hasMissing);
  // Only the form that would be written: everything else is left to the user.
  return filter && writeFilter(operand, filter) === [rest, hasMissing && missing].filter(Boolean).join(" or ")
    ? filter
    : null;
}

function readValues(text: string, hasMissing: boolean): ColumnFilter | null {
  const tokens = text.startsWith(" in (") ? readTokens(text).slice(1, -1) : [];
  if (tokens.length === 0) return null;
  const values = tokens
    .filter(({ kind }) => kind !== "sign")
    .map(({ kind, text }): Cell => (kind === "number" ? Number(text) : text));
  return { kind: "values", values, hasMissing };
}

function readInterval(text: string, operand: string, hasMissing: boolean): ColumnFilter | null {
  let low: number | null = null;
  let high: number | null = null;
  for (const limit of text.split(` and ${operand} `)) {
    const [, sign, number] = /^(>=|<=) (\S+)$/.exec(limit.replace(`${operand} `, "")) ?? [];
    if (sign === undefined || !Number.isFinite(Number(number))) return null;
    if (sign === ">=") low = Number(number);
    else high = Number(number);
  }
  return { kind: "interval", low, high, hasMissing };
}

function readFlags(text: string, operand: string, hasMissing: boolean): ColumnFilter | null {
  const values = text
    .split(" or ")
    .map((part) => ({ [`${operand} == true`]: true, [`${operand} == false`]: false })[part]);
  return values.every((value) => value !== undefined) ? { kind: "values", values, hasMissing } : null;
}

/** The filter of a column in a query; null if it has none. */
export function findFilter(query: string, column: RunColumn): ColumnFilter | null {
  const operand = operandText(column);
  return (
    splitQuery(query)
      .map((part) => readFilter(part, operand))
      .find((filter) => filter !== null) ?? null
  );
}

/** The query with another filter of this column; null removes it. */
export function withFilter(query: string, column: RunColumn, filter: ColumnFilter | null): string {
  const operand = operandText(column);
  const written = filter ? writeFilter(operand, filter) : "";
  // Always in parentheses, so that both limits of an interval stay one part.
  const clause = isCompound(written) ? `(${written})` : written;
  const parts = splitQuery(query);
  const place = parts.findIndex((part) => readFilter(part, operand) !== null);
  const others = parts.filter((part) => readFilter(part, operand) === null);
  const joined = clause === "" ? others : others.toSpliced(place < 0 ? others.length : place, 0, clause);
  return joined.length < 2
    ? joined.join("")
    : joined.map((part) => (isCompound(part) ? `(${part})` : part)).join(" and ");
}

/** For a chip: "0.001 … 0.1", "adam, sgd", "or missing". */
export function filterText(filter: ColumnFilter, text: (value: Cell) => string): string {
  const missing = filter.hasMissing ? "missing" : "";
  if (filter.kind === "values") return [...filter.values.map(text), missing].filter(Boolean).join(", ") || "none";
  const { low, high } = filter;
  const limits =
    low !== null && high !== null
      ? `${text(low)} … ${text(high)}`
      : low !== null
        ? `≥ ${text(low)}`
        : high !== null
          ? `≤ ${text(high)}`
          : "not missing";
  return missing ? `${limits} or missing` : limits;
}
