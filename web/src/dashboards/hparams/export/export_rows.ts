// Saves all rows that the brushes leave, with the columns of the table, in its order.

import { fileName, saveFile } from "../../../base/files";
import { columnLabel } from "../column_text";
import { cellOf } from "../columns";
import type { TableModel } from "../table/session_table.svelte";
import type { FileColumn } from "./table_files";

export const EXPORTS = [
  { kind: "csv", label: "CSV", type: "text/csv" },
  { kind: "json", label: "JSON", type: "application/json" },
  { kind: "tex", label: "LaTeX (booktabs)", type: "text/x-tex" },
  { kind: "md", label: "Markdown", type: "text/markdown" },
  { kind: "parquet", label: "Parquet", type: "application/vnd.apache.parquet" },
] as const;
export type ExportKind = (typeof EXPORTS)[number]["kind"];

export function fileColumns({ sessions, rows, columns }: TableModel): readonly FileColumn[] {
  return [
    { name: "run", cells: rows.map((row) => sessions.runs[row] ?? ""), isNumeric: false },
    ...columns.map(({ column }) => ({
      // Two statistics of one tag need different names.
      name: columns.filter((other) => other.column.name === column.name).length > 1 ? columnLabel(column) : column.name,
      cells: rows.map((row) => cellOf(column, row)),
      isNumeric: column.levels === null,
    })),
  ];
}

export async function exportRows(model: TableModel, kind: ExportKind): Promise<void> {
  const columns = fileColumns(model);
  const name = fileName(["hparams"], kind);
  const { type } = EXPORTS.find((each) => each.kind === kind) ?? EXPORTS[0];
  if (kind === "parquet") {
    const { writeParquet } = await import("./parquet");
    saveFile(name, new Blob([writeParquet(columns)], { type }));
    return;
  }
  const { writeCsv, writeJson, writeLatex, writeMarkdown } = await import("./table_files");
  const write = { csv: writeCsv, json: writeJson, tex: writeLatex, md: writeMarkdown }[kind];
  saveFile(name, write(columns), type);
}
