// Decodes the binary answer to a query for lines or bands: a JSON head, then 8-byte aligned little-endian blocks.
// Knows the bytes only, not who asked for them or what is drawn.

export type Floats = Float32Array | Float64Array;

/** By their number in the head. `earlier` is an overwritten attempt; those after it are the lines of a band. */
const ROLES = ["smoothed", "raw", "earlier", "center", "low", "high", "count"] as const;
export type Role = (typeof ROLES)[number];

export interface LineColumns {
  /** The run, or the name of the group in a band. */
  run: string;
  tag: string;
  role: Role;
  generation: number;
  /** Points of the series in the asked range, before they were reduced to pixels; in a band, the runs that have the tag. */
  total: number;
  /** The x values, or those of which `mask` has the bit set: bit i is bit i & 7 of byte i >> 3. May be shared by many lines. */
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

const MAGIC = 0x31434752; // "RGC1" read as a little-endian u32
const HEAD_START = 8;

export class ColumnsError extends Error {
  override name = "ColumnsError";
}

const aligned = (bytes: number): number => (bytes + 7) & ~7;

export function decodeColumns(body: ArrayBuffer): Columns {
  const head = decodeHead(body);
  let at = HEAD_START + new DataView(body).getUint32(4, true);
  const take = (bytes: number, what: string): number => {
    const start = at;
    if (start + bytes > body.byteLength) {
      throw new ColumnsError(
        `The answer ends at byte ${body.byteLength}, inside ${what} (bytes ${start} to ${start + bytes}). Reload the page.`,
      );
    }
    at = aligned(start + bytes);
    return start;
  };

  // Blocks are aligned by the server, so these are views and not copies.
  const tables = head.x_tables.map((length, i) => new Float64Array(body, take(length * 8, `x table ${i}`), length));
  const { lines } = head;
  return {
    generation: head.generation,
    lines: lines.run.map((run, i) => {
      const table = tables[field(lines.x, i)] ?? missing(`x table ${lines.x[i]}`);
      const count = field(lines.count, i);
      let mask: Uint8Array | null = null;
      if (field(lines.masked, i)) {
        const maskBytes = (table.length + 7) >> 3;
        mask = new Uint8Array(body, take(maskBytes, `the mask of line ${i}`), maskBytes);
      }
      const kept = mask ? countBits(mask) : table.length;
      if (kept !== count) {
        throw new ColumnsError(`Line ${i} has ${count} values for ${kept} x values. Reload the page.`);
      }
      const width = field(lines.width, i);
      const start = take(count * width, `the values of line ${i}`);
      return {
        run: head.runs[run] ?? missing(`run ${run}`),
        tag: head.tags[field(lines.tag, i)] ?? missing(`tag ${lines.tag[i]}`),
        role: ROLES[field(lines.role, i)] ?? missing(`role ${lines.role[i]}`),
        generation: field(lines.generation, i),
        total: field(lines.total, i),
        table,
        mask,
        y: width === 4 ? new Float32Array(body, start, count) : new Float64Array(body, start, count),
      };
    }),
  };
}

function decodeHead(body: ArrayBuffer): Head {
  const view = new DataView(body);
  if (body.byteLength < HEAD_START || view.getUint32(0, true) !== MAGIC) {
    throw new ColumnsError("The answer does not start with 'RGC1'. The server may be of another version: reload the page.");
  }
  const length = view.getUint32(4, true);
  if (HEAD_START + length > body.byteLength) {
    throw new ColumnsError(`The answer ends at byte ${body.byteLength}, inside its head. Reload the page.`);
  }
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(body, HEAD_START, length))) as Head;
  if (head.version !== 1) {
    throw new ColumnsError(`The answer has format version ${head.version}, this page reads 1. Reload the page.`);
  }
  return head;
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
  throw new ColumnsError(`The head names ${what}, which the answer does not have. Reload the page.`);
}
