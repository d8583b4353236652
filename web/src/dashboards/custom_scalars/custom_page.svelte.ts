// State that the custom scalar charts share: the list of charts, logged or made in the page, and what they draw. Charts
// that the user makes are in the session's settings.

import { untrack } from "svelte";
import type { LoggedLayout } from "../../api/types";
import { AnswerCache } from "../../lines/card_answers";
import type { Supply } from "../../lines/card_lines.svelte";
import type { CardSpec } from "../../lines/card_model";
import { LineRequests } from "../../lines/line_requests";
import { cardId } from "../../cards/card_id";
import { CardData } from "../../cards/card_data.svelte";
import { sortNatural } from "../../base/natural";
import { writeParts } from "../../base/parts";
import type { Pattern } from "../../base/pattern";
import { TagFilter } from "../../cards/tag_filter.svelte";
import { partsMeetIn, type RunSet, runSetFinder, toRunSet } from "../../cards/run_sets";
import type { Session } from "../../state/session.svelte";
import { allTags, inOrder, makeSection, PINNED, type Section } from "../../cards/tag_sections";
import { loadLayout } from "./ask";
import { type Category, type Chart, fromServer, type Place } from "./layout";
import { Matcher } from "./matcher";
import { readMade, setMade } from "./options";
import type { Match } from "./tag_match";

/** With more tags, lines in one chart are indistinguishable and have no room for names. */
export const MAX_TAGS = 100;
const NOBODY = toRunSet([]);

/** A chart on the page. */
export interface PlacedChart {
  readonly id: string;
  readonly category: string;
  readonly chart: Chart;
  /** Position among the categories made in the page. Null for a logged chart. */
  readonly place: Place | null;
}

const pages = new WeakMap<Session, CustomPage>();

/** Returns the one page that all charts of a session share. A component that shows a chart must call `watch`. */
export function customPageOf(session: Session): CustomPage {
  let page = pages.get(session);
  // The page outlives the component that first requests it.
  if (!page) $effect.root(() => void pages.set(session, (page = new CustomPage(session))));
  return page as CustomPage;
}

export class CustomPage {
  readonly supply: Supply;
  /** Raw: replaced whole. */
  matches = $state.raw<{ readonly key: string; readonly byPattern: ReadonlyMap<string, Match> } | null>(null);
  readonly #matcher = new Matcher();
  readonly #layout: CardData<null, LoggedLayout>;
  readonly #filter: TagFilter;
  #watchers = $state(0);

  constructor(readonly session: Session) {
    this.#filter = new TagFilter(session.settings);
    this.supply = { requests: new LineRequests(session.client), cache: new AnswerCache() };
    // Loads the logged layouts, and reloads them when a run with a layout changes.
    this.#layout = new CardData<null, LoggedLayout>(session, (_, signal) => loadLayout(session.client, signal), {
      wanted: () => ({ key: String(session.changes.epoch), query: null }),
      isWanted: () => this.#watchers > 0,
      about: ({ generation }) => ({ generation, runs: this.#layoutRuns }),
    });
    // Outside: patterns are matched in a worker.
    $effect(() => {
      const key = this.#matchKey;
      if (this.#watchers === 0 || !this.index) return;
      void this.#matcher.match(this.#patterns, this.tags).then((byPattern) => {
        if (key === untrack(() => this.#matchKey)) this.matches = { key, byPattern };
      });
    });
  }

  /** Starts loading layouts and matching patterns. Returns a function that stops it. */
  watch(): () => void {
    untrack(() => this.#watchers++);
    return () => untrack(() => this.#watchers--);
  }

  readonly index = $derived.by(() => this.session.tags.index("scalar"));
  readonly tags = $derived.by((): readonly string[] => (this.index ? sortNatural(allTags(this.index)) : []));
  readonly #layoutRuns = $derived.by((): readonly string[] => {
    const index = this.session.tags.index("custom_scalars");
    return index
      ? Object.entries(index.runs).flatMap(([run, set]) =>
          Object.keys(index.tag_sets[set] ?? {}).length > 0 ? [run] : [],
        )
      : [];
  });
  readonly #findRuns = $derived.by(() =>
    this.index ? runSetFinder(this.index, this.session.runs.shown) : () => NOBODY,
  );
  readonly #findAll = $derived.by(() =>
    this.index ? runSetFinder(this.index, this.session.runs.names) : () => NOBODY,
  );

  readonly error = $derived.by(() => this.#layout.error);
  /** Logged layouts that could not be read. */
  readonly problems = $derived.by(() => this.#layout.value?.problems ?? []);
  readonly logged = $derived.by((): readonly Category[] => (this.#layout.value ? fromServer(this.#layout.value) : []));
  readonly made = $derived.by((): readonly Category[] => readMade(this.session.settings));

  setMade(categories: readonly Category[]): void {
    setMade(this.session.settings, categories);
  }

  /**
   * In page order. Categories made in the page come first, but a chart made for a logged category appears in that
   * category.
   */
  readonly categories = $derived.by(
    (): readonly { readonly title: string; readonly isClosed: boolean; readonly charts: readonly PlacedChart[] }[] => {
      const titles = new Set(this.logged.map(({ title }) => title));
      const all = [...this.made.filter(({ title }) => !titles.has(title)), ...this.logged];
      return all.map(({ title, isClosed }) => {
        const logged = this.logged
          .filter((category) => category.title === title)
          .flatMap(({ charts }) => charts.map((chart) => ({ chart, place: null })));
        const made = this.made.flatMap((category, i) =>
          category.title === title
            ? category.charts.map((chart, j) => ({ chart, place: { category: i, chart: j } }))
            : [],
        );
        const counts = new Map<string, number>();
        const charts = [...logged, ...made].map(({ chart, place }) => {
          // A number distinguishes charts with the same name.
          const nth = (counts.get(chart.title) ?? 0) + 1;
          counts.set(chart.title, nth);
          const tag = writeParts([title, chart.title, ...(nth > 1 ? [String(nth)] : [])]);
          return { id: cardId({ kind: "custom_scalars", run: null, tag }), category: title, chart, place };
        });
        return { title, isClosed, charts };
      });
    },
  );
  readonly #byId = $derived.by(
    () => new Map(this.categories.flatMap(({ charts }) => charts.map((placed) => [placed.id, placed]))),
  );
  readonly #patterns = $derived.by(() => [...new Set([...this.#byId.values()].flatMap(({ chart }) => chart.tags))]);
  readonly #matchKey = $derived.by(() => JSON.stringify([this.#patterns, this.tags]));
  /** True once the charts and their matching tags are known. */
  readonly isListed = $derived.by(
    () => this.index !== null && (this.#layout.answer !== null || this.error !== null) && this.matches !== null,
  );

  readonly filter = $derived.by((): Pattern => this.#filter.pattern);

  readonly sections = $derived.by((): readonly Section[] => {
    const { pinned, order } = this.session.settings;
    const mine = pinned.filter((id) => this.#byId.has(id));
    const isPinned = new Set(mine);
    const matches = (id: string): boolean => {
      const placed = this.#byId.get(id);
      return placed !== undefined && [placed.chart.title, ...this.spec(id).tags].some(this.filter.matches);
    };
    const sections: (Section | null)[] = [makeSection(PINNED, "Pinned", mine, matches)];
    for (const { title, isClosed, charts } of this.categories) {
      const key = `/custom/${title}`;
      const ids = charts.map(({ id }) => id).filter((id) => !isPinned.has(id));
      const section = makeSection(key, title || "Untitled", inOrder(ids, order.get(key)), matches);
      sections.push(section && { ...section, startsCollapsed: isClosed });
    }
    return sections.filter((section) => section !== null);
  });

  /** A chart that is in no layout is not on the page either. */
  isGone = (): boolean => false;

  placed(id: string): PlacedChart | undefined {
    return this.#byId.get(id);
  }

  titleOf = (id: string): string => this.#byId.get(id)?.chart.title || "Untitled";

  readonly #specs = $derived.by(() => {
    const known = new Set(this.tags);
    const byPattern = this.matches?.byPattern;
    return new Map(
      [...this.#byId.values()].map(({ id, chart }): [string, CardSpec] => {
        const tags =
          chart.kind === "margin"
            ? chart.series.flatMap(({ value, lower, upper }) => [value, lower, upper]).filter((tag) => known.has(tag))
            : chart.tags.flatMap((pattern) => byPattern?.get(pattern)?.tags ?? []);
        return [id, { id, tags: [...new Set(tags)].slice(0, MAX_TAGS), right: [] }];
      }),
    );
  });

  /** What the chart draws. Contains only existing tags. */
  spec(id: string): CardSpec {
    return this.#specs.get(id) ?? { id, tags: [], right: [] };
  }

  runsOf({ tags }: CardSpec): RunSet {
    return tags.length > 0 ? this.#findRuns(tags) : NOBODY;
  }

  /** Whether several parts of a training have the card's tags, shown or not: selecting runs does not change lines. */
  partsMeet({ tags }: CardSpec): boolean {
    return partsMeetIn(this.#findAll(tags));
  }

  hasTag = (run: string, tag: string): boolean => {
    const set = this.index?.tag_sets[this.index.runs[run] ?? -1];
    return set !== undefined && Object.hasOwn(set, tag);
  };

  /** Problems with a chart's patterns and tags, to show to the user. */
  troubleOf({ kind, tags, series }: Chart): string[] {
    if (kind === "margin") {
      const known = new Set(this.tags);
      const named = new Set(series.flatMap(({ value, lower, upper }) => [value, lower, upper]));
      return [...named].filter((tag) => !known.has(tag)).map((tag) => `No run has “${tag}”.`);
    }
    const found = new Set(tags.flatMap((pattern) => this.matches?.byPattern.get(pattern)?.tags ?? []));
    return [
      ...tags.flatMap((pattern) => {
        const match = this.matches?.byPattern.get(pattern);
        return !match
          ? []
          : match.error
            ? [match.error]
            : match.tags.length === 0
              ? [`“${pattern}” matches no tag.`]
              : [];
      }),
      ...(found.size > MAX_TAGS ? [`${found.size} tags match; the first ${MAX_TAGS} are drawn.`] : []),
    ];
  }

  /** Finds the tags that match a pattern, for the form. */
  async tryPattern(pattern: string): Promise<Match> {
    return (await this.#matcher.match([pattern], this.tags)).get(pattern) ?? { tags: [], error: "" };
  }

  readonly sizeOf = $derived.by((): ((id: string) => { heightPx: number; isWide: boolean }) => {
    const { cards } = this.session.settings;
    const { cardHeightPx } = this.session.preferences;
    return (id) => {
      const { heightPx = cardHeightPx, isWide = false } = cards.get(id) ?? {};
      return { heightPx, isWide };
    };
  });
}
