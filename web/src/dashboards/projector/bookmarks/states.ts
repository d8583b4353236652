// Bookmarks in the form of TensorBoard's files: an array of states, each with everything that one view of the points
// needs. Pure.

import type { CameraDef } from "./camera_def";

export type Projection = "pca" | "tsne" | "umap" | "custom";

/** Names as in the files. Everything but the first three may be missing in files that other programs have written. */
export interface State {
  label: string;
  selectedProjection: Projection;
  /** Rows and dimensions of the embedding. */
  dataSetDimensions: [number, number];
  isSelected?: boolean;
  tSNEIteration?: number;
  tSNEPerplexity?: number;
  tSNELearningRate?: number;
  tSNEis3d?: boolean;
  umapIs3d?: boolean;
  umapNeighbors?: number;
  umapMinDist?: number;
  /** Components on the axes, from 0. */
  pcaComponentDimensions?: number[];
  customSelectedSearchByMetadataOption?: string;
  customXLeftText?: string;
  customXLeftRegex?: boolean;
  customXRightText?: string;
  customXRightRegex?: boolean;
  customYUpText?: string;
  customYUpRegex?: boolean;
  customYDownText?: string;
  customYDownRegex?: boolean;
  /** One object a row. */
  projections?: Record<string, number>[];
  filteredPoints?: number[];
  shuffledDataIndices?: number[];
  selectedPoints?: number[];
  cameraDef?: CameraDef;
  selectedColorOptionName?: string;
  forceCategoricalColoring?: boolean;
  selectedLabelOption?: string;
  /** Options of the view as in the address, where it was written by Runglass. TensorBoard ignores them. */
  runglass?: Record<string, string>;
}

export class BookmarksError extends Error {}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isProjection = (value: unknown): value is Projection =>
  ["pca", "tsne", "umap", "custom"].includes(value as Projection);
const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => typeof each === "number");

/** Throws BookmarksError with a sentence for the user. */
export function readStates(text: string, rows: number, dimensions: number): State[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new BookmarksError("This file is not JSON.");
  }
  return checkStates(data, rows, dimensions);
}

export function checkStates(data: unknown, rows: number, dimensions: number): State[] {
  const listed: unknown[] = Array.isArray(data) ? data : [data];
  return listed.map((each, i) => {
    if (!isObject(each) || !isProjection(each["selectedProjection"]))
      throw new BookmarksError(`Bookmark ${i + 1} names no projection: this is not a file of bookmarks.`);
    const shape = each["dataSetDimensions"];
    const filtered = each["filteredPoints"];
    const fits = (count: number | undefined): boolean =>
      count === rows || (isNumbers(filtered) && count === filtered.length);
    if (isNumbers(shape) && (!fits(shape[0]) || shape[1] !== dimensions))
      throw new BookmarksError(
        `The bookmarks are of an embedding of ${shape.join(" × ")}, and this one has ${rows} × ${dimensions}.`,
      );
    const label = each["label"];
    return withAllRows({
      ...(each as Partial<State>),
      label: typeof label === "string" && label.trim() !== "" ? label : `Bookmark ${i + 1}`,
      selectedProjection: each["selectedProjection"],
      dataSetDimensions: [rows, dimensions],
    });
  });
}

/** In a file only filtered points have a position, in their order, and what is selected counts among them. */
function withAllRows(state: State): State {
  const { filteredPoints: filtered, projections, selectedPoints } = state;
  const [count] = state.dataSetDimensions;
  if (!isNumbers(filtered) || filtered.length === count || projections?.length !== filtered.length) return state;
  const places = new Map(filtered.map((row, i) => [row, projections[i]]));
  return {
    ...state,
    projections: Array.from({ length: count }, (_, row) => places.get(row) ?? {}),
    ...(isNumbers(selectedPoints) && { selectedPoints: selectedPoints.flatMap((at) => filtered[at] ?? []) }),
  };
}

function withFilteredRows(state: State): State {
  const { filteredPoints: filtered, projections, selectedPoints = [] } = state;
  if (!filtered || filtered.length === 0 || !projections) return state;
  const places = new Map(filtered.map((row, i) => [row, i]));
  return {
    ...state,
    projections: filtered.map((row) => projections[row] ?? {}),
    selectedPoints: selectedPoints.flatMap((row) => places.get(row) ?? []),
  };
}

/** The names of a projection's axes in each row's object. */
export function axesOf(state: State): string[] {
  switch (state.selectedProjection) {
    case "pca":
      return (isNumbers(state.pcaComponentDimensions) ? state.pcaComponentDimensions : [0, 1, 2]).map(
        (i) => `pca-${i}`,
      );
    case "tsne":
      return numbered("tsne", state.tSNEis3d ?? true);
    case "umap":
      return numbered("umap", state.umapIs3d ?? true);
    case "custom":
      return ["linear-x", "linear-y"];
  }
}

const MOST_COMPONENTS = 100;
/** Positions of PCA have a column for each component, also for those that are not shown. */
const columnsOf = (axes: readonly string[]): number[] =>
  axes.map((axis, i) => {
    const component = Number(/^pca-(\d+)$/.exec(axis)?.[1] ?? i);
    return component < MOST_COMPONENTS ? component : i;
  });

const numbered = (name: string, is3d: boolean): string[] =>
  Array.from({ length: is3d ? 3 : 2 }, (_, i) => `${name}-${i}`);

export interface StatePositions {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
  /** Those that have a position; null: all. */
  readonly rows: Int32Array | null;
}

/** Null: the file has no positions, they must be computed. */
export function positionsOf(state: State): StatePositions | null {
  const { projections } = state;
  const axes = axesOf(state);
  const [count] = state.dataSetDimensions;
  if (!Array.isArray(projections) || projections.length === 0 || axes.length < 2) return null;
  const columns = columnsOf(axes);
  const dimensions = Math.max(...columns) + 1;
  const rows: number[] = [];
  const positions: number[] = [];
  for (let row = 0; row < Math.min(count, projections.length); row++) {
    const here = axes.map((axis) => projections[row]?.[axis]);
    if (!here.every((value) => Number.isFinite(value))) continue;
    rows.push(row);
    const cells = new Array<number>(dimensions).fill(0);
    columns.forEach((column, i) => (cells[column] = here[i] as number));
    positions.push(...cells);
  }
  if (rows.length === 0) return null;
  return {
    positions: Float32Array.from(positions),
    dimensions,
    rows: rows.length === count ? null : Int32Array.from(rows),
  };
}

/** TensorBoard shows no more points, and a file of more would be too large to read. */
const MOST_POSITIONS = 100_000;

/** `rows`: those of the positions; null: all. */
export function withPositions(state: State, { positions, dimensions, rows }: StatePositions): State {
  const axes = axesOf(state).slice(0, dimensions);
  const [count] = state.dataSetDimensions;
  if (count > MOST_POSITIONS) return state;
  const projections: Record<string, number>[] = Array.from({ length: count }, () => ({}));
  const length = rows?.length ?? count;
  for (let i = 0; i < length; i++)
    axes.forEach((axis, k) => {
      const value = positions[i * dimensions + k];
      const cells = projections[rows?.[i] ?? i];
      if (cells && value !== undefined && Number.isFinite(value)) cells[axis] = value;
    });
  return { ...state, projections };
}

export const writeStates = (states: readonly State[]): string => JSON.stringify(states.map(withFilteredRows));
