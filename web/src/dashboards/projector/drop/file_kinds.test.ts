import { expect, test } from "vitest";
import { kindOf } from "./file_kinds";

test("rows of several numbers are vectors, other texts are labels", () => {
  expect(kindOf("a.tsv", "0.1\t0.2\n0.3\t-4e-5\n0.5\t0.")).toBe("vectors");
  expect(kindOf("a.csv", "x,y\n1,2\n3,4\n")).toBe("vectors");
  expect(kindOf("words.tsv", "king\nqueen\nman\n")).toBe("labels");
  // One column of numbers names classes; words before numbers are metadata.
  expect(kindOf("a.tsv", "1\n2\n3\n4\n")).toBe("labels");
  expect(kindOf("a.tsv", "word\tcount\nking\t3\nqueen\t4\n")).toBe("labels");
});

test("names tell where the content does not", () => {
  expect(["a.npy", "a.NPZ", "model.safetensors", "tensor.bytes"].map((name) => kindOf(name, "\0\0"))).toEqual(
    Array(4).fill("vectors"),
  );
  expect(kindOf("metadata.tsv", "1\t2\n3\t4\n5\t6\n")).toBe("labels");
  expect(kindOf("bookmarks.json", "[]")).toBe("bookmarks");
});
