import { describe, expect, it } from "vitest";
import { Client } from "./client";
import { ApiError } from "./http";

const answering = (response: Response): Client => new Client(() => Promise.resolve(response));

describe("Client", () => {
  it("turns the server's error shape into an ApiError", async () => {
    const body = { error: { code: "run_unknown", message: "No run 'x'.", where: "run" } };
    const failed = answering(new Response(JSON.stringify(body), { status: 404 })).hparams();
    await expect(failed).rejects.toEqual(new ApiError("run_unknown", "No run 'x'.", "run", 404));
  });

  it("reports a proxy's response without an error shape", async () => {
    const failed = answering(new Response("<html>", { status: 502, statusText: "Bad Gateway" })).hparams();
    await expect(failed).rejects.toMatchObject({
      code: "http",
      httpStatus: 502,
      message: "The server responded with 502 Bad Gateway",
    });
  });

  it("reports an unreachable server, and lets an abort through", async () => {
    await expect(new Client(() => Promise.reject(new TypeError("failed"))).hparams()).rejects.toMatchObject({
      code: "unreachable",
    });
    const aborted = new Client(() => Promise.reject(new DOMException("gone", "AbortError")));
    await expect(aborted.hparams()).rejects.toMatchObject({ name: "AbortError" });
  });

  it("sends a file as it is, with its name in the path", async () => {
    const sent: [string, RequestInit][] = [];
    const client = new Client((path, init) => {
      sent.push([path, init]);
      return Promise.resolve(new Response('{"file": "x"}'));
    });
    const file = new Blob(["abc"]);
    expect(await client.upload("graphs/file", { name: "a&b.onnx" }, file)).toEqual({ file: "x" });
    expect(sent[0]?.[0]).toBe("graphs/file?name=a%26b.onnx");
    expect(sent[0]?.[1]).toMatchObject({ method: "POST", body: file });
  });

  it("escapes names in paths", async () => {
    const paths: string[] = [];
    const client = new Client((path) => {
      paths.push(path);
      return Promise.resolve(new Response("{}"));
    });
    await client.points("lr=0.1&x", "a/b?");
    await client.series("a b");
    await client.series("a b", "#");
    expect(paths).toEqual([
      "scalars/points?run=lr%3D0.1%26x&tag=a%2Fb%3F",
      "series?run=a%20b",
      "series?run=a%20b&tag=%23",
    ]);
  });

  it("sends bodies as JSON with the caller's signal", async () => {
    const sent: [string, RequestInit][] = [];
    const client = new Client((path, init) => {
      sent.push([path, init]);
      return Promise.resolve(new Response('{"generation": 1, "rows": []}'));
    });
    const { signal } = new AbortController();
    expect(await client.table({ tags: ["loss"], at: 3 }, signal)).toEqual({ generation: 1, rows: [] });
    await client.runValues({ columns: [{ tag: "loss", stat: "min" }] });
    await client.exportScalars({ tags: ["loss"], format: "csv" });
    expect(sent.map(([path, { method, body }]) => [path, method, JSON.parse(body as string)])).toEqual([
      ["scalars/table", "POST", { tags: ["loss"], at: 3 }],
      ["runs/values", "POST", { columns: [{ tag: "loss", stat: "min" }] }],
      ["scalars/export", "POST", { tags: ["loss"], format: "csv" }],
    ]);
    expect(sent[0]?.[1].signal).toBe(signal);
  });
});
