// Searches that are conditions on columns, such as `label = Shirt and predicted != Shirt`: the query language of the
// run table over points. Pure.

import { compileQuery } from "../../state/runs/run_query";
import { QueryError, queryProblem, readTokens } from "../../state/runs/query_tokens";
import type { Column, ColumnInfo } from "./answer";
import { cellOf } from "./columns.svelte";

const SIGNS: Readonly<Record<string, string>> = { "≠": "!=", "≤": "<=", "≥": ">=" };
const plain = (text: string): string => text.replace(/[≠≤≥]/g, (sign) => SIGNS[sign] ?? sign);

export interface Condition {
  /** The columns that it reads. */
  readonly names: readonly string[];
  /** "": it can be tested. */
  readonly error: string;
  readonly find: (columns: ReadonlyMap<string, Column>, count: number) => Int32Array;
}

/** Null: no condition, but text to search for. */
export function readCondition(text: string, infos: readonly ColumnInfo[]): Condition | null {
  const names = new Map(infos.map((info) => [info.name, info]));
  try {
    const tokens = readTokens(plain(text));
    // A word that is no column, or one without a comparison, is text that points may have.
    const isColumn = (at: number): boolean =>
      ["name", "quoted"].includes(tokens[at]?.kind ?? "") && names.has(tokens[at]?.text ?? "");
    const isCompared = tokens.some(
      ({ kind, text: sign }, at) =>
        isColumn(at - 1) &&
        ((kind === "sign" && !"(),".includes(sign)) || (kind === "name" && /^(in|is|not)$/i.test(sign))),
    );
    if (!isCompared) return null;
  } catch {
    return null;
  }
  const failed = (error: string): Condition => ({ names: [], error, find: () => new Int32Array() });
  try {
    const { matches, columns } = compileQuery(plain(text), {
      hparams: infos.map(({ name, type }) => ({ name, type: type === "number" ? "number" : "string" })),
      tags: new Set(),
    });
    const read = [...new Set(columns.map((column) => ("name" in column ? String(column.name) : "")))];
    const unknown = read.find((name) => !names.has(name));
    if (unknown !== undefined) return failed(`There is no column “${unknown}”.`);
    return {
      names: read,
      error: "",
      find: (loaded, count) => {
        const found: number[] = [];
        for (let row = 0; row < count; row++) {
          const isMatch = matches("", (column) => {
            const values = "name" in column ? loaded.get(String(column.name)) : undefined;
            return values ? cellOf(values, row) : null;
          });
          if (isMatch) found.push(row);
        }
        return Int32Array.from(found);
      },
    };
  } catch (cause) {
    if (!(cause instanceof QueryError)) throw cause;
    return failed(queryProblem(cause));
  }
}
