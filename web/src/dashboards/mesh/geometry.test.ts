import { describe as group, expect, it } from "vitest";
import { centerAll, decodeGeometry, describe as inWords } from "./geometry";

const HEAD = {
  version: 1,
  step: 3,
  wall_time: 1,
  batches: 2,
  config: "{}",
  total_points: 2,
  total_faces: 1,
  faces_step: 1,
  colors_step: 3,
  problems: ["x"],
  points: 2,
  faces: 1,
  has_colors: true,
};

function pack(head: object, blocks: readonly Uint8Array[]): ArrayBuffer {
  const text = JSON.stringify(head);
  const encoded = new TextEncoder().encode(text + " ".repeat((8 - (text.length % 8)) % 8));
  const padded = blocks.flatMap((block) => [...block, ...new Uint8Array((8 - (block.length % 8)) % 8)]);
  const size = new Uint8Array(new Uint32Array([encoded.length]).buffer);
  return new Uint8Array([..."RGC1"].map((letter) => letter.charCodeAt(0)).concat(...size, ...encoded, ...padded))
    .buffer;
}
const bytes = (values: Float32Array | Uint32Array | Uint8Array): Uint8Array => new Uint8Array(values.buffer);

group("a mesh over the wire", () => {
  it("has every part, around its center", () => {
    const got = decodeGeometry(
      pack(HEAD, [
        bytes(new Float32Array([0, 0, 0, 2, 4, 6])),
        bytes(new Uint32Array([0, 1, 1])),
        new Uint8Array([1, 2, 3, 4, 5, 6]),
      ]),
    );
    expect([...got.vertices]).toEqual([-1, -2, -3, 1, 2, 3]);
    expect(got.bounds).toEqual({ center: [1, 2, 3], radius: Math.sqrt(14) });
    expect([...(got.faces ?? [])]).toEqual([0, 1, 1]);
    expect([...(got.colors ?? [])]).toEqual([1, 2, 3, 4, 5, 6]);
    expect([got.step, got.batches, got.problems]).toEqual([3, 2, ["x"]]);
    expect(inWords(got)).toBe("2 vertices · 1 face · faces of step 1");
  });

  it("is a cloud of points without faces that can be used", () => {
    const got = decodeGeometry(
      pack({ ...HEAD, faces: 0, has_colors: false, colors_step: null }, [bytes(new Float32Array(6))]),
    );
    expect([got.faces, got.colors]).toEqual([null, null]);
    expect(inWords(got)).toBe("2 points");
  });

  it("that is cut short says so", () => {
    expect(() => decodeGeometry(pack(HEAD, [bytes(new Float32Array([0]))]))).toThrow("inside the vertices");
  });
});

group("the middle of a mesh", () => {
  it("of nothing and of one point is something to look at", () => {
    expect(centerAll(new Float32Array())).toEqual({ center: [0, 0, 0], radius: 1 });
    expect(centerAll(new Float32Array([5, 5, 5]))).toEqual({ center: [5, 5, 5], radius: 1 });
  });

  it("keeps small differences of large coordinates", () => {
    const far = new Float32Array([4_000_000, 0, 0, 4_000_000.5, 0, 0]);
    expect(centerAll(far).center[0]).toBe(4_000_000.25);
    expect([far[0], far[3]]).toEqual([-0.25, 0.25]);
  });
});
