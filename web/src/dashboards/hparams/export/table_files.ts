// A table as a file: CSV, JSON, LaTeX and Markdown. Pure.

import type { Cell } from "../../../base/natural";

export interface FileColumn {
  readonly name: string;
  readonly cells: readonly Cell[];
  /** All cells are numbers or missing. */
  readonly isNumeric: boolean;
}

const DIGITS = 4;

/** NaN and infinities as Python's float() reads them. */
function exactText(cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "number" || Number.isFinite(cell)) return String(cell);
  return Number.isNaN(cell) ? "nan" : cell > 0 ? "inf" : "-inf";
}

/** All digits of numbers; missing values are empty. */
export function writeCsv(columns: readonly FileColumn[]): string {
  const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [columns.map(({ name }) => quote(name)).join(",")];
  const rows = columns[0]?.cells.length ?? 0;
  for (let row = 0; row < rows; row++) lines.push(columns.map(({ cells }) => quote(exactText(cells[row]))).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

/** One object per row; JSON has no NaN and no infinities: they are texts, as in the server's answers. */
export function writeJson(columns: readonly FileColumn[]): string {
  const rows = columns[0]?.cells.length ?? 0;
  const names: Readonly<Record<string, string>> = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" };
  const value = (cell: Cell | undefined): Cell =>
    typeof cell === "number" && !Number.isFinite(cell) ? (names[exactText(cell)] ?? null) : (cell ?? null);
  const objects = Array.from({ length: rows }, (_, row) =>
    JSON.stringify(Object.fromEntries(columns.map(({ name, cells }) => [name, value(cells[row])]))),
  );
  return `[\n${objects.join(",\n")}\n]\n`;
}

/** Significant digits, without zeros at the end of long fractions: 0.9522, 5.7e-4, 128. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return exactText(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return String(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7))
    return value
      .toExponential(DIGITS - 1)
      .replace(/\.?0+e/, "e")
      .replace("e+", "e");
  return String(Number(value.toPrecision(DIGITS)));
}

const shortText = (cell: Cell | undefined, missing: string): string =>
  cell === null || cell === undefined ? missing : typeof cell === "number" ? significant(cell) : String(cell);

const LATEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
  "{": "\\{",
  "}": "\\}",
};
const escapeLatex = (text: string): string =>
  text.replace(/[\\~^&%$#_{}]/g, (sign) => LATEX[sign] ?? sign).replace(/\s+/g, " ");

function latexCell(cell: Cell | undefined): string {
  if (typeof cell !== "number") return cell === null || cell === undefined ? "--" : escapeLatex(String(cell));
  if (!Number.isFinite(cell)) return Number.isNaN(cell) ? "NaN" : cell > 0 ? "$\\infty$" : "$-\\infty$";
  const [digits = "", power] = significant(cell).split("e");
  return power === undefined ? (cell < 0 ? `$${digits}$` : digits) : `$${digits} \\times 10^{${power}}$`;
}

/** A table for the booktabs package. */
export function writeLatex(columns: readonly FileColumn[]): string {
  const rows = columns[0]?.cells.length ?? 0;
  const line = (cells: readonly string[]): string => `  ${cells.join(" & ")} \\\\`;
  return [
    "% needs \\usepackage{booktabs}",
    `\\begin{tabular}{${columns.map(({ isNumeric }) => (isNumeric ? "r" : "l")).join("")}}`,
    "  \\toprule",
    line(columns.map(({ name }) => escapeLatex(name))),
    "  \\midrule",
    ...Array.from({ length: rows }, (_, row) => line(columns.map(({ cells }) => latexCell(cells[row])))),
    "  \\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

/** A GitHub table. */
export function writeMarkdown(columns: readonly FileColumn[]): string {
  const rows = columns[0]?.cells.length ?? 0;
  // Markup in a log must not become markup of the document.
  const escape = (text: string): string => text.replace(/[\\|`*_<>[\]]/g, "\\$&").replace(/\s+/g, " ");
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ name }) => escape(name))),
    line(columns.map(({ isNumeric }) => (isNumeric ? "---:" : "---"))),
    ...Array.from({ length: rows }, (_, row) => line(columns.map(({ cells }) => escape(shortText(cells[row], ""))))),
    "",
  ].join("\n");
}
