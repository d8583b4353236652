// Points of one embedding without a page around them: a reduction, and the points as they are drawn. For what stands
// beside the page's own points, and for cards. Created in a component and ends with it.

import { untrack } from "svelte";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { About, EmbeddingRef } from "./answer";
import { loadAbout, loadThumbnails } from "./ask";
import { Columns } from "./columns.svelte";
import { embeddingKey, seriesKey } from "./embedding_ref";
import { type Components, FIRST_COMPONENTS } from "./options";
import type { Recipe } from "./recipe";
import { Results } from "./results.svelte";
import { Cloud } from "./scene/cloud.svelte";
import { placeIn } from "./show_in_cloud.svelte";

interface Of {
  /** Null: nothing is wanted yet. */
  readonly embedding: () => EmbeddingRef | null;
  /** Null: not known before it is known what the embedding has. */
  readonly recipe: (about: About | null) => Recipe | null;
  readonly dimensions: () => 2 | 3;
  readonly components?: () => Components;
  readonly isolated?: () => { readonly rows: Int32Array; readonly key: string } | null;
}

const MOVE_MS = 500;

export class Pane {
  readonly cloud = new Cloud();
  readonly columns: Columns;
  readonly results: Results;
  readonly #about: CardData<EmbeddingRef, About>;

  constructor(
    readonly session: Session,
    private readonly of: Of,
  ) {
    const { client } = session;
    this.#about = new CardData<EmbeddingRef, About>(session, (ref, signal) => loadAbout(client, ref, signal), {
      wanted: () => {
        const embedding = of.embedding();
        return embedding && { key: embeddingKey(embedding), query: embedding };
      },
      isWanted: () => true,
    });
    this.columns = new Columns({
      client,
      embedding: of.embedding,
      key: () => embeddingKey(of.embedding()),
      about: () => this.about,
      onerror: () => undefined,
    });
    this.results = new Results({
      session,
      embedding: of.embedding,
      version: () => "",
      recipe: () => of.recipe(this.about),
      isolated: of.isolated ?? ((): null => null),
      isFilled: () => false,
    });
    const { cloud } = this;
    // Outside, as all of these: the scene.
    let started = "";
    $effect.pre(() => {
      const now = `${seriesKey(of.embedding())} ${this.count}`;
      if (now === started || this.count === 0) return;
      started = now;
      untrack(() => cloud.start(this.count));
    });
    $effect.pre(() => {
      const placed = this.results.shown?.placed;
      const isPca = this.results.shown?.recipe.method === "pca";
      const [components, dimensions] = [of.components?.() ?? FIRST_COMPONENTS, of.dimensions()];
      if (!placed || this.count === 0) return;
      untrack(() =>
        placeIn(cloud, placed, {
          components: isPca ? components : null,
          dimensions,
          animateMs: cloud.isDrawn ? MOVE_MS : 0,
        }),
      );
    });
    $effect.pre(() => {
      const embedding = of.embedding();
      const { about } = this;
      cloud.thumbnailsOf =
        embedding && about?.sprite
          ? async (rows, tilePx) => ({
              image: await createImageBitmap(await loadThumbnails(client, embedding, rows, tilePx)),
              tilePx,
              columns: Math.ceil(Math.sqrt(rows.length)),
            })
          : null;
    });
    cloud.labelsOf = (rows) => this.columns.texts(this.about?.label ?? null, rows);
  }

  /** Of this embedding, maybe of another step while it is loading. */
  readonly about = $derived.by((): About | null => {
    const { answer } = this.#about;
    return answer && seriesKey(answer.query) === seriesKey(this.of.embedding()) ? answer.value : null;
  });
  readonly count = $derived.by(() => this.about?.rows ?? 0);
  readonly error = $derived.by((): string => this.#about.failure?.message ?? this.results.chosen?.error ?? "");

  retry(): void {
    this.#about.retry();
    const { chosen } = this.results;
    if (chosen?.state === "failed") this.results.again(chosen);
  }
}
