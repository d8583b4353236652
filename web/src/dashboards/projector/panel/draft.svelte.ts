// What the user sets in the panel before it is run: a recipe for each method. What is shown comes from the address, and
// replaces the draft of its method. Created in a component and ends with it.

import { untrack } from "svelte";
import type { Method } from "../answer";
import type { ProjectorPage } from "../projector_page.svelte";
import { type Recipe, usualRecipe, writeRecipe } from "../recipe";

/** So many points are projected as soon as a method is chosen. */
const FAST_POINTS = 20_000;

export class Draft {
  method = $state<Method>("pca");
  /** Raw: replaced, never edited. */
  #recipes = $state.raw<Partial<Record<Method, Recipe>>>({});

  constructor(private readonly page: ProjectorPage) {
    let last = "";
    $effect.pre(() => {
      const { recipe } = page;
      const text = recipe ? writeRecipe(recipe) : "";
      if (!recipe || text === last) return;
      last = text;
      untrack(() => {
        this.method = recipe.method;
        this.#recipes = { ...this.#recipes, [recipe.method]: recipe };
      });
    });
  }

  readonly recipe = $derived.by((): Recipe => {
    const { page, method } = this;
    const width = page.about?.dimensions ?? page.info?.dimensions ?? null;
    return this.#recipes[method] ?? usualRecipe(method, width, page.dimensions);
  });
  /** It is what the address asks for. */
  readonly isAsked = $derived.by(
    () => this.page.recipe !== null && writeRecipe(this.recipe) === writeRecipe(this.page.recipe),
  );

  change(part: Partial<Recipe>): void {
    this.#recipes = { ...this.#recipes, [this.method]: { ...this.recipe, ...part } };
    // It is there at once.
    if (this.method === "pca") this.run();
  }

  /** Shows what there is of a method, and starts it where it takes a moment only. */
  choose(method: Method): void {
    const { page } = this;
    this.method = method;
    const have = page.results.listed.find(({ recipe }) => recipe.method === method);
    if (have) page.reduce(have.recipe);
    else if (method === "pca" || (method !== "custom" && page.count <= FAST_POINTS)) this.run();
  }

  run(): void {
    this.page.reduce(this.recipe);
  }
}
