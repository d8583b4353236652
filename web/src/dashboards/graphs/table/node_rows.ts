// All nodes of a graph as columns: filtered with the query language of the run table, sorted, and written as CSV. Pure.

import type { Cell } from "../../../base/natural";
import { QueryError, queryProblem } from "../../../state/runs/query_tokens";
import { compileQuery } from "../../../state/runs/run_query";
import type { NodeTable } from "../answer";
import type { Sort } from "../../table_sort";

export interface NodeColumn {
  readonly name: string;
  readonly isNumber: boolean;
  readonly cell: (row: number) => string | number | null;
}

export interface NodeRows {
  readonly count: number;
  /** Without ids. */
  readonly columns: readonly NodeColumn[];
  readonly byName: ReadonlyMap<string, NodeColumn>;
  readonly id: (row: number) => string;
}

/** Columns without any value are left out. */
export function readTable({ count, columns }: NodeTable): NodeRows {
  const read = columns.flatMap(({ name, values, levels, codes }): NodeColumn[] => {
    if (levels && codes) {
      if (!codes.some((code) => code >= 0 && levels[code] !== "")) return [];
      return [{ name, isNumber: false, cell: (row) => levels[codes[row] ?? -1] ?? null }];
    }
    const first = values?.find((value) => value !== null && value !== "");
    return values && first !== undefined
      ? [{ name, isNumber: typeof first === "number", cell: (row) => values[row] ?? null }]
      : [];
  });
  const byName = new Map(read.map((column) => [column.name, column]));
  const idColumn = byName.get("id") ?? byName.get("name");
  return {
    count,
    columns: read.filter(({ name }) => name !== "id"),
    byName,
    id: (row) => String(idColumn?.cell(row) ?? ""),
  };
}

export interface Filtered {
  readonly rows: readonly number[];
  /** Of the query; "": none. */
  readonly error: string;
}

const BARE = /^[^\s<>=!~()"'`]+$/;

/** A single word that is no column is looked for in the names. */
export function filterRows(table: NodeRows, query: string): Filtered {
  const all = Array.from({ length: table.count }, (_, row) => row);
  const text = query.trim();
  if (text === "") return { rows: all, error: "" };
  if (BARE.test(text)) {
    const wanted = text.toLowerCase();
    const name = table.byName.get("name");
    return {
      rows: all.filter((row) =>
        String(name?.cell(row) ?? "")
          .toLowerCase()
          .includes(wanted),
      ),
      error: "",
    };
  }
  try {
    const { matches } = compileQuery(text, {
      hparams: table.columns.map(({ name, isNumber }) => ({ name, type: isNumber ? "number" : "string" })),
      tags: new Set(),
    });
    const read = (column: { readonly name?: string }, row: string): Cell =>
      table.byName.get(column.name ?? "")?.cell(Number(row)) ?? null;
    return {
      rows: all.filter((row) => matches(String(row), (column, at) => read(column as { name?: string }, at))),
      error: "",
    };
  } catch (cause) {
    if (!(cause instanceof QueryError)) throw cause;
    return { rows: all, error: queryProblem(cause) };
  }
}

/** Rows without a value are last in either direction. */
export function sortRows(table: NodeRows, rows: readonly number[], sort: Sort | null): readonly number[] {
  const column = sort && table.byName.get(sort.column);
  if (!sort || !column) return rows;
  const sign = sort.isDescending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, cell: column.cell(row) }));
  keyed.sort((a, b) => {
    if (a.cell === b.cell) return a.row - b.row;
    if (a.cell === null || b.cell === null) return a.cell === null ? 1 : -1;
    if (typeof a.cell === "number" && typeof b.cell === "number") return (a.cell - b.cell) * sign || a.row - b.row;
    return (String(a.cell) < String(b.cell) ? -1 : 1) * sign;
  });
  return keyed.map(({ row }) => row);
}

/** The sum of a column over these rows; null: nobody has a value. */
export function sumOf(column: NodeColumn, rows: readonly number[]): number | null {
  let sum: number | null = null;
  for (const row of rows) {
    const cell = column.cell(row);
    if (typeof cell === "number") sum = (sum ?? 0) + cell;
  }
  return sum;
}

export function writeCsv({ columns }: NodeRows, rows: readonly number[]): string {
  const quoted = (cell: string | number | null): string => {
    const text = cell === null ? "" : String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map((column) => quoted(column.cell(row))).join(","));
  return `${[columns.map(({ name }) => quoted(name)).join(","), ...lines].join("\r\n")}\r\n`;
}

export function writeJson({ columns }: NodeRows, rows: readonly number[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((column) => {
        const cell = column.cell(row);
        return cell === null ? [] : [[column.name, cell]];
      }),
    ),
  );
  return JSON.stringify(objects, null, 1);
}
