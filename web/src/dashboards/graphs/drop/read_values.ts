// Values of nodes from a file that the user gives: CSV or TSV with a name and a number in each row, or JSON as an
// object of names and numbers, or as a list of such rows. Pure.

export class ValuesError extends Error {}

const NAME_COLUMNS = ["name", "node", "id", "module", "layer", "op", "path"];

export function readValues(text: string): Record<string, number> {
  const start = text.trimStart()[0];
  const values = start === "{" || start === "[" ? fromJson(text) : fromTable(text);
  if (Object.keys(values).length === 0)
    throw new ValuesError("The file has no values: expected a name and a number in each row.");
  return values;
}

function fromJson(text: string): Record<string, number> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new ValuesError(`This is not JSON: ${(cause as Error).message}`);
  }
  const values = Object.create(null) as Record<string, number>;
  if (Array.isArray(data)) {
    for (const row of data as unknown[]) {
      if (Array.isArray(row)) put(values, row[0], row[1]);
      else if (typeof row === "object" && row !== null) {
        const cells = row as Record<string, unknown>;
        const name = NAME_COLUMNS.find((each) => typeof cells[each] === "string");
        const value = typeof cells["value"] === "number" ? cells["value"] : Object.values(cells).find(isNumber);
        if (name) put(values, cells[name], value);
      }
    }
  } else for (const [name, value] of Object.entries(data as object)) put(values, name, value);
  return { ...values };
}

const isNumber = (value: unknown): value is number => typeof value === "number";

function fromTable(text: string): Record<string, number> {
  const values = Object.create(null) as Record<string, number>;
  const rows = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const separator = rows[0]?.includes("\t") ? "\t" : rows[0]?.includes(";") && !rows[0].includes(",") ? ";" : ",";
  const cells = rows.map((row) => splitRow(row, separator));
  const [first = []] = cells;
  const isHead = !first.slice(1).some((cell) => cell.trim() !== "" && Number.isFinite(Number(cell)));
  const head = isHead ? first.map((cell) => cell.trim().toLowerCase()) : [];
  const nameAt = Math.max(
    0,
    head.findIndex((each) => NAME_COLUMNS.includes(each)),
  );
  const asked = head.indexOf("value");
  for (const row of isHead ? cells.slice(1) : cells) {
    const valueAt =
      asked >= 0
        ? asked
        : row.findIndex((cell, i) => i !== nameAt && cell.trim() !== "" && Number.isFinite(Number(cell)));
    const cell = row[valueAt];
    if (cell !== undefined && cell.trim() !== "") put(values, row[nameAt], Number(cell));
  }
  return { ...values };
}

function put(values: Record<string, number>, name: unknown, value: unknown): void {
  if (typeof name === "string" && name.trim() !== "" && typeof value === "number" && Number.isFinite(value))
    values[name.trim()] = value;
}

/** Cells may be quoted; a quote inside is written twice. */
function splitRow(row: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let i = 0; i < row.length; i++) {
    const letter = row[i] as string;
    if (isQuoted && letter === '"' && row[i + 1] === '"') {
      cell += '"';
      i++;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (letter === separator && !isQuoted) {
      cells.push(cell);
      cell = "";
    } else cell += letter;
  }
  return [...cells, cell];
}
