// Splits a binary response: a JSON head, then 8-byte aligned little-endian blocks. Knows the bytes, not their meaning.

const MAGIC = 0x31434752; // "RGC1" read as a little-endian u32
const HEAD_START = 8;

export class ColumnsError extends Error {
  override name = "ColumnsError";
}

const aligned = (bytes: number): number => (bytes + 7) & ~7;

/** Blocks are read one after the other. The server aligns them, so these are views and not copies. */
export class Blocks<Head extends { readonly version: number }> {
  readonly head: Head;
  #at: number;

  constructor(private readonly body: ArrayBuffer) {
    const view = new DataView(body);
    if (body.byteLength < HEAD_START || view.getUint32(0, true) !== MAGIC) {
      throw new ColumnsError(
        "The response does not start with 'RGC1'. The server may run another version; reload the page.",
      );
    }
    const length = view.getUint32(4, true);
    if (HEAD_START + length > body.byteLength) {
      throw new ColumnsError(`The response ends at byte ${body.byteLength}, inside its head. Reload the page.`);
    }
    this.head = JSON.parse(new TextDecoder().decode(new Uint8Array(body, HEAD_START, length))) as Head;
    if (this.head.version !== 1) {
      throw new ColumnsError(
        `The response has format version ${this.head.version}, this page reads 1. Reload the page.`,
      );
    }
    this.#at = HEAD_START + length;
  }

  float64(length: number, what: string): Float64Array<ArrayBuffer> {
    return new Float64Array(this.body, this.#take(length * 8, what), length);
  }

  float32(length: number, what: string): Float32Array<ArrayBuffer> {
    return new Float32Array(this.body, this.#take(length * 4, what), length);
  }

  uint32(length: number, what: string): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.body, this.#take(length * 4, what), length);
  }

  bytes(length: number, what: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.body, this.#take(length, what), length);
  }

  #take(bytes: number, what: string): number {
    const start = this.#at;
    if (start + bytes > this.body.byteLength) {
      throw new ColumnsError(
        `The response ends at byte ${this.body.byteLength}, inside ${what} (bytes ${start} to ${start + bytes}). Reload the page.`,
      );
    }
    this.#at = aligned(start + bytes);
    return start;
  }
}
