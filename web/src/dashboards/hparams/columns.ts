// The sessions of a sweep as columns of numbers: every brush, sort and colour is computed from these arrays. Pure.

import { formatCount } from "../../base/count";
import { formatDuration, formatTime, formatValue } from "../../base/format";
import type { Cell } from "../../base/natural";
import type {
  CodedValues,
  Goal,
  HParamAnswer,
  MetricAnswer,
  MetricQuery,
  MetricStat,
  NumberText,
  TableAnswer,
} from "./answer";

export type ColumnKind = "hparam" | "metric" | "session";
export type ColumnType = "number" | "string" | "bool" | "mixed" | "time" | "duration";

/** States of a cell. */
export const VALUE = 0;
export const MISSING = 1;
export const NOT_A_NUMBER = 2;
export const PLUS_INFINITY = 3;
export const MINUS_INFINITY = 4;
/** By state. */
const NOT_FINITE = [Number.NaN, Number.NaN, Number.NaN, Infinity, -Infinity];
const STATE_TEXT = ["", "", "NaN", "∞", "−∞"];

export interface Column {
  readonly id: string;
  readonly name: string;
  /** What distinguishes it from others of this name: "last", "at step 100". */
  readonly detail: string;
  readonly kind: ColumnKind;
  readonly type: ColumnType;
  /** NaN where there is no finite number; the level's index where there are levels. */
  readonly numbers: Float64Array;
  readonly state: Uint8Array;
  readonly levels: readonly string[] | null;
  readonly goal: Goal | null;
  readonly description: string;
  /** Where the value was found, such as "record" or "config.yaml". */
  readonly source: string;
  readonly problem: string | null;
  /** How many different values; missing ones do not count. */
  readonly distinct: number;
  /** How many cells have no value at all. */
  readonly missing: number;
}

export interface SessionTable {
  readonly rows: number;
  readonly runs: readonly string[];
  readonly members: readonly (readonly string[])[];
  readonly columns: readonly Column[];
  readonly byId: ReadonlyMap<string, Column>;
  readonly rowOfRun: ReadonlyMap<string, number>;
}

export const EMPTY_TABLE: SessionTable = makeTable([], [], []);

/** The same in all sessions: nothing to compare. */
export const isConstant = ({ distinct, missing }: Column): boolean => distinct <= 1 && missing === 0;
export const isNumeric = ({ levels }: Column): boolean => levels === null;

export function readTable(answer: TableAnswer, goals: ReadonlyMap<string, Goal> = NO_GOALS): SessionTable {
  const { runs, started, ended } = answer;
  const duration = started.map((start, i) => {
    const end = ended[i] ?? null;
    return start === null || end === null ? null : end - start;
  });
  return makeTable(runs, answer.members, [
    ...answer.metrics.map((metric) => readMetric(metric, goals)),
    ...answer.hparams.map(readHParam),
    readCoded({ id: "s:status", name: "status" }, answer.status),
    readCoded({ id: "s:group", name: "group" }, answer.group),
    readNumbers({ id: "s:started", name: "started", kind: "session", type: "time" }, started),
    readNumbers({ id: "s:duration", name: "duration", kind: "session", type: "duration" }, duration),
    readCoded({ id: "s:host", name: "host" }, answer.host),
  ]);
}
const NO_GOALS: ReadonlyMap<string, Goal> = new Map();

function makeTable(
  runs: readonly string[],
  members: readonly (readonly string[])[],
  columns: readonly Column[],
): SessionTable {
  const rowOfRun = new Map<string, number>();
  members.forEach((names, row) => names.forEach((name) => rowOfRun.set(name, row)));
  runs.forEach((name, row) => rowOfRun.set(name, row));
  return {
    rows: runs.length,
    runs,
    members,
    columns,
    byId: new Map(columns.map((column) => [column.id, column])),
    rowOfRun,
  };
}

/** The rows with a flag, in order; the table itself if those are all. */
export function pickRows(table: SessionTable, flags: Uint8Array): SessionTable {
  const kept: number[] = [];
  for (let row = 0; row < table.rows; row++) if (flags[row]) kept.push(row);
  if (kept.length === table.rows) return table;
  const columns = table.columns.map((column) => {
    const numbers = new Float64Array(kept.length);
    const state = new Uint8Array(kept.length);
    for (let i = 0; i < kept.length; i++) {
      numbers[i] = column.numbers[kept[i] as number] as number;
      state[i] = column.state[kept[i] as number] as number;
    }
    return { ...column, numbers, state, ...countValues(numbers, state) };
  });
  const pick = <T>(list: readonly T[]): T[] => kept.map((row) => list[row] as T);
  return makeTable(pick(table.runs), pick(table.members), columns);
}

type Head = Pick<Column, "id" | "name" | "kind" | "type"> &
  Partial<Pick<Column, "detail" | "goal" | "description" | "source" | "problem">>;
type Counts = Pick<Column, "distinct" | "missing">;
const NO_DETAILS = { detail: "", goal: null, description: "", source: "", problem: null };

function readNumbers(head: Head, values: readonly NumberText[], counts?: Counts): Column {
  const numbers = new Float64Array(values.length);
  const state = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? null;
    const number = value === null ? Number.NaN : Number(value);
    numbers[i] = Number.isFinite(number) ? number : Number.NaN;
    state[i] =
      value === null
        ? MISSING
        : Number.isNaN(number)
          ? NOT_A_NUMBER
          : number === Infinity
            ? PLUS_INFINITY
            : number === -Infinity
              ? MINUS_INFINITY
              : VALUE;
  }
  return { ...NO_DETAILS, ...head, numbers, state, levels: null, ...(counts ?? countValues(numbers, state)) };
}

function readLevels(head: Head, { levels, codes }: CodedValues, counts?: Counts): Column {
  const numbers = new Float64Array(codes.length);
  const state = new Uint8Array(codes.length);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? -1;
    numbers[i] = code < 0 ? Number.NaN : code;
    state[i] = code < 0 ? MISSING : VALUE;
  }
  return { ...NO_DETAILS, ...head, numbers, state, levels, ...(counts ?? countValues(numbers, state)) };
}

/** A column of the session itself: only levels that occur, and "" means missing. */
function readCoded({ id, name }: { id: string; name: string }, { levels, codes }: CodedValues): Column {
  const isUsed = new Set(codes);
  const kept = levels.map((_, code) => code).filter((code) => isUsed.has(code) && levels[code] !== "");
  const place = new Map(kept.map((code, i) => [code, i]));
  return readLevels(
    { id, name, kind: "session", type: "string" },
    { levels: kept.map((code) => levels[code] as string), codes: codes.map((code) => place.get(code) ?? -1) },
  );
}

function readHParam(hparam: HParamAnswer): Column {
  const { name, display_name, description, type, source, problem, distinct, missing, values, levels, codes } = hparam;
  const counts = { distinct, missing };
  const head: Head = {
    id: `h:${name}`,
    name: display_name || name,
    kind: "hparam",
    type,
    description,
    source,
    problem,
  };
  return levels && codes ? readLevels(head, { levels, codes }, counts) : readNumbers(head, values ?? [], counts);
}

function readMetric(metric: MetricAnswer, goals: ReadonlyMap<string, Goal>): Column {
  const id = metricId(metric);
  const { group, tag, display_name, description, problem, values } = metric;
  return readNumbers(
    {
      id,
      name: display_name || (group ? `${group}/${tag}` : tag),
      detail: statText(metric),
      kind: "metric",
      type: "number",
      goal: goals.get(id) ?? metric.goal,
      description,
      problem,
    },
    values,
  );
}

function countValues(numbers: Float64Array, state: Uint8Array): Counts {
  const seen = new Set<number>();
  let missing = 0;
  for (let i = 0; i < numbers.length; i++) {
    const what = state[i] as number;
    if (what === MISSING) missing++;
    else seen.add(what === VALUE ? (numbers[i] as number) : (NOT_FINITE[what] as number));
  }
  return { distinct: seen.size, missing };
}

/** "m:GROUP|TAG|STAT", where STAT may carry a step or another metric. */
export function metricId({ group, tag, stat, step, best_group, best_tag, best }: MetricQuery): string {
  const parts = [group, tag, stat];
  if (stat === "at_step") parts.push(String(step ?? 0));
  if (stat === "at_best") parts.push(best ?? "min", best_group ?? "", best_tag ?? "");
  return `m:${parts.map((part) => part.replace(/[\\|]/g, "\\$&")).join("|")}`;
}

function splitBars(text: string): string[] {
  const parts = [""];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "|") parts.push("");
    else parts.push(`${parts.pop() ?? ""}${(text[i] === "\\" ? text[++i] : text[i]) ?? ""}`);
  }
  return parts;
}

const STATS: ReadonlySet<string> = new Set<MetricStat>(["last", "min", "max", "mean", "at_step", "at_best"]);

/** Null if it is not the id of a metric. */
export function readMetricId(id: string): MetricQuery | null {
  if (!id.startsWith("m:")) return null;
  const [group = "", tag = "", stat = "", ...rest] = splitBars(id.slice(2));
  if (!STATS.has(stat)) return null;
  const query: MetricQuery = { group, tag, stat: stat as MetricStat };
  if (stat === "at_step") return { ...query, step: Number(rest[0]) || 0 };
  if (stat !== "at_best") return query;
  return { ...query, best: rest[0] === "max" ? "max" : "min", best_group: rest[1] ?? "", best_tag: rest[2] ?? "" };
}

export function statText({ stat, step, best, best_group, best_tag }: MetricQuery): string {
  if (stat === "at_step") return `at step ${formatCount(step ?? 0)}`;
  if (stat === "at_best") return `at ${best ?? "min"} of ${best_group ? `${best_group}/` : ""}${best_tag ?? ""}`;
  return stat;
}

/** For sorting, queries and files; null: missing. */
export function cellOf({ numbers, state, levels, type }: Column, row: number): Cell {
  const what = state[row] ?? MISSING;
  if (what === MISSING) return null;
  if (what !== VALUE) return NOT_FINITE[what] as number;
  const number = numbers[row] as number;
  if (levels === null) return number;
  const level = levels[number] as string;
  return type === "bool" ? level === "true" || level === "True" : level;
}

const SHORT = 7;

/** A value of a numeric column, as people write it. */
export function numberText({ kind, type }: Pick<Column, "kind" | "type">, value: number): string {
  if (type === "time") return formatTime(value);
  if (type === "duration") return formatDuration(value);
  if (kind === "hparam") return shortNumber(value);
  return Number.isInteger(value) && Math.abs(value) < 1e9
    ? (value < 0 ? "−" : "") + formatCount(Math.abs(value))
    : formatValue(value);
}

/** Short numbers are shown as they were typed, long ones with three digits: 64, 0.04, 5.7e-4. */
function shortNumber(value: number): string {
  const size = Math.abs(value);
  const plain = size !== 0 && size < 1e-2 ? value.toExponential() : String(value);
  if (plain.length <= SHORT) return plain.replace("e+", "e").replaceAll("-", "−");
  if (Number.isInteger(value) && size < 1e12) return (value < 0 ? "−" : "") + formatCount(size);
  const short = size < 1e-2 || size >= 1e6 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
  return short.replace("e+", "e").replaceAll("-", "−");
}

/** "" for a missing value. */
export function cellText(column: Column, row: number): string {
  const what = column.state[row] ?? MISSING;
  if (what !== VALUE) return STATE_TEXT[what] as string;
  const number = column.numbers[row] as number;
  return column.levels ? (column.levels[number] ?? "") : numberText(column, number);
}

/** What the cells without a finite number are: "missing", "NaN", "missing or NaN". */
export function absentText({ state }: Column): string {
  let hasMissing = false;
  let hasNan = false;
  let hasInfinite = false;
  for (const what of state) {
    if (what === MISSING) hasMissing = true;
    else if (what === NOT_A_NUMBER) hasNan = true;
    else if (what !== VALUE) hasInfinite = true;
  }
  return [hasMissing && "missing", hasNan && "NaN", hasInfinite && "±∞"].filter(Boolean).join(", ");
}
