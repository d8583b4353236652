// How points are placed, as one value: the method with its settings, what supervises it, and custom axes. As text for
// the address, and in words. Pure.

import { readParts, writeParts } from "../../base/parts";
import type { Axis, Method, Metric, Prepare, ReduceQuestion, Reduction } from "./answer";

export interface Recipe extends Reduction {
  readonly supervise: ReduceQuestion["supervise"];
  readonly axes: ReduceQuestion["axes"];
}

export const METHODS = [
  { value: "pca", label: "PCA", hint: "The directions of most variance; exact, and at once" },
  { value: "tsne", label: "t-SNE", hint: "Keeps near neighbours near; distances between clusters mean little" },
  { value: "umap", label: "UMAP", hint: "Keeps near neighbours near, and more of the whole" },
  { value: "custom", label: "Custom", hint: "Axes between two groups of points" },
] as const satisfies readonly { value: Method; label: string; hint: string }[];
export const labelOf = (method: Method): string => METHODS.find(({ value }) => value === method)?.label ?? method;

export const PREPARATIONS = [
  { value: "none", label: "none" },
  { value: "centre", label: "centre" },
  { value: "unit", label: "unit length" },
  { value: "spherize", label: "spherize" },
  { value: "whiten", label: "whiten" },
] as const satisfies readonly { value: Prepare; label: string }[];

/** Vectors of so many dimensions are compared by direction, unless the user says otherwise. */
const MANY_DIMENSIONS = 50;
export const USUAL = { iterations: 750, early_exaggeration: 12, neighbors: 15, min_dist: 0.1, weight: 0.5 };
export const MAX_NEIGHBORS = 200;

export function usualRecipe(method: Method, dimensions: number | null, shown: 2 | 3): Recipe {
  const common = {
    method,
    // Of PCA all components arrive, whatever is shown.
    dimensions: method === "pca" ? 2 : shown,
    metric: "cosine",
    prepare: (dimensions ?? 0) >= MANY_DIMENSIONS ? "spherize" : "none",
    seed: 0,
    supervise: null,
    axes: null,
  } as const;
  if (method === "tsne")
    return {
      ...common,
      perplexity: null,
      learning_rate: null,
      early_exaggeration: USUAL.early_exaggeration,
      iterations: USUAL.iterations,
    };
  if (method === "umap") return { ...common, neighbors: USUAL.neighbors, min_dist: USUAL.min_dist, epochs: null };
  return common;
}

/** The perplexity that the server uses if the user sets none. */
export const usualPerplexity = (points: number): number =>
  Math.max(1, Math.min(30, Math.max(5, Math.ceil(Math.sqrt(points) / 4)), (points - 1) / 3));

const NUMBERS = {
  perplexity: "p",
  learning_rate: "r",
  early_exaggeration: "x",
  iterations: "i",
  neighbors: "n",
  min_dist: "d",
  epochs: "e",
} as const;
type NumberField = keyof typeof NUMBERS;
const FIELDS = Object.entries(NUMBERS) as [NumberField, string][];

/** As the address has it; equal recipes have equal texts. */
export function writeRecipe(recipe: Recipe): string {
  const parts: string[] = [recipe.method, `k=${recipe.dimensions}`];
  if (recipe.metric !== "cosine") parts.push(`m=${recipe.metric}`);
  parts.push(`t=${recipe.prepare}`);
  if (recipe.seed !== 0) parts.push(`s=${recipe.seed}`);
  for (const [field, sign] of FIELDS) {
    const value = recipe[field];
    if (value !== null && value !== undefined) parts.push(`${sign}=${value}`);
  }
  const { supervise, axes } = recipe;
  if (supervise) parts.push(`w=${writeParts([supervise.column, String(supervise.weight), supervise.ignored ?? ""])}`);
  if (axes) parts.push(`a=${JSON.stringify(axes)}`);
  return writeParts(parts);
}

/** Null: not written by `writeRecipe`. */
export function readRecipe(text: string): Recipe | null {
  const [name, ...rest] = readParts(text);
  const method = METHODS.find(({ value }) => value === name)?.value;
  if (!method) return null;
  const given = new Map(rest.map((part): [string, string] => [part.slice(0, 1), part.slice(2)]));
  const usual = usualRecipe(method, null, given.get("k") === "3" ? 3 : 2);
  const prepare = PREPARATIONS.find(({ value }) => value === given.get("t"))?.value ?? usual.prepare;
  const numbers: Partial<Record<NumberField, number>> = {};
  for (const [field, sign] of FIELDS) {
    const value = given.get(sign);
    if (value !== undefined && value !== "" && Number.isFinite(Number(value))) numbers[field] = Number(value);
  }
  const seed = Number(given.get("s") ?? 0);
  const metric: Metric = given.get("m") === "euclidean" ? "euclidean" : "cosine";
  return {
    ...usual,
    ...numbers,
    metric,
    prepare,
    seed: Number.isInteger(seed) && seed >= 0 ? seed : 0,
    supervise: readSupervision(given.get("w")),
    axes: readAxes(given.get("a")),
  };
}

function readSupervision(text: string | undefined): Recipe["supervise"] {
  if (text === undefined) return null;
  const [column, weight, ignored = ""] = readParts(text);
  if (column === undefined || !Number.isFinite(Number(weight))) return null;
  return { column, weight: Number(weight), ignored: ignored === "" ? null : ignored };
}

const isAxis = (axis: unknown): axis is Axis =>
  typeof axis === "object" && axis !== null && "from" in axis && "to" in axis;

function readAxes(text: string | undefined): Recipe["axes"] {
  if (text === undefined) return null;
  try {
    const { x, y, z } = JSON.parse(text) as { x?: unknown; y?: unknown; z?: unknown };
    return isAxis(x) ? { x, y: isAxis(y) ? y : null, z: isAxis(z) ? z : null } : null;
  } catch {
    return null;
  }
}

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** What tells it from other results of its method, for a list. */
export function recipeNote(recipe: Recipe, points: number): string {
  const parts: string[] = [];
  if (recipe.method === "tsne") parts.push(`perplexity ${short(recipe.perplexity ?? usualPerplexity(points))}`);
  if (recipe.method === "umap") {
    parts.push(String(recipe.neighbors ?? USUAL.neighbors));
    parts.push((recipe.min_dist ?? USUAL.min_dist).toFixed(2));
    parts.push(recipe.metric);
  }
  if (recipe.method === "custom" && recipe.axes)
    parts.push(recipe.axes.z ? "three axes" : recipe.axes.y ? "two axes" : "one axis");
  if (recipe.supervise) parts.push(`by ${recipe.supervise.column}`);
  if (recipe.dimensions === 3 && recipe.method !== "pca") parts.push("3D");
  return parts.join(" · ");
}
