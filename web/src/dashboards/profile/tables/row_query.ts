// What is typed above a table: words that rows must contain, and conditions on columns such as "self>1ms". Pure.

export interface Condition {
  /** The name or the label of a column, in small letters and without spaces. */
  readonly column: string;
  readonly operator: string;
  readonly value: number;
}

export interface RowQuery {
  readonly words: string;
  readonly conditions: readonly Condition[];
}

const CONDITION = /^([a-z/]+)(>=|<=|>|<|=)(-?\d+(?:\.\d+)?)(ps|ns|us|µs|ms|s|%|k|m|g|t)?$/;
/** Times are picoseconds, shares go from 0 to 1. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ ps: 1, ns: 1e3, us: 1e6, µs: 1e6, ms: 1e9, s: 1e12 },
  ...{ "%": 0.01, k: 1e3, m: 1e6, g: 1e9, t: 1e12 },
};

/** `isColumn`: a condition on what is no column is a word like any other. */
export function parseRowQuery(typed: string, isColumn: (name: string) => boolean): RowQuery {
  const words: string[] = [];
  const conditions: Condition[] = [];
  for (const word of typed.trim().toLowerCase().split(/\s+/)) {
    const [, column, operator, digits, unit] = CONDITION.exec(word) ?? [];
    if (column !== undefined && operator !== undefined && isColumn(column))
      conditions.push({ column, operator, value: Number(digits) * (unit === undefined ? 1 : (UNITS[unit] as number)) });
    else words.push(word);
  }
  return { words: words.join(" "), conditions };
}

/** What is missing fulfils no condition. */
export function fulfils(cell: number | null, { operator, value }: Condition): boolean {
  if (cell === null) return false;
  if (operator === ">") return cell > value;
  if (operator === ">=") return cell >= value;
  if (operator === "<") return cell < value;
  if (operator === "<=") return cell <= value;
  return cell === value;
}
