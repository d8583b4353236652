// What the routes of the projector answer, and its binary answers as typed arrays indexed by row.

import { readBlocks } from "../named_blocks";

/** Which embedding: one of a run, or one that was dropped on the page. Without a step, the newest. */
export type EmbeddingRef =
  { readonly run: string; readonly name: string; readonly step: number | null } | { readonly file: string };
export type LoggedEmbedding = Extract<EmbeddingRef, { run: string }>;

export interface ListedEmbedding {
  readonly run: string;
  readonly name: string;
  /** Ascending; empty: it has none. */
  readonly steps: readonly number[];
  /** Null: known once it was read. */
  readonly rows: number | null;
  readonly dimensions: number | null;
  readonly dtype: string;
  readonly path: string;
  readonly has_metadata: boolean;
  readonly has_sprite: boolean;
  readonly has_bookmarks: boolean;
  /** Found in a checkpoint, no config names it. */
  readonly is_offered: boolean;
  readonly problem: string | null;
}

export interface EmbeddingList {
  readonly generation: number;
  readonly embeddings: readonly ListedEmbedding[];
}

export interface EmbeddingFile {
  readonly file: string;
  readonly rows: number;
  readonly dimensions: number;
}

export type ColumnType = "number" | "category" | "text";
export interface ColumnInfo {
  readonly name: string;
  readonly type: ColumnType;
  readonly distinct: number;
  readonly missing: number;
  /** Best coloured as categories: also few whole numbers, which are names of classes. */
  readonly is_categorical: boolean;
  /** Not in the metadata: the run logs it for each row. */
  readonly is_logged: boolean;
  readonly min: number | string | null;
  readonly max: number | string | null;
}

export interface About {
  readonly rows: number;
  readonly dimensions: number;
  readonly dtype: string;
  /** The one that was read; null: it has none. */
  readonly step: number | null;
  readonly steps: readonly number[];
  readonly columns: readonly ColumnInfo[];
  /** The column that names points, and the one to colour by, if the user has chosen none. */
  readonly label: string | null;
  readonly color: string | null;
  readonly sprite: { readonly width: number; readonly height: number; readonly count: number } | null;
  readonly has_sequences: boolean;
  /** Rows with values that are not finite; null: not counted yet. */
  readonly left_out: number | null;
  readonly problems: readonly string[];
  readonly paths: readonly string[];
  readonly bookmarks: readonly unknown[] | null;
}

export interface TextsAnswer {
  readonly texts: readonly (string | null)[];
}

export interface RowAnswer {
  readonly row: number;
  readonly values: Readonly<Record<string, string | number | null>>;
  readonly has_picture: boolean;
  readonly norm: number | string;
}

export type Metric = "cosine" | "euclidean";
export interface NeighborsAnswer {
  readonly rows: readonly number[];
  readonly distances: readonly number[];
}
export interface DistancesAnswer {
  readonly cosine: number | string;
  readonly euclidean: number | string;
}
export interface KeptAnswer {
  readonly steps: readonly number[];
  /** Null at the first step. */
  readonly kept: readonly (number | null)[];
}

/** A column of metadata. `numbers` and `codes` have one entry per row. */
export type Column =
  | {
      readonly name: string;
      readonly type: "number";
      readonly numbers: Float64Array;
      /** Of few distinct numbers: they may be names of classes. */
      readonly codes?: Int32Array;
      readonly levels?: readonly string[];
    }
  /** -1: no value. */
  | {
      readonly name: string;
      readonly type: "category" | "text";
      readonly codes: Int32Array;
      readonly levels: readonly string[];
    };

export type Method = "pca" | "tsne" | "umap" | "custom";
export type Prepare = "none" | "centre" | "unit" | "spherize" | "whiten";

/** Points that one end of a custom axis is the centre of. */
export type AxisEnd =
  | { readonly q: string; readonly column: string | null; readonly mode: "text" | "exact" }
  /** Base64 of int32. */
  | { readonly rows: string }
  | { readonly column: string; readonly value: string };
export interface Axis {
  readonly from: AxisEnd;
  readonly to: AxisEnd;
}

/** How points are placed: what a job computes. */
export interface Reduction {
  readonly method: Method;
  readonly dimensions: 2 | 3;
  readonly metric: Metric;
  readonly prepare: Prepare;
  readonly seed: number;
  /** t-SNE; null: chosen by the number of points. */
  readonly perplexity?: number | null;
  readonly learning_rate?: number | null;
  readonly early_exaggeration?: number;
  readonly iterations?: number;
  /** UMAP. */
  readonly neighbors?: number;
  readonly min_dist?: number;
  readonly epochs?: number | null;
}
export interface ReduceQuestion extends Reduction {
  readonly embedding: EmbeddingRef;
  /** Base64 of int32: only these rows. */
  readonly rows: string | null;
  readonly supervise: { readonly column: string; readonly weight: number; readonly ignored: string | null } | null;
  readonly axes: { readonly x: Axis; readonly y: Axis | null; readonly z: Axis | null } | null;
  /** The job whose positions it goes on from. */
  readonly start: string | null;
  /** From 0 to 1. */
  readonly perturb: number;
}

export type SearchMode = "text" | "pattern" | "exact";

export function readColumn(name: string, body: ArrayBuffer): Column {
  const named = readBlocks<{ readonly type?: ColumnType; readonly levels?: readonly string[] }>(body);
  if (named.has("values"))
    return {
      name,
      type: "number",
      numbers: named.floats64("values"),
      ...(named.has("codes") && { codes: named.ints("codes"), levels: named.head.levels ?? [] }),
    };
  const type = named.head.type === "text" ? "text" : "category";
  return { name, type, codes: named.ints("codes"), levels: named.head.levels ?? [] };
}

/** Positions that a reduction has reached: `dimensions` numbers for every one of `rows`. */
export interface Placed {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
  /** Null: all rows in order. */
  readonly rows: Int32Array | null;
}
export interface Reduced extends Placed {
  /** Share of each component; empty if the method has none. */
  readonly variance: Float64Array;
  readonly iterations: number;
  readonly seconds: number;
  readonly left_out: number;
  /** Of custom axes: how many points either end of each has. */
  readonly matches: Readonly<Record<string, readonly [number, number]>>;
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}
interface ReducedHead {
  readonly dimensions: number;
  readonly iterations?: number;
  readonly seconds?: number;
  readonly left_out?: number;
  readonly matches?: Reduced["matches"];
  readonly notes?: readonly string[];
  readonly problems?: readonly string[];
}

export function readPlaced(body: ArrayBuffer): Placed {
  const named = readBlocks<ReducedHead>(body);
  return {
    positions: named.floats32("positions"),
    dimensions: named.head.dimensions,
    rows: named.has("rows") ? named.ints("rows") : null,
  };
}

export function readReduced(body: ArrayBuffer): Reduced {
  const named = readBlocks<ReducedHead>(body);
  const { head } = named;
  return {
    ...readPlaced(body),
    variance: named.has("variance") ? named.floats64("variance") : new Float64Array(),
    iterations: head.iterations ?? 0,
    seconds: head.seconds ?? 0,
    left_out: head.left_out ?? 0,
    matches: head.matches ?? {},
    notes: head.notes ?? [],
    problems: head.problems ?? [],
  };
}
