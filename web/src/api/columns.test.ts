import { describe, expect, it } from "vitest";
import { ColumnsError } from "./blocks";
import { decodeColumns } from "./columns";

interface Line {
  run?: number;
  tag?: number;
  role?: number;
  x: number;
  y: number[];
  mask?: number[];
  width?: 4 | 8;
}

/** A plain encoder of the format, block by block. */
function encode(xTables: number[][], lines: Line[], runs = ["a", "b"], tags = ["loss"]): ArrayBuffer {
  const head = {
    version: 1,
    generation: 7,
    x_tables: xTables.map((t) => t.length),
    runs,
    tags,
    lines: {
      run: lines.map((l) => l.run ?? 0),
      tag: lines.map((l) => l.tag ?? 0),
      role: lines.map((l) => l.role ?? 0),
      generation: lines.map((_, i) => i + 1),
      total: lines.map((l) => l.y.length * 10),
      x: lines.map((l) => l.x),
      count: lines.map((l) => l.y.length),
      masked: lines.map((l) => (l.mask ? 1 : 0)),
      width: lines.map((l) => l.width ?? 8),
    },
  };
  let text = JSON.stringify(head);
  while (new TextEncoder().encode(text).length % 8 !== 0) text += " ";
  const headBytes = new TextEncoder().encode(text);
  const bytes: number[] = [82, 71, 67, 49, ...new Uint8Array(new Uint32Array([headBytes.length]).buffer), ...headBytes];
  const put = (block: Uint8Array): void => {
    bytes.push(...block);
    while (bytes.length % 8 !== 0) bytes.push(0);
  };
  for (const table of xTables) put(new Uint8Array(new Float64Array(table).buffer));
  for (const line of lines) {
    if (line.mask) put(new Uint8Array(line.mask));
    put(new Uint8Array((line.width === 4 ? new Float32Array(line.y) : new Float64Array(line.y)).buffer));
  }
  return new Uint8Array(bytes).buffer;
}

describe("decodeColumns", () => {
  it("shares one x table between lines as views of the body", () => {
    const body = encode(
      [[0, 1, 2]],
      [
        { x: 0, y: [3, 2, 1], width: 4 },
        { run: 1, role: 1, x: 0, y: [6, 5, Number.NaN] },
      ],
    );
    const { generation, lines } = decodeColumns(body);
    expect(generation).toBe(7);
    expect(lines).toEqual([
      {
        run: "a",
        tag: "loss",
        role: "smoothed",
        generation: 1,
        total: 30,
        table: new Float64Array([0, 1, 2]),
        mask: null,
        y: new Float32Array([3, 2, 1]),
      },
      {
        run: "b",
        tag: "loss",
        role: "raw",
        generation: 2,
        total: 30,
        table: new Float64Array([0, 1, 2]),
        mask: null,
        y: new Float64Array([6, 5, Number.NaN]),
      },
    ]);
    expect(lines.every((line) => line.table.buffer === body && line.y.buffer === body)).toBe(true);
  });

  it("finds a mask longer than one byte, and the values behind it", () => {
    const table = Array.from({ length: 19 }, (_, i) => i * 10);
    const { lines } = decodeColumns(encode([table], [{ x: 0, y: [1, 2, 3, 4], mask: [0b10000001, 0, 0b101] }]));
    expect([...(lines[0]?.mask ?? [])]).toEqual([0b10000001, 0, 0b101]);
    expect([...(lines[0]?.y ?? [])]).toEqual([1, 2, 3, 4]);
  });

  it("aligns the block after an odd number of 4-byte values", () => {
    const { lines } = decodeColumns(
      encode(
        [[1]],
        [
          { x: 0, y: [1.5], width: 4 },
          { x: 0, y: [2.5], width: 4 },
        ],
      ),
    );
    expect(lines.map((line) => line.y[0])).toEqual([1.5, 2.5]);
  });

  it("names every role and rejects an unknown one", () => {
    const lines = [0, 1, 2, 3, 4, 5, 6].map((role) => ({ role, x: 0, y: [1] }));
    const roles = decodeColumns(encode([[1]], lines)).lines.map((line) => line.role);
    expect(roles).toEqual(["smoothed", "raw", "earlier", "center", "low", "high", "count"]);
    expect(() => decodeColumns(encode([[1]], [{ role: 7, x: 0, y: [1] }]))).toThrow(/role 7/);
  });

  it("decodes a response without lines", () => {
    expect(decodeColumns(encode([], []))).toEqual({ generation: 7, lines: [] });
  });

  it("rejects other bytes, a truncated body, a wrong mask and a wrong count", () => {
    const whole = encode([[0, 1]], [{ x: 0, y: [1, 2] }]);
    expect(() => decodeColumns(new TextEncoder().encode('{"error": 1}').buffer as ArrayBuffer)).toThrow(ColumnsError);
    expect(() => decodeColumns(whole.slice(0, whole.byteLength - 8))).toThrow(/inside the values of line 0/);
    expect(() => decodeColumns(encode([[0, 1]], [{ x: 0, y: [1, 2], mask: [0b1] }]))).toThrow(
      /2 values for 1 x values/,
    );
    expect(() => decodeColumns(encode([[0, 1, 2]], [{ x: 0, y: [1, 2] }]))).toThrow(/2 values for 3 x values/);
  });
});
