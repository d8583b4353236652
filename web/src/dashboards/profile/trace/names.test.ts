import { describe, expect, test } from "vitest";
import { fitName, shorterNames } from "./names";

const lastOf = (name: string): string | undefined => shorterNames(name).at(-1);

describe("the shortest form of a name", () => {
  test.each([
    ["torch/nn/modules/module.py(1501): _call_impl", "_call_impl"],
    [
      "void at::native::vectorized_elementwise_kernel<4, at::Foo<float, std::array<char*, 2ul> > >(int, float)",
      "vectorized_elementwise_kernel",
    ],
    ["fft2d_c2r_32x32<float, false>", "fft2d_c2r_32x32"],
    ["<built-in method conv2d of type object at 0x7f7dd093e180>", "conv2d"],
    ["autograd::engine::evaluate_function: ConvolutionBackward0", "ConvolutionBackward0"],
    ["Optimizer.step#AdamW.step", "AdamW.step"],
    ["ProfilerStep#12", "Step 12"],
    ["jit(step)/transpose(jvp(Model))/dense/dot_general", "dot_general"],
    ["aten::add_", "add_"],
    ["<string>:5", "<string>:5"],
    ["void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64>(Params)", "cutlass_80_tensorop_s1688gemm_128x64"],
  ])("%s", (name, shortest) => expect(lastOf(name)).toBe(shortest));
});

test("each form is shorter than the one before, and none is empty", () => {
  for (const name of ["a::b<c>", "<<<", "::", "x#", "/", ": ", ""]) {
    const forms = shorterNames(name);
    expect(forms[0]).toBe(name);
    for (const [i, form] of forms.slice(1).entries()) expect(form.length).toBeLessThan((forms[i] as string).length);
    expect(forms.slice(1)).not.toContain("");
  }
});

test("the longest form that fits is shown, then it is cut off", () => {
  const measure = (text: string): number => text.length * 6;
  const name = "autograd::engine::evaluate_function: ConvolutionBackward0";
  expect(fitName(name, 1_000, measure)).toBe(name);
  expect(fitName(name, 130, measure)).toBe("ConvolutionBackward0");
  expect(fitName(name, 60, measure)).toBe("Convoluti…");
  expect(fitName(name, 12, measure)).toBe("");
});
