// A Parquet file of one row group, uncompressed and plainly encoded: pandas, Polars, DuckDB and Arrow read it, and no
// library is needed that is larger than this whole dashboard. The table is a few megabytes at most. Pure.

import type { FileColumn } from "./table_files";

// Numbers of parquet.thrift.
const BOOLEAN = 0;
const DOUBLE = 5;
const BYTE_ARRAY = 6;
const OPTIONAL = 1;
const UTF8 = 0;
const PLAIN = 0;
const RLE = 3;
const DATA_PAGE = 0;

/** Grows as it is written to. */
class Bytes {
  #buffer = new Uint8Array(1 << 12);
  length = 0;

  #room(count: number): void {
    if (this.length + count <= this.#buffer.length) return;
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.length + count));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }

  byte(value: number): this {
    this.#room(1);
    this.#buffer[this.length++] = value;
    return this;
  }

  append(bytes: Uint8Array): this {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  uint32(value: number): this {
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 255);
    return this;
  }

  double(value: number): this {
    const eight = new Uint8Array(8);
    new DataView(eight.buffer).setFloat64(0, value, true);
    return this.append(eight);
  }

  varint(value: number): this {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    return this.byte(rest);
  }

  view(): Uint8Array<ArrayBuffer> {
    return this.#buffer.slice(0, this.length);
  }
}

/** Thrift's compact protocol, as far as Parquet's metadata needs it. Fields are written in order of their numbers. */
class Struct {
  #last = 0;

  constructor(private readonly bytes: Bytes) {}

  #field(id: number, type: number): void {
    this.bytes.byte(((id - this.#last) << 4) | type);
    this.#last = id;
  }

  int(id: number, value: number, is64 = false): this {
    this.#field(id, is64 ? 6 : 5);
    // Zigzag of numbers that are never negative.
    this.bytes.varint(value * 2);
    return this;
  }

  text(id: number, text: string): this {
    this.#field(id, 8);
    writeText(this.bytes, text);
    return this;
  }

  struct(id: number, write: (inner: Struct) => void): this {
    this.#field(id, 12);
    writeStruct(this.bytes, write);
    return this;
  }

  list<T>(id: number, type: number, items: readonly T[], write: (item: T) => void): this {
    this.#field(id, 9);
    if (items.length < 15) this.bytes.byte((items.length << 4) | type);
    else this.bytes.byte(0xf0 | type).varint(items.length);
    items.forEach(write);
    return this;
  }
}
const STRUCT = 12;
const INT = 5;
const TEXT = 8;

const encoder = new TextEncoder();

function writeText(bytes: Bytes, text: string): void {
  const encoded = encoder.encode(text);
  bytes.varint(encoded.length).append(encoded);
}

function writeStruct(bytes: Bytes, write: (inner: Struct) => void): void {
  write(new Struct(bytes));
  bytes.byte(0);
}

type Stored = "number" | "boolean" | "text";
const TYPES: Readonly<Record<Stored, number>> = { number: DOUBLE, boolean: BOOLEAN, text: BYTE_ARRAY };

function storedAs({ cells }: FileColumn): Stored {
  const kinds = new Set(cells.flatMap((cell) => (cell === null ? [] : [typeof cell])));
  if (kinds.size === 1 && kinds.has("number")) return "number";
  return kinds.size === 1 && kinds.has("boolean") ? "boolean" : "text";
}

interface Chunk {
  readonly name: string;
  readonly stored: Stored;
  readonly offset: number;
  readonly sizeBytes: number;
}

export function writeParquet(columns: readonly FileColumn[]): Uint8Array<ArrayBuffer> {
  const rows = columns[0]?.cells.length ?? 0;
  const bytes = new Bytes().append(encoder.encode("PAR1"));
  const chunks = columns.map((column): Chunk => {
    const stored = storedAs(column);
    const offset = bytes.length;
    const page = writeCells(column, stored);
    writeStruct(bytes, (header) =>
      header
        .int(1, DATA_PAGE)
        .int(2, page.length)
        .int(3, page.length)
        .struct(5, (data) => data.int(1, rows).int(2, PLAIN).int(3, RLE).int(4, RLE)),
    );
    bytes.append(page);
    return { name: column.name, stored, offset, sizeBytes: bytes.length - offset };
  });
  const start = bytes.length;
  writeFooter(bytes, chunks, rows);
  return bytes
    .uint32(bytes.length - start)
    .append(encoder.encode("PAR1"))
    .view();
}

/** Which cells have a value, then the values of those. */
function writeCells({ cells }: FileColumn, stored: Stored): Uint8Array {
  const levels = new Bytes();
  // One run of bits: groups of eight, one bit each.
  levels.varint((Math.ceil(cells.length / 8) << 1) | 1);
  for (let i = 0; i < cells.length; i += 8) {
    let bits = 0;
    for (let j = 0; j < 8 && i + j < cells.length; j++) if (cells[i + j] !== null) bits |= 1 << j;
    levels.byte(bits);
  }
  const page = new Bytes().uint32(levels.length).append(levels.view());
  const values = cells.filter((cell) => cell !== null);
  if (stored === "number") for (const value of values) page.double(value as number);
  else if (stored === "boolean")
    for (let i = 0; i < values.length; i += 8) {
      let bits = 0;
      for (let j = 0; j < 8; j++) if (values[i + j] === true) bits |= 1 << j;
      page.byte(bits);
    }
  else
    for (const value of values) {
      const text = encoder.encode(String(value));
      page.uint32(text.length).append(text);
    }
  return page.view();
}

function writeFooter(bytes: Bytes, chunks: readonly Chunk[], rows: number): void {
  const totalBytes = chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  writeStruct(bytes, (file) =>
    file
      .int(1, 1)
      .list(2, STRUCT, [null, ...chunks], (chunk) =>
        writeStruct(bytes, (element) => {
          if (!chunk) element.text(4, "schema").int(5, chunks.length);
          else {
            element.int(1, TYPES[chunk.stored]).int(3, OPTIONAL).text(4, chunk.name);
            if (chunk.stored === "text") element.int(6, UTF8);
          }
        }),
      )
      .int(3, rows, true)
      .list(4, STRUCT, [chunks], () =>
        writeStruct(bytes, (group) =>
          group
            .list(1, STRUCT, chunks, (chunk) =>
              writeStruct(bytes, (column) =>
                column.int(2, chunk.offset, true).struct(3, (meta) =>
                  meta
                    .int(1, TYPES[chunk.stored])
                    .list(2, INT, [PLAIN, RLE], (encoding) => bytes.varint(encoding * 2))
                    .list(3, TEXT, [chunk.name], (name) => writeText(bytes, name))
                    .int(4, 0)
                    .int(5, rows, true)
                    .int(6, chunk.sizeBytes, true)
                    .int(7, chunk.sizeBytes, true)
                    .int(9, chunk.offset, true),
                ),
              ),
            )
            .int(2, totalBytes, true)
            .int(3, rows, true),
        ),
      )
      .text(6, "Runglass"),
  );
}
