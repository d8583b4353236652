import { expect, test } from "vitest";
import type { ListedGraph } from "./answer";
import { firstGraph, graphKey, isSameGraph, nameOf, otherGraph, tellApart } from "./graph_ref";

const listed = (["a model", "a trace", "b model", "c model"] as const).map((each): ListedGraph => {
  const [run = "", name = ""] = each.split(" ");
  return { run, name, format: "GraphDef", steps: [0], is_asset: false, has_profile: false };
});

test("a graph without a step is the newest one", () => {
  expect(isSameGraph({ run: "a", name: "model" }, { run: "a", name: "model", step: null })).toBe(true);
  expect(isSameGraph({ run: "a", name: "model", step: 3 }, { run: "a", name: "model" })).toBe(false);
  expect(graphKey({ file: "x" })).not.toBe(graphKey({ run: "x", name: "" }));
});

test("the page begins with the first shown run that has a graph", () => {
  expect(firstGraph(listed, ["none", "b", "c"])).toEqual({ run: "b", name: "model", step: null });
  expect(firstGraph(listed, ["none"])).toBeNull();
  const compiled = listed.map((graph, i) => ({ ...graph, format: i === 0 ? "HLO" : graph.format }));
  expect(firstGraph(compiled, ["a", "b"])?.name).toBe("trace");
  expect(firstGraph(compiled.slice(0, 1), ["a"])?.name).toBe("model");
});

test("a graph is compared with its namesake in the baseline, else in another shown run", () => {
  const graph = { run: "a", name: "model" };
  expect(otherGraph(listed, ["a", "b", "c"], graph, "c")?.run).toBe("c");
  expect(otherGraph(listed, ["a", "c"], graph, null)?.run).toBe("c");
  expect(otherGraph(listed, ["a"], graph, null)?.run).toBe("b");
  expect(otherGraph(listed, ["a"], { run: "a", name: "trace" }, null)).toEqual({ run: "a", name: "model", step: null });
  expect(otherGraph(listed.slice(0, 1), ["a"], graph, null)).toBeNull();
});

test("files are called without their folders", () => {
  expect(nameOf({ name: "export/model.onnx", is_asset: true })).toBe("model.onnx");
  expect(nameOf({ name: "outer/inner", is_asset: false })).toBe("outer/inner");
  expect(nameOf({ name: "__run_graph__", is_asset: false })).toBe("");
});

test("two graphs are told apart by their runs, else by what they are called", () => {
  const of = (title: string, about = "GraphDef") => ({ title, about });
  expect(tellApart(of("a/one"), of("a/two"))).toEqual(["one", "two"]);
  expect(tellApart(of("a", "GraphDef · newest"), of("a", "GraphDef · step 3"))).toEqual(["newest", "step 3"]);
  expect(tellApart(of("a", "keras · Keras"), of("a"))).toEqual(["keras · Keras", "GraphDef"]);
  expect(tellApart(of("a"), of("a"))).toEqual(["a", "a"]);
});
