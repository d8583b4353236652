// Views of the points that the user keeps: projection with its positions, camera, selection, filter, colours. Read from
// and written to TensorBoard's files. They last as long as the page.

import { fileName, saveFile } from "../../../base/files";
import { isLogged, seriesKey } from "../embedding_ref";
import { keptOptions, restoreOptions, setCameraOption } from "../options";
import type { ProjectorPage } from "../projector_page.svelte";
import { type Recipe, usualRecipe } from "../recipe";
import { rowsOf, writeRows } from "../row_sets";
import type { Camera } from "../scene/camera";
import { Cloud } from "../scene/cloud.svelte";
import { placeIn, writeCamera } from "../show_in_cloud.svelte";
import { readCameraDef, writeCameraDef } from "./camera_def";
import {
  BookmarksError,
  checkStates,
  positionsOf,
  readStates,
  type State,
  type StatePositions,
  withPositions,
  writeStates,
} from "./states";

export class Bookmarks {
  /** Raw: replaced, never edited. */
  states = $state.raw<readonly State[]>([]);
  /** Why those of the run are not here. */
  readonly problem: string;

  constructor(private readonly page: ProjectorPage) {
    const { about } = page;
    let problem = "";
    try {
      if (about?.bookmarks) this.states = checkStates(about.bookmarks, about.rows, about.dimensions);
    } catch (cause) {
      if (!(cause instanceof BookmarksError)) throw cause;
      problem = cause.message;
    }
    this.problem = problem;
  }

  add(label: string): void {
    this.states = [...this.states, stateOf(this.page, label || `View ${this.states.length + 1}`)];
  }

  rename(state: State, label: string): void {
    this.states = this.states.map((each) => (each === state ? { ...each, label } : each));
  }

  remove(state: State): void {
    this.states = this.states.filter((each) => each !== state);
  }

  /** Throws with a sentence for the user. */
  read(text: string): void {
    const { about } = this.page;
    if (!about) throw new BookmarksError("Open the embedding of these bookmarks first.");
    const read = readStates(text, about.rows, about.dimensions);
    this.states = [...this.states, ...read];
    const shown = read.find(({ isSelected }) => isSelected);
    if (shown) this.restore(shown);
  }

  save(): void {
    const { series, file } = this.page;
    const name = series && isLogged(series) ? series.name : (file?.name ?? "");
    saveFile(fileName([name, "bookmarks"], "json"), writeStates(this.states));
  }

  restore(state: State): void {
    const { page } = this;
    const placed = positionsOf(state);
    const recipe = recipeOf(state, page);
    const [count] = state.dataSetDimensions;
    const filtered = state.filteredPoints ?? [];
    // Before the positions, which belong to these points alone.
    page.isolate(filtered.length < count ? Int32Array.from(filtered).sort() : null);
    // The camera is that of the bookmark.
    page.cloud.stay();
    if (placed) page.results.put(recipe, placed);
    if (state.runglass) {
      restoreOptions(page.settings, state.runglass);
      page.selection.setRows(state.selectedPoints ?? [], count);
      return;
    }
    page.reduce(recipe);
    page.setDimensions(is3d(state) ? 3 : 2);
    if (state.selectedProjection === "pca") {
      const [x = 0, y = 1, z = 2] = state.pcaComponentDimensions ?? [];
      page.setComponents([x, y, z]);
    }
    page.selection.setRows(state.selectedPoints ?? [], count);
    if (page.columns.info(state.selectedColorOptionName ?? ""))
      page.coloring.choose({ kind: "column", column: state.selectedColorOptionName as string });
    if (page.columns.info(state.selectedLabelOption ?? "")) page.setLabel(state.selectedLabelOption as string);
    setCameraOption(page.settings, writeCamera(placed && cameraOf(state, placed, page)));
  }
}

/** In the units of its positions; null: home. */
function cameraOf(state: State, placed: StatePositions, { components, dimensions }: ProjectorPage): Camera | null {
  const cloud = new Cloud();
  cloud.start(state.dataSetDimensions[0]);
  const isPca = state.selectedProjection === "pca";
  placeIn(cloud, placed, { components: isPca ? components : null, dimensions, animateMs: 0 });
  return readCameraDef(state.cameraDef, cloud.dimensions, cloud.bounds);
}

const kept = new WeakMap<ProjectorPage, { key: string; bookmarks: Bookmarks }>();

/** Of the embedding that is shown. */
export function bookmarksOf(page: ProjectorPage): Bookmarks {
  const key = seriesKey(page.series) + (page.about ? "" : " unread");
  const known = kept.get(page);
  if (known?.key === key) return known.bookmarks;
  const bookmarks = new Bookmarks(page);
  kept.set(page, { key, bookmarks });
  return bookmarks;
}

const is3d = ({ selectedProjection, tSNEis3d, umapIs3d, pcaComponentDimensions }: State): boolean => {
  if (selectedProjection === "tsne") return tSNEis3d ?? true;
  if (selectedProjection === "umap") return umapIs3d ?? true;
  return selectedProjection === "pca" && (pcaComponentDimensions?.length ?? 3) > 2;
};

function recipeOf(state: State, page: ProjectorPage): Recipe {
  const method = state.selectedProjection;
  const usual = usualRecipe(method, page.about?.dimensions ?? null, is3d(state) ? 3 : 2);
  if (method === "tsne")
    return {
      ...usual,
      perplexity: positive(state.tSNEPerplexity),
      ...(positive(state.tSNEIteration) !== null && { iterations: state.tSNEIteration as number }),
    };
  if (method === "umap")
    return {
      ...usual,
      neighbors: positive(state.umapNeighbors) ?? usual.neighbors ?? 15,
      min_dist: state.umapMinDist ?? usual.min_dist ?? 0.1,
    };
  return method === "custom" && page.recipe?.method === "custom" ? page.recipe : usual;
}

const positive = (value: number | undefined): number | null => (value !== undefined && value > 0 ? value : null);

function stateOf(page: ProjectorPage, label: string): State {
  const { about, recipe, cloud, coloring, settings, isolated, selection } = page;
  if (!about || !recipe) throw new BookmarksError("There is nothing to keep yet.");
  const { dimensions, positions } = cloud.placed;
  const is3 = dimensions === 3;
  const setOf = (rows: ArrayLike<number> | null): string => (rows ? (writeRows(rows) ?? "") : "");
  const state: State = {
    label,
    isSelected: true,
    selectedProjection: recipe.method,
    dataSetDimensions: [about.rows, about.dimensions],
    tSNEIteration: recipe.method === "tsne" ? (page.results.shown?.reduced?.iterations ?? 0) : 0,
    tSNEPerplexity: recipe.perplexity ?? 0,
    tSNELearningRate: recipe.learning_rate ?? 0,
    tSNEis3d: is3,
    umapIs3d: is3,
    umapNeighbors: recipe.neighbors ?? 15,
    umapMinDist: recipe.min_dist ?? 0.1,
    pcaComponentDimensions: page.components.slice(0, dimensions),
    ...(isolated && { filteredPoints: [...isolated.rows] }),
    shuffledDataIndices: [],
    selectedPoints: [...selection.rows],
    cameraDef: writeCameraDef(cloud.view.camera, cloud.dimensions, cloud.bounds),
    selectedColorOptionName: coloring.by.kind === "column" ? coloring.by.column : "",
    forceCategoricalColoring: false,
    selectedLabelOption: page.label ?? "",
    runglass: keptOptions(settings, {
      selected: setOf(selection.rows),
      hidden: setOf(page.hiddenRows && rowsOf(page.hiddenRows)),
      isolated: setOf(isolated?.rows ?? null),
    }),
  };
  // The scene has three numbers for each point, whatever is shown.
  const flat = Float32Array.from({ length: about.rows * dimensions }, (_, i) =>
    Number(positions[3 * Math.floor(i / dimensions) + (i % dimensions)]),
  );
  return withPositions(state, { positions: flat, dimensions, rows: null });
}
