// Requests of the Projector dashboard.

import type { Client, Parameters } from "../../api/client";
import {
  type About,
  type Column,
  type DistancesAnswer,
  type EmbeddingFile,
  type EmbeddingList,
  type EmbeddingRef,
  type KeptAnswer,
  type LoggedEmbedding,
  type Metric,
  type NeighborsAnswer,
  readColumn,
  type RowAnswer,
  type SearchMode,
  type TextsAnswer,
} from "./answer";
import { readBlocks } from "../named_blocks";

export const REDUCE = "projector.reduce";
export const STEPS = "projector.steps";
export const CLUSTERS = "projector.clusters";
/** More rows than these are asked for in several requests. */
export const MAX_TEXTS = 5_000;
export const MAX_TILES = 1_024;

export const listEmbeddings = (client: Client, signal?: AbortSignal): Promise<EmbeddingList> =>
  client.ask("projector", {}, signal);

/** Sends vectors for this page only. */
export const sendVectors = (client: Client, file: File, signal?: AbortSignal): Promise<EmbeddingFile> =>
  client.upload("projector/file", { name: file.name }, file, signal);
/** Sends labels for vectors that were sent before. */
export const sendLabels = (client: Client, file: string, labels: File, signal?: AbortSignal): Promise<EmbeddingFile> =>
  client.upload("projector/labels", { file, name: labels.name }, labels, signal);

export const loadAbout = (client: Client, embedding: EmbeddingRef, signal?: AbortSignal): Promise<About> =>
  client.askBody("projector/about", { embedding }, signal);

export const loadColumn = async (
  client: Client,
  embedding: EmbeddingRef,
  column: string,
  signal?: AbortSignal,
): Promise<Column> => readColumn(column, await client.binary("projector/column", { embedding, column }, signal));

export async function loadTexts(
  client: Client,
  embedding: EmbeddingRef,
  column: string,
  rows: readonly number[],
): Promise<readonly (string | null)[]> {
  const parts: (readonly (string | null)[])[] = [];
  for (let at = 0; at < rows.length; at += MAX_TEXTS) {
    const body = { embedding, column, rows: rows.slice(at, at + MAX_TEXTS) };
    parts.push((await client.askBody<TextsAnswer>("projector/texts", body)).texts);
  }
  return parts.flat();
}

export const loadRow = (
  client: Client,
  embedding: EmbeddingRef,
  row: number,
  signal?: AbortSignal,
): Promise<RowAnswer> => client.askBody("projector/row", { embedding, row }, signal);

/** A sheet of the pictures of these rows: a square grid, filled line by line. */
export async function loadThumbnails(
  client: Client,
  embedding: EmbeddingRef,
  rows: readonly number[],
  sizePx: number,
): Promise<Blob> {
  const body = { embedding, rows: rows.slice(0, MAX_TILES), size: sizePx };
  return (await client.post("projector/thumbnails", body)).blob();
}

/** The address of the picture of one row. */
export const thumbnailAddress = (client: Client, embedding: EmbeddingRef, row: number, sizePx: number): string =>
  client.address("projector/thumbnails", { ...namedEmbedding(embedding), size: sizePx, rows: String(row) });

export interface SearchQuery {
  readonly embedding: EmbeddingRef;
  readonly q: string;
  /** Null: all columns. */
  readonly column: string | null;
  readonly mode: SearchMode;
}
export const searchRows = async (client: Client, query: SearchQuery, signal?: AbortSignal): Promise<Int32Array> =>
  readBlocks(await client.binary("projector/search", { ...query, limit: null }, signal)).ints("rows");

export interface NeighborsQuery {
  readonly embedding: EmbeddingRef;
  readonly row: number;
  readonly count: number;
  readonly metric: Metric;
}
export const loadNeighbors = (client: Client, query: NeighborsQuery, signal?: AbortSignal): Promise<NeighborsAnswer> =>
  client.askBody("projector/neighbors", query, signal);
export const loadDistances = (
  client: Client,
  embedding: EmbeddingRef,
  a: number,
  b: number,
  signal?: AbortSignal,
): Promise<DistancesAnswer> => client.askBody("projector/distances", { embedding, a, b }, signal);
/** How many of its neighbours a point kept from step to step. */
export const loadKept = (
  client: Client,
  query: Omit<NeighborsQuery, "embedding"> & { readonly embedding: LoggedEmbedding },
  signal?: AbortSignal,
): Promise<KeptAnswer> => client.askBody("projector/kept", query, signal);

/** The row that follows each row in its sequence; -1: none. */
export const loadSequences = async (
  client: Client,
  embedding: EmbeddingRef,
  signal?: AbortSignal,
): Promise<Int32Array> =>
  readBlocks(await client.binary("projector/column", { embedding, column: "__next__" }, signal)).ints("next");

/** The address of a file with the positions of a job and the metadata. */
export const exportAddress = (client: Client, embedding: EmbeddingRef, job: string, format: string): string =>
  client.address("projector/export", { ...namedEmbedding(embedding), job, format });

export function namedEmbedding(embedding: EmbeddingRef): Parameters {
  if ("file" in embedding) return { file: embedding.file };
  return { run: embedding.run, name: embedding.name, step: embedding.step ?? undefined };
}

/** Row numbers as a question carries them. */
export function packRows(rows: Int32Array): string {
  const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
  const PART = 0x8000;
  let text = "";
  for (let at = 0; at < bytes.length; at += PART) text += String.fromCharCode(...bytes.subarray(at, at + PART));
  return btoa(text);
}
