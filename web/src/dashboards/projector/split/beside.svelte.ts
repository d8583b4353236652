// The points on the left of the split view: another projection, step or embedding, with the colours, matches and
// selection of the page's own points. Created in a component and ends with it.

import { untrack } from "svelte";
import type { EmbeddingRef } from "../answer";
import { embeddingKey, isLogged, seriesKey } from "../embedding_ref";
import { besideOption, setBesideOption } from "../options";
import { Pane } from "../pane.svelte";
import type { ProjectorPage } from "../projector_page.svelte";
import { labelOf, readRecipe, type Recipe, recipeNote, writeRecipe } from "../recipe";
import { carry, carryBack, carryRows, mapByLabel, type RowMap } from "./row_map";

export class Beside {
  readonly pane: Pane;
  /** Raw: replaced as a whole. Null: rows are the same in both. */
  #map = $state.raw<RowMap | null>(null);

  constructor(private readonly page: ProjectorPage) {
    this.pane = new Pane(page.session, {
      embedding: () => this.embedding,
      recipe: () => this.recipe,
      dimensions: () => page.dimensions,
      components: () => page.components,
      isolated: () => (this.isOther ? null : page.isolated),
    });
    const { pane } = this;
    const { cloud } = pane;
    // Outside: the server, for labels, where rows do not correspond by their place.
    $effect(() => {
      const isByLabel = this.isOther && pane.count > 0 && pane.count !== page.count;
      const [here, there] = [page.label, pane.about?.label ?? null];
      this.#map = null;
      if (!isByLabel || here === null || there === null) return;
      let isOld = false;
      const rows = (count: number): number[] => Array.from({ length: count }, (_, row) => row);
      void Promise.all([page.columns.load(here), pane.columns.load(there)])
        .then(() =>
          isOld
            ? null
            : Promise.all([page.columns.texts(here, rows(page.count)), pane.columns.texts(there, rows(pane.count))]),
        )
        .then((texts) => {
          if (texts && !isOld) this.#map = mapByLabel(...texts);
        })
        .catch(() => undefined);
      return () => (isOld = true);
    });
    // Outside, as all of these: the scene on the left.
    $effect.pre(() => {
      const { colors, filtered } = page.coloring;
      const grey = page.theme === "dark" ? 0x77839a : 0x7b8699;
      cloud.colors = colors && this.#isLinked ? carry(colors, this.#map, grey) : null;
      cloud.greyed = filtered && this.#isLinked ? carry(filtered, this.#map, 0) : null;
      cloud.hidden = page.out && this.#isLinked ? carry(page.out, this.#map, 0) : null;
    });
    $effect.pre(() => {
      const { mask } = page.selection;
      const carried = mask && this.#isLinked ? carry(mask, this.#map, 0) : null;
      untrack(() => cloud.setSelected(carried));
    });
    $effect.pre(() => {
      cloud.matches = this.#isLinked ? carryRows(page.search.rows, this.#map) : new Int32Array();
      cloud.focused = this.#rowThere(page.point);
    });
    $effect.pre(() => {
      cloud.mode = page.cloud.mode;
      cloud.tool = page.cloud.tool;
      cloud.hasNames = page.cloud.hasNames;
      cloud.hasContours = page.cloud.hasContours;
      cloud.clusters = this.#map || !this.#isLinked ? null : page.coloring.clusterNames;
    });
    // What is hovered in one is lit in the other; whichever changed last counts.
    $effect(() => {
      const row = this.#rowThere(page.cloud.hovered);
      untrack(() => {
        if (cloud.hovered !== row) cloud.hovered = row;
      });
    });
    cloud.onhover = (row) => (page.cloud.hovered = this.#rowHere(row));
    cloud.onpick = (row, { add }) => page.cloud.onpick?.(this.#rowHere(row), { add });
    cloud.onselect = (mask, how) => page.selection.set(carryBack(mask, this.#map), how);
  }

  /** What stands on the left; the page's own embedding unless another is chosen. */
  readonly embedding = $derived.by((): EmbeddingRef | null => {
    const { against, embedding, listed } = this.page;
    const { step } = this.#usual;
    if (!against) return step !== undefined && embedding && isLogged(embedding) ? { ...embedding, step } : embedding;
    const known = listed.find(({ run, name }) => run === against.run && name === against.name);
    return { ...against, step: against.step ?? known?.steps.at(-1) ?? null };
  });
  readonly #recipeText = $derived.by(() => besideOption(this.page.settings));
  readonly recipe = $derived.by(
    (): Recipe | null => readRecipe(this.#recipeText) ?? this.#usual.recipe ?? this.page.recipe,
  );
  /** Until the user chooses: how it began, else another projection. */
  readonly #usual = $derived.by((): { readonly step?: number; readonly recipe?: Recipe } => {
    const { against, steps, step, recipe, results } = this.page;
    if (against || this.#recipeText !== "" || !recipe) return {};
    const [first] = steps;
    if (first !== undefined && steps.length > 1) return { step: step === first ? (steps.at(-1) ?? first) : first };
    const text = writeRecipe(recipe);
    const other = results.listed.find((each) => writeRecipe(each.recipe) !== text);
    return other ? { recipe: other.recipe } : {};
  });
  /** Not the same vectors as the page's. */
  readonly isOther = $derived.by(() => seriesKey(this.embedding) !== seriesKey(this.page.embedding));
  readonly #isLinked = $derived.by(() => this.#map !== null || this.pane.count === this.page.count);

  /** What can stand on the left. */
  readonly choices = $derived.by((): readonly { value: string; label: string }[] => {
    const { page } = this;
    const { embedding, steps, step, listed, count } = page;
    const results = page.results.listed.map(({ recipe }) => ({
      value: JSON.stringify({ recipe: writeRecipe(recipe) }),
      label: [labelOf(recipe.method), recipeNote(recipe, count)].filter(Boolean).join(" · "),
    }));
    const others = steps
      .filter((each) => each !== step)
      .map((each) => ({ value: JSON.stringify({ step: each }), label: `step ${each}` }));
    const own = embedding && isLogged(embedding) ? embedding : null;
    const embeddings = listed
      .filter(({ run, name, problem }) => problem === null && (run !== own?.run || name !== own.name))
      .map(({ run, name }) => ({ value: JSON.stringify({ run, name }), label: `${run} · ${name}` }));
    const all = [...results, ...others, ...embeddings];
    return all.some(({ value }) => value === this.choice) ? all : [{ value: this.choice, label: "the same" }, ...all];
  });
  readonly choice: string = $derived.by((): string => {
    const { against, embedding } = this.page;
    const { step, recipe } = this.#usual;
    if (step !== undefined) return JSON.stringify({ step });
    if (recipe) return JSON.stringify({ recipe: writeRecipe(recipe) });
    if (against) {
      const isOwn =
        embedding && isLogged(embedding) && against.run === embedding.run && against.name === embedding.name;
      return JSON.stringify(isOwn ? { step: against.step } : { run: against.run, name: against.name });
    }
    return this.#recipeText === "" ? "{}" : JSON.stringify({ recipe: this.#recipeText });
  });

  choose(value: string): void {
    const { page } = this;
    const asked = JSON.parse(value) as { recipe?: string; step?: number; run?: string; name?: string };
    setBesideOption(page.settings, asked.recipe ?? "");
    const { embedding } = page;
    if (asked.run !== undefined && asked.name !== undefined)
      page.compareWith({ run: asked.run, name: asked.name, step: null });
    else if (asked.step !== undefined && embedding && isLogged(embedding))
      page.compareWith({ ...embedding, step: asked.step });
    else page.compareWith(null);
  }

  /** Of what is on the left, for its heading. */
  readonly title = $derived.by((): string => {
    const { embedding } = this;
    if (!embedding) return "";
    if (!isLogged(embedding)) return this.page.file?.name ?? "";
    const step = embedding.step === null ? "" : `, step ${embedding.step}`;
    return `${embedding.run} · ${embedding.name}${step}`;
  });
  readonly key = $derived.by(() => embeddingKey(this.embedding));

  #rowThere(row: number | null): number | null {
    if (row === null || !this.#isLinked) return null;
    const there = this.#map ? (this.#map.there[row] ?? -1) : row;
    return there < 0 ? null : there;
  }

  #rowHere(row: number | null): number | null {
    if (row === null) return null;
    const here = this.#map ? (this.#map.back[row] ?? -1) : row;
    return here < 0 || !this.#isLinked ? null : here;
  }
}
