// Decodes the binary response to a query for lines or bands. Knows neither the card nor the drawing.

import { Blocks, ColumnsError } from "./blocks";

export type Floats = Float32Array | Float64Array;

/** By their number in the head. `earlier` is an overwritten attempt; the roles after it are the lines of a band. */
const ROLES = ["smoothed", "raw", "earlier", "center", "low", "high", "count"] as const;
export type Role = (typeof ROLES)[number];

export interface LineColumns {
  /** The run, or the name of the group in a band. */
  run: string;
  tag: string;
  role: Role;
  generation: number;
  /** Points of the series in the requested range, before reduction to pixels; in a band, the runs that have the tag. */
  total: number;
  /** The x values, or those whose bit is set in `mask`: bit i is bit i & 7 of byte i >> 3. Many lines may share it. */
  table: Float64Array;
  mask: Uint8Array | null;
  y: Floats;
}

export interface Columns {
  generation: number;
  lines: LineColumns[];
}

interface Head {
  version: number;
  generation: number;
  x_tables: number[];
  runs: string[];
  tags: string[];
  lines: {
    run: number[];
    tag: number[];
    role: number[];
    generation: number[];
    total: number[];
    x: number[];
    count: number[];
    masked: number[];
    width: number[];
  };
}

export function decodeColumns(body: ArrayBuffer): Columns {
  const blocks = new Blocks<Head>(body);
  const { head } = blocks;
  const tables = head.x_tables.map((length, i) => blocks.float64(length, `x table ${i}`));
  const { lines } = head;
  return {
    generation: head.generation,
    lines: lines.run.map((run, i) => {
      const table = tables[field(lines.x, i)] ?? missing(`x table ${lines.x[i]}`);
      const count = field(lines.count, i);
      const mask = field(lines.masked, i) ? blocks.bytes((table.length + 7) >> 3, `the mask of line ${i}`) : null;
      const kept = mask ? countBits(mask) : table.length;
      if (kept !== count) {
        throw new ColumnsError(`Line ${i} has ${count} values for ${kept} x values. Reload the page.`);
      }
      const what = `the values of line ${i}`;
      return {
        run: head.runs[run] ?? missing(`run ${run}`),
        tag: head.tags[field(lines.tag, i)] ?? missing(`tag ${lines.tag[i]}`),
        role: ROLES[field(lines.role, i)] ?? missing(`role ${lines.role[i]}`),
        generation: field(lines.generation, i),
        total: field(lines.total, i),
        table,
        mask,
        y: field(lines.width, i) === 4 ? blocks.float32(count, what) : blocks.float64(count, what),
      };
    }),
  };
}

const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

function countBits(mask: Uint8Array): number {
  let bits = 0;
  for (let i = 0; i < mask.length; i++) bits += BITS[mask[i] as number] as number;
  return bits;
}

function field(column: number[], index: number): number {
  return column[index] ?? missing(`entry ${index} of a line column`);
}

function missing(what: string): never {
  throw new ColumnsError(`The head names ${what}, which the response does not have. Reload the page.`);
}
