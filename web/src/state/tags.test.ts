import { describe, expect, it } from "vitest";
import type { CardKind } from "../api/asset_kind";
import type { Asset, TagIndex } from "../api/types";
import { indexAssets, Tags } from "./tags.svelte";

const asset = (run: string, name: string): Asset => ({
  run,
  name,
  family: "profile",
  size_bytes: 1,
  modified_time: 0,
  generation: 1,
});

describe("an index of assets", () => {
  it("has the names of each run where tags would be", () => {
    const index = indexAssets(3, [asset("a", "x"), asset("a", "__proto__"), asset("b", "x")]);
    expect(index.generation).toBe(3);
    expect(index.runs).toEqual({ a: 0, b: 1 });
    expect(index.tag_sets.map((names) => Object.keys(names))).toEqual([["x", "__proto__"], ["x"]]);
  });

  it("is requested again when the session says so, and the last answer counts", async () => {
    const asked: { readonly kind: CardKind; readonly answer: (index: TagIndex) => void }[] = [];
    const tags = new Tags((kind) => new Promise((answer) => asked.push({ kind, answer })));
    const answerNext = async (index: TagIndex): Promise<void> => {
      asked.shift()?.answer(index);
      await new Promise((done) => setTimeout(done));
    };
    expect([tags.index("scalar"), tags.index("assets/profile")]).toEqual([null, null]);
    await answerNext(indexAssets(1, []));
    tags.refreshAssets("1 asset");
    expect(asked.map(({ kind }) => kind)).toEqual(["assets/profile"]);
    await answerNext(indexAssets(1, [asset("a", "x")]));
    expect(tags.index("assets/profile")?.runs).toEqual({ a: 0 });
    expect(asked.map(({ kind }) => kind)).toEqual(["assets/profile"]);
    await answerNext(indexAssets(2, [asset("a", "x"), asset("b", "x")]));
    expect(tags.index("assets/profile")?.runs).toEqual({ a: 0, b: 1 });
    expect(asked).toEqual([]);
  });

  it("is requested once for every version of the files, and again after an error", async () => {
    let [count, isAway] = [0, true];
    const tags = new Tags(() => {
      count++;
      return isAway ? Promise.reject(new Error("away")) : Promise.resolve(indexAssets(1, []));
    });
    tags.want("assets/profile", { comes: true });
    const refresh = async (version: string): Promise<number> => {
      tags.refreshAssets(version);
      await new Promise((done) => setTimeout(done));
      return count;
    };
    expect(await refresh("1")).toBe(1);
    isAway = false;
    expect([await refresh("1"), await refresh("1"), await refresh("2"), await refresh("2")]).toEqual([2, 2, 3, 3]);
  });
});
