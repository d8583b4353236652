// Groups of points that lie together, found by the server in the positions that are shown, and named by their texts.
// Asked for only where something shows them. Created in a component and ends with it.

import { CardData } from "../../cards/card_data.svelte";
import { readBlocks } from "../named_blocks";
import { CLUSTERS } from "./ask";
import type { ProjectorPage } from "./projector_page.svelte";
import type { ClusterNames } from "./scene/cloud.svelte";

interface Cluster {
  readonly size: number;
  readonly name: string;
  /** The most distinctive first. */
  readonly words: readonly string[];
}
export interface FoundClusters {
  /** By row; -1: in none. */
  readonly codes: Int32Array;
  readonly names: readonly string[];
  readonly clusters: readonly Cluster[];
}
interface Query {
  readonly question: object;
  readonly rows: Int32Array | null;
  readonly count: number;
}

export class Clusters {
  readonly #data: CardData<Query, FoundClusters>;

  constructor(private readonly page: ProjectorPage) {
    this.#data = new CardData<Query, FoundClusters>(
      page.session,
      async ({ question, rows, count }, signal) => {
        const body = await page.session.jobs.run<ArrayBuffer>(CLUSTERS, question, { signal });
        const named = readBlocks<{ readonly clusters: readonly Cluster[] }>(body);
        const { clusters } = named.head;
        return { codes: spread(named.ints("codes"), rows, count), names: distinct(clusters), clusters };
      },
      { wanted: () => this.#wanted, isWanted: () => this.#isNeeded },
    );
  }

  /** Null: not asked for, or not found yet. */
  readonly found = $derived.by((): FoundClusters | null => (this.#isNeeded ? this.#data.value : null));
  readonly names = $derived.by((): ClusterNames | null => {
    const { found } = this;
    if (!found) return null;
    const names = found.clusters.map(({ name, words }) => {
      const detail = words.find((word) => word !== name);
      return { name, ...(detail !== undefined && { detail }) };
    });
    return { codes: found.codes, names };
  });
  readonly error = $derived.by(() => this.#data.failure);

  readonly #isNeeded: boolean = $derived.by(() => {
    const { coloring, cloud } = this.page;
    return coloring.by.kind === "clusters" || (cloud.hasNames && cloud.mode !== "text" && !coloring.hasNames);
  });
  readonly #wanted = $derived.by((): { readonly key: string; readonly query: Query } | null => {
    const { results, embedding, label, components, count } = this.page;
    const result = results.shown;
    if (!embedding || !result?.reduced || !result.job || result.state !== "done") return null;
    const axes = Array.from({ length: Math.min(this.page.dimensions, result.reduced.dimensions) }, (_, at) =>
      result.recipe.method === "pca" ? (components[at] ?? at) : at,
    );
    const question = { embedding: result.embedding, job: result.job.id, axes, column: label };
    return { key: JSON.stringify(question), query: { question, rows: result.reduced.rows, count } };
  });
}

function spread(codes: Int32Array, rows: Int32Array | null, count: number): Int32Array {
  if (!rows && codes.length === count) return codes;
  const all = new Int32Array(count).fill(-1);
  for (let i = 0; i < codes.length; i++) all[rows ? (rows[i] as number) : i] = codes[i] as number;
  return all;
}

/** Two clusters may have one name: colours and the legend tell them apart by a number. */
function distinct(clusters: readonly Cluster[]): readonly string[] {
  const seen = new Map<string, number>();
  return clusters.map(({ name }) => {
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} ${times}`;
  });
}
