import { expect, test } from "vitest";
import { distinctNames } from "./distinct_names";

const kernel = (functor: string): string =>
  `void at::native::multi_tensor_apply_kernel<at::Meta<2>, at::native::${functor}<float, 2>, float>(Meta, float)`;

test("a name that stands alone is as short as it can be", () => {
  const name = "void at::native::reduce_kernel<512, 1>(Op)";
  expect([...distinctNames([name, name, "aten::add_"])]).toEqual([
    [name, "reduce_kernel"],
    ["aten::add_", "add_"],
  ]);
});

test("names with one short form are told apart by a word that only one of them has", () => {
  const names = [kernel("LerpFunctor"), kernel("BinaryOpFunctor"), "jit(f)/decoder/dot", "jit(f)/encoder/dot"];
  expect([...distinctNames(names).values()]).toEqual([
    "multi_tensor_apply_kernel · LerpFunctor",
    "multi_tensor_apply_kernel · BinaryOpFunctor",
    "dot · decoder",
    "dot · encoder",
  ]);
});

test("a name without a word of its own has several, and one without any is shown whole", () => {
  // Each word is in two of them.
  const shared = ["k<a, b>(int)", "k<b, c>(int)", "k<a, c>(int)"];
  expect([...distinctNames(shared).values()]).toEqual(["k · a b", "k · b c", "k · a c"]);
  const ordered = ["k<a, b>", "k<b, a>"];
  expect([...distinctNames(ordered).values()]).toEqual(ordered);
  const more = distinctNames(["k<a>", "k<a, b>"]);
  expect([...more.values()]).toEqual(["k", "k · b"]);
});
