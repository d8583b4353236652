// State that all parts of the Projector share: which embedding is shown, its columns, colours, matches, selection and
// reductions, and the points as they are drawn. What the user sets is in the session's settings. All arrays are indexed
// by row of the embedding. Created in a component and ends with it.

import { untrack } from "svelte";
import { keepEqualEntries } from "../../base/keep_if_equal";
import { CardData } from "../../cards/card_data.svelte";
import type { Session } from "../../state/session.svelte";
import type { About, EmbeddingList, EmbeddingRef, ListedEmbedding, LoggedEmbedding } from "./answer";
import { listEmbeddings, loadAbout } from "./ask";
import { Clusters } from "./clusters.svelte";
import { Coloring, type Measure } from "./coloring.svelte";
import { Columns } from "./columns.svelte";
import {
  embeddingKey,
  findListed,
  firstEmbedding,
  isLogged,
  listedVersion,
  type OpenedFile,
  seriesKey,
  stepAt,
} from "./embedding_ref";
import {
  againstOption,
  type Components,
  componentsOption,
  dimensionsOption,
  type Dimensions,
  embeddingOption,
  hiddenOption,
  isolatedOption,
  labelOption,
  pointOption,
  reductionOption,
  selectedOption,
  setAgainst,
  setComponents,
  setDimensionsOption,
  setEmbedding,
  setHiddenOption,
  setIsolatedOption,
  setLabelOption,
  setPointOption,
  setReductionOption,
  setSelectedOption,
  setView,
  shownView,
} from "./options";
import { takeAbout, takeList, takeResult } from "./prefetch";
import { readRecipe, type Recipe, usualRecipe, writeRecipe } from "./recipe";
import { Results } from "./results.svelte";
import { maskOf, readRows, rowsOf, writeRows } from "./row_sets";
import { Cloud } from "./scene/cloud.svelte";
import { Search } from "./search.svelte";
import { Selection } from "./selection.svelte";
import { showIn } from "./show_in_cloud.svelte";

const ADDRESS_REST_MS = 300;

/** Positions at all steps, computed together: while they are there, the step cursor shows them. */
export interface Frames {
  /** Of the embedding, whatever the step, and of the recipe: others do not use them. */
  readonly series: string;
  readonly recipe: string;
  /** Of PCA: those that the positions are of. */
  readonly components: string;
  readonly dimensions: number;
  /** Null: all rows in order. */
  readonly rows: Int32Array | null;
  /** Null: not computed yet. */
  readonly at: (step: number) => Float32Array<ArrayBuffer> | null;
}

/** Vectors that the user gave to the page; they last as long as it does. */
class Given {
  /** Raw, as all of these: replaced, never edited. */
  files = $state.raw<readonly OpenedFile[]>([]);
  shown = $state<string | null>(null);
}
const given = new WeakMap<Session, Given>();
function givenTo(session: Session): Given {
  let kept = given.get(session);
  if (!kept) given.set(session, (kept = new Given()));
  return kept;
}

export class ProjectorPage {
  readonly given: Given;
  readonly cloud = new Cloud();
  readonly selection = new Selection();
  readonly columns: Columns;
  readonly coloring: Coloring;
  readonly results: Results;
  readonly clusters: Clusters;
  readonly search: Search;
  readonly #list: CardData<null, EmbeddingList>;
  readonly #about: CardData<EmbeddingRef, About>;

  /** Raw, as all of these: replaced, never edited. Set by the movie. */
  frames = $state.raw<Frames | null>(null);
  /** Numbers that points can be coloured by and that no file has. Set by the movie. */
  measures = $state.raw<readonly Measure[]>([]);
  /** 1: hidden by the user. */
  hiddenRows = $state.raw<Uint8Array | null>(null);
  /** The rows that are shown alone, ascending, and projected without the others. */
  isolated = $state.raw<{ readonly rows: Int32Array; readonly key: string } | null>(null);

  constructor(readonly session: Session) {
    this.given = givenTo(session);
    this.#list = new CardData<null, EmbeddingList>(
      session,
      (_, signal) => takeList(session) ?? listEmbeddings(session.client, signal),
      {
        wanted: () => ({ key: String(session.changes.epoch), query: null }),
        isWanted: () => true,
        about: ({ generation }) => ({ generation, runs: session.runs.names }),
        isEarly: true,
      },
    );
    this.#about = new CardData<EmbeddingRef, About>(
      session,
      (embedding, signal) => takeAbout(session, embedding) ?? loadAbout(session.client, embedding, signal),
      {
        wanted: () => (this.embedding ? { key: this.key, query: this.embedding } : null),
        isWanted: () => true,
        isEarly: true,
      },
    );
    this.columns = new Columns({
      client: session.client,
      embedding: () => this.embedding,
      key: () => this.key,
      about: () => this.about,
      onerror: (cause) =>
        session.messages.say(`Could not load a column. ${cause instanceof Error ? cause.message : String(cause)}`, {
          isError: true,
        }),
    });
    this.results = new Results({
      session,
      embedding: () => this.embedding,
      version: () => this.#version,
      recipe: () => this.recipe,
      isolated: () => this.isolated,
      early: (key) => takeResult(session, key),
      isFilled: () => this.frame !== null,
    });
    this.clusters = new Clusters(this);
    this.coloring = new Coloring({
      settings: session.settings,
      theme: () => this.theme,
      columns: this.columns,
      count: () => this.count,
      usual: () => this.about?.color ?? null,
      measures: () => this.measures,
      clusters: () => this.clusters.found,
    });
    this.search = new Search(this);
    this.#keepAddress();
    showIn(this);
  }

  readonly settings = $derived.by(() => this.session.settings);
  readonly theme = $derived.by(() => this.session.settings.shownTheme);
  readonly view = $derived.by(() => shownView(this.settings));

  readonly #keepListed = keepEqualEntries<ListedEmbedding>();
  readonly listed = $derived.by(() => this.#keepListed(this.#list.value?.embeddings ?? []));
  readonly isListed = $derived.by(() => this.#list.value !== null);
  readonly listError = $derived.by(() => (this.#list.value ? null : this.#list.error));
  retry = (): void => this.#list.retry();

  readonly #chosenText = $derived.by(() => embeddingKey(embeddingOption(this.settings)));
  readonly #first = $derived.by(() => {
    const first = firstEmbedding(this.listed, this.session.runs.shown);
    return first && { ...first, step: null };
  });
  /** The embedding that is shown, whatever the step; null: there is none. */
  readonly series = $derived.by((): EmbeddingRef | null => {
    const chosen = (void this.#chosenText, untrack(() => embeddingOption(this.settings)));
    // A file that is shown has no address: what the address names was asked for later, by a link or by going back.
    if (chosen) return chosen;
    if (this.given.shown !== null) return { file: this.given.shown };
    return this.isListed ? this.#first : null;
  });
  /** What the list says of it; null: not listed, or a file of the user. */
  readonly info = $derived.by((): ListedEmbedding | null => findListed(this.listed, this.series));
  readonly file = $derived.by((): OpenedFile | null => {
    const { given, series } = this;
    return (series && !isLogged(series) && given.files.find(({ file }) => file === series.file)) || null;
  });

  readonly steps = $derived.by((): readonly number[] => this.info?.steps ?? []);
  /** The step that is shown, at or before the page's cursor; null: the embedding has none. */
  readonly step = $derived.by((): number | null => {
    const { settings, cursor } = this.session;
    return stepAt(this.steps, settings.cursor === null ? null : cursor.on("step"));
  });
  readonly #embeddingText = $derived.by(() => JSON.stringify([this.series, this.step]));
  /** With the step; the same object as long as the same is meant. Null while it is not known. */
  readonly embedding = $derived.by((): EmbeddingRef | null => {
    void this.#embeddingText;
    return untrack(() => {
      const { series } = this;
      return series && isLogged(series) ? { ...series, step: this.step } : series;
    });
  });
  /** Vectors of the same name may be others: labels were given, or the run has logged again. */
  readonly #version = $derived.by(() => {
    const { file, info } = this;
    return file ? String(file.version) : info ? listedVersion(info) : "";
  });
  /** Equal for the same rows with the same metadata. */
  readonly key = $derived.by(() => `${embeddingKey(this.embedding)} ${this.#version}`);

  /** Of this embedding, maybe of another step while it is loading. */
  readonly about = $derived.by((): About | null => {
    const { answer } = this.#about;
    return answer && seriesKey(answer.query) === seriesKey(this.embedding) ? answer.value : null;
  });
  readonly aboutError = $derived.by(() => this.#about.failure);
  retryAbout = (): void => this.#about.retry();
  readonly count = $derived.by(() => this.about?.rows ?? this.info?.rows ?? this.file?.rows ?? 0);
  readonly #width = $derived.by(() => this.info?.dimensions ?? this.file?.dimensions ?? this.about?.dimensions ?? null);

  readonly dimensions = $derived.by((): Dimensions => dimensionsOption(this.settings));
  readonly components = $derived.by(() => componentsOption(this.settings));
  /** Of PCA, on as many axes as are shown. */
  readonly shownComponents = $derived.by((): readonly number[] => this.components.slice(0, this.dimensions));
  readonly #reductionText = $derived.by(() => reductionOption(this.settings));
  /** How points are placed, as the address says; null: not known yet. */
  readonly recipe = $derived.by((): Recipe | null => {
    const written = readRecipe(this.#reductionText);
    if (written) return written;
    return this.#width === null ? null : usualRecipe("pca", this.#width, 2);
  });

  /** The positions of the current step in `frames`; null: there are none of this step and recipe. */
  readonly frame = $derived.by(() => {
    const { frames, step, recipe } = this;
    if (!frames || step === null || !recipe) return null;
    if (frames.series !== seriesKey(this.embedding) || frames.recipe !== writeRecipe(recipe)) return null;
    if (recipe.method === "pca" && frames.components !== this.shownComponents.join()) return null;
    const positions = frames.at(step);
    return positions && { positions, dimensions: frames.dimensions, rows: frames.rows };
  });

  /** The column that names points; null: there is none. */
  readonly label = $derived.by((): string | null => {
    const chosen = labelOption(this.settings);
    return this.columns.info(chosen) ? chosen : (this.about?.label ?? null);
  });
  setLabel(column: string): void {
    setLabelOption(this.settings, column);
  }
  /** What rows are called. */
  labelsOf = (rows: readonly number[]): Promise<readonly string[]> => this.columns.texts(this.label, rows);

  /** The row in the inspector; null: none. */
  readonly point = $derived.by((): number | null => {
    const row = pointOption(this.settings);
    return row !== null && row < this.count ? row : null;
  });
  pick(row: number | null): void {
    setPointOption(this.settings, row);
  }
  /** Picks a point and brings it into view. */
  reveal(row: number): void {
    this.pick(row);
    this.cloud.reveal(row);
  }

  readonly against = $derived.by((): LoggedEmbedding | null => againstOption(this.settings));
  compareWith(embedding: LoggedEmbedding | null): void {
    setAgainst(this.settings, embedding);
  }
  setView(view: "" | "split" | "table"): void {
    setView(this.settings, view);
  }

  show(embedding: EmbeddingRef): void {
    if (seriesKey(embedding) === seriesKey(this.embedding)) return;
    this.given.shown = isLogged(embedding) ? null : embedding.file;
    setEmbedding(this.settings, isLogged(embedding) ? embedding : null);
  }

  /** The embedding of the same name in that run, else its first. */
  showRun(run: string): void {
    const { listed, series } = this;
    const same = series && isLogged(series) ? findListed(listed, { ...series, run }) : null;
    const first =
      same ??
      firstEmbedding(
        listed.filter((each) => each.run === run),
        [run],
      );
    if (first) this.show({ run, name: first.name, step: null });
  }
  setStep(step: number): void {
    this.session.cursor.set(step === this.steps.at(-1) ? null : step, "step");
  }

  /** Vectors that the user gave, or labels for them. */
  addFile(file: Omit<OpenedFile, "version">): void {
    const before = this.given.files.find((each) => each.file === file.file);
    const added = { ...file, version: (before?.version ?? 0) + 1 };
    this.given.files = [...this.given.files.filter((each) => each !== before), added];
    this.show({ file: file.file });
  }

  /** Shows a reduction; it is computed if nobody has it. */
  reduce(recipe: Recipe): void {
    setReductionOption(this.settings, writeRecipe(recipe));
    if (recipe.method !== "pca") setDimensionsOption(this.settings, recipe.dimensions);
  }
  /** Of PCA, on the axes. */
  setComponents(components: Components): void {
    setComponents(this.settings, components);
  }
  setDimensions(dimensions: Dimensions): void {
    const { recipe } = this;
    setDimensionsOption(this.settings, dimensions);
    if (recipe && recipe.method !== "pca") this.reduce({ ...recipe, dimensions });
  }

  /** Shows and projects the selected points alone; null: all again. */
  isolate(rows: Int32Array | null): void {
    this.isolated = rows && rows.length > 0 ? { rows, key: isolationKey(rows) } : null;
    this.selection.clear();
    this.cloud.home();
  }
  hide(rows: Int32Array): void {
    const mask = this.hiddenRows?.slice() ?? new Uint8Array(this.count);
    for (const row of rows) mask[row] = 1;
    this.hiddenRows = mask;
    this.selection.clear();
  }
  /** Nothing is isolated or hidden any more. */
  showAll(): void {
    this.hiddenRows = null;
    this.isolate(null);
  }
  /** Not drawn: hidden, or not among the isolated. */
  readonly out = $derived.by((): Uint8Array | null => {
    const { hiddenRows, isolated, count } = this;
    if (!isolated) return hiddenRows;
    const inside = maskOf(isolated.rows, count);
    return inside.map((is, row) => (is && !hiddenRows?.[row] ? 0 : 1));
  });
  readonly isOut = (row: number): boolean => this.out?.[row] === 1 || this.coloring.filtered?.[row] === 1;
  invert(): void {
    this.selection.invert(this.count, this.isOut);
  }

  /** Sets of rows that the user makes are written to the address once they rest; what the address says is shown. */
  #keepAddress(): void {
    const { settings } = this.session;
    const keep = (
      read: () => string,
      write: (text: string) => void,
      get: () => Int32Array | null,
      set: (rows: Int32Array | null) => void,
    ): void => {
      let written = "";
      $effect(() => {
        const text = read();
        const { count } = this;
        if (count === 0 || text === written) return;
        written = text;
        untrack(() => set(text === "" ? null : readRows(text, count)));
      });
      $effect(() => {
        const rows = get();
        if (this.count === 0) return;
        const timer = setTimeout(() => {
          const text = rows ? (writeRows(rows) ?? "") : "";
          if (text === written) return;
          written = text;
          write(text);
        }, ADDRESS_REST_MS);
        return () => clearTimeout(timer);
      });
    };
    keep(
      () => selectedOption(settings),
      (text) => setSelectedOption(settings, text),
      () => (this.selection.mask ? this.selection.rows : null),
      (rows) => (rows ? this.selection.setRows(rows, this.count) : this.selection.clear()),
    );
    keep(
      () => hiddenOption(settings),
      (text) => setHiddenOption(settings, text),
      () => this.hiddenRows && rowsOf(this.hiddenRows),
      (rows) => (this.hiddenRows = rows && maskOf(rows, this.count)),
    );
    keep(
      () => isolatedOption(settings),
      (text) => setIsolatedOption(settings, text),
      () => this.isolated?.rows ?? null,
      (rows) => {
        const isolated = rows && { rows, key: isolationKey(rows) };
        if (isolated?.key !== this.isolated?.key) this.isolated = isolated;
      },
    );
    // Another embedding: rows of the last one mean nothing.
    let series = seriesKey(this.series);
    $effect.pre(() => {
      const now = seriesKey(this.series);
      if (now === series) return;
      const isFirst = series === "";
      series = now;
      if (isFirst) return;
      untrack(() => {
        this.selection.clear();
        this.hiddenRows = this.isolated = this.frames = null;
        this.measures = [];
        this.columns.forget();
      });
    });
  }
}

/** Tells sets of rows apart. */
const isolationKey = (rows: Int32Array): string => {
  let hash = 2_166_136_261;
  for (const row of rows) hash = Math.imul(hash ^ row, 16_777_619);
  return `${rows.length} ${hash >>> 0}`;
};
