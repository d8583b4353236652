// Binary answers whose head names their blocks: typed arrays by name.

import { Blocks, ColumnsError } from "../api/blocks";

interface BlockHead {
  readonly name: string;
  readonly type: "float32" | "float64" | "int32" | "uint32" | "uint8";
  readonly length: number;
}
interface BlocksHead {
  readonly version: number;
  readonly blocks: readonly BlockHead[];
}
type Values = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

/** The head of a binary answer, and its blocks by name. */
export interface Named<Head> {
  readonly head: Head;
  floats32(name: string): Float32Array<ArrayBuffer>;
  floats64(name: string): Float64Array<ArrayBuffer>;
  ints(name: string): Int32Array<ArrayBuffer>;
  uints(name: string): Uint32Array<ArrayBuffer>;
  has(name: string): boolean;
}

export function readBlocks<Head>(body: ArrayBuffer): Named<Head> {
  const blocks = new Blocks<BlocksHead>(body);
  const found = new Map<string, Values>();
  for (const { name, type, length } of blocks.head.blocks) {
    if (type === "int32") {
      const words = blocks.uint32(length, name);
      found.set(name, new Int32Array(words.buffer, words.byteOffset, length));
    } else found.set(name, type === "uint8" ? blocks.bytes(length, name) : blocks[type](length, name));
  }
  const take = <T extends Values>(name: string, kind: new (length: number) => T): T => {
    const values = found.get(name);
    if (values instanceof kind) return values;
    throw new ColumnsError(`The response has no block “${name}” of the expected type. Reload the page.`);
  };
  return {
    head: blocks.head as unknown as Head,
    floats32: (name) => take(name, Float32Array) as Float32Array<ArrayBuffer>,
    floats64: (name) => take(name, Float64Array) as Float64Array<ArrayBuffer>,
    ints: (name) => take(name, Int32Array) as Int32Array<ArrayBuffer>,
    uints: (name) => take(name, Uint32Array) as Uint32Array<ArrayBuffer>,
    has: (name) => found.has(name),
  };
}
