// Which embedding is meant, among those of runs and those that the user opened. Pure.

import type { EmbeddingRef, ListedEmbedding, LoggedEmbedding } from "./answer";

export const isLogged = (embedding: EmbeddingRef): embedding is LoggedEmbedding => "run" in embedding;

/** Equal for the same vectors. */
export const embeddingKey = (embedding: EmbeddingRef | null): string =>
  !embedding
    ? ""
    : isLogged(embedding)
      ? JSON.stringify([embedding.run, embedding.name, embedding.step])
      : JSON.stringify([embedding.file]);

/** Equal for all steps of one embedding. */
export const seriesKey = (embedding: EmbeddingRef | null): string =>
  embeddingKey(embedding && isLogged(embedding) ? { ...embedding, step: null } : embedding);

/** What it is called: of a TensorFlow checkpoint without what every variable of one ends with. */
export const shortName = (name: string): string => name.replace(/\/\.ATTRIBUTES\/VARIABLE_VALUE$/, "");

/** Vectors that the user gave to the page. */
export interface OpenedFile {
  readonly file: string;
  readonly name: string;
  readonly rows: number;
  readonly dimensions: number;
  /** Grows when labels are given: what was loaded is old. */
  readonly version: number;
}

export const findListed = (
  listed: readonly ListedEmbedding[],
  embedding: EmbeddingRef | null,
): ListedEmbedding | null =>
  (embedding &&
    isLogged(embedding) &&
    listed.find(({ run, name }) => run === embedding.run && name === embedding.name)) ||
  null;

/** Vectors of the same name may be others, once the run has logged again. */
export const listedVersion = ({ rows, dimensions, has_metadata }: ListedEmbedding): string =>
  `${rows} ${dimensions} ${has_metadata}`;

/**
 * The one to begin with: of a shown run, one that can be read and that a config names, with metadata, the largest. The
 * server's order decides the rest.
 */
export function firstEmbedding(
  listed: readonly ListedEmbedding[],
  shown: readonly string[],
): Pick<LoggedEmbedding, "run" | "name"> | null {
  const isShown = new Set(shown);
  const rank = (each: ListedEmbedding): number =>
    (isShown.has(each.run) ? 0 : 8) +
    (each.problem === null ? 0 : 4) +
    (each.is_offered ? 2 : 0) +
    (each.has_metadata ? 0 : 1);
  const [first] = listed.toSorted((a, b) => rank(a) - rank(b) || (b.rows ?? 0) - (a.rows ?? 0));
  return first ? { run: first.run, name: first.name } : null;
}

/** The last step that is not after the cursor, else the first; null: the newest, or there are none. */
export function stepAt(steps: readonly number[], cursor: number | null): number | null {
  if (steps.length === 0) return null;
  if (cursor === null) return steps.at(-1) ?? null;
  return steps.findLast((step) => step <= cursor) ?? (steps[0] as number);
}
