import { describe, expect, it } from "vitest";
import { readRecipe, recipeNote, type Recipe, usualPerplexity, usualRecipe, writeRecipe } from "./recipe";

const umap: Recipe = {
  ...usualRecipe("umap", 128, 3),
  neighbors: 40,
  min_dist: 0.25,
  metric: "euclidean",
  prepare: "unit",
  seed: 7,
  supervise: { column: "a;b=c", weight: 0.3, ignored: "none; of them" },
};

describe("a recipe in the address", () => {
  it("is read as it was written", () => {
    for (const recipe of [
      usualRecipe("pca", 128, 3),
      usualRecipe("tsne", 20, 2),
      umap,
      {
        ...usualRecipe("custom", 3, 2),
        axes: {
          x: { from: { q: "man;", column: null, mode: "text" }, to: { column: "word", value: "woman" } },
          y: { from: { rows: "AAAA" }, to: { rows: "AQAAAA==" } },
          z: null,
        },
      } satisfies Recipe,
    ])
      expect(readRecipe(writeRecipe(recipe))).toEqual(recipe);
  });

  it("is refused if it is something else", () => {
    expect(readRecipe("")).toBeNull();
    expect(readRecipe("lda;k=2")).toBeNull();
    expect(readRecipe("custom;a={")?.axes).toBeNull();
    expect(readRecipe("umap;n=x")?.neighbors).toBe(15);
  });
});

it("spherizes where there are many dimensions", () => {
  expect(usualRecipe("pca", 300, 2).prepare).toBe("spherize");
  expect(usualRecipe("pca", 3, 2).prepare).toBe("none");
});

it("says what tells results apart", () => {
  expect(recipeNote(umap, 100)).toBe("40 · 0.25 · euclidean · by a;b=c · 3D");
  expect(recipeNote(usualRecipe("tsne", 3, 2), 6_000)).toBe("perplexity 20");
  expect([1, 10, 200, 70_000].map(usualPerplexity)).toEqual([1, 3, 5, 30]);
});
