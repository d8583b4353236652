import { expect, test } from "vitest";
import { readValues, ValuesError } from "./read_values";

test("CSV with and without a head, with quotes, and TSV", () => {
  expect(readValues('node,latency_ms\n"a,b",1.5\nc/d, 2\nbad,x\n')).toEqual({ "a,b": 1.5, "c/d": 2 });
  expect(readValues("a,1\nb,2e-3")).toEqual({ a: 1, b: 0.002 });
  expect(readValues('id;value\n"say ""x""";4')).toEqual({ 'say "x"': 4 });
  expect(readValues("count\tname\tvalue\n7\ta\t3\n")).toEqual({ a: 3 });
});

test("JSON as an object, as pairs and as rows", () => {
  expect(readValues('{"a": 1, "b": "x", "c": null}')).toEqual({ a: 1 });
  expect(readValues('[["a", 1], ["b", 2]]')).toEqual({ a: 1, b: 2 });
  expect(readValues('[{"module": "a", "value": 3, "n": 9}, {"node": "b", "ms": 4}]')).toEqual({ a: 3, b: 4 });
  expect(readValues('{"__proto__": 1, "a": 2}')["a"]).toBe(2);
});

test("says what is wrong", () => {
  expect(() => readValues("{nonsense")).toThrow(ValuesError);
  expect(() => readValues("hello\nworld")).toThrow("no values");
  expect(() => readValues("")).toThrow("no values");
});
