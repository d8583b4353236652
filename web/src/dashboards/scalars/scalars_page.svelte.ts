// State that the cards of the scalars page share: the list of cards, their runs, the grouping and the active card. User
// settings are in the session's settings.

import { innerHeight, innerWidth } from "svelte/reactivity/window";
import { readCardId } from "../../cards/card_id";
import { groupRuns, type RunGroup, shortenLabels } from "../../state/runs/groups";
import type { Pattern } from "../../base/pattern";
import { TagFilter } from "../../cards/tag_filter.svelte";
import type { Session } from "../../state/session.svelte";
import type { Panel } from "../../state/view/view";
import { AnswerCache } from "../../lines/card_answers";
import type { Supply } from "../../lines/card_lines.svelte";
import type { CardSpec } from "../../lines/card_model";
import { specOf, tagsIn, titleOf } from "../../lines/card_question";
import { CardDrawings, type Theme } from "./export/export_drawings";
import type { CardSize } from "../../cards/grid_layout";
import { LineRequests } from "../../lines/line_requests";
import { partsMeetIn, type RunSet, runSetFinder, toRunSet } from "../../cards/run_sets";
import {
  allIds,
  allTags,
  arrangeSections,
  groupTags,
  inOrder,
  isMainTag,
  makeSection,
  PANELS,
  PINNED,
  type Section,
  setsOf,
  tagsOfSets,
  writeMembers,
} from "../../cards/tag_sections";

const TABLE_HEAD_PX = 78;
const TABLE_ROW_PX = 22;
const TABLE_ROWS = 6;
export const MIN_CARD_PX = 150;
export const MAX_CARD_PX = 1_200;
const NOBODY = toRunSet([]);

const pages = new WeakMap<Session, ScalarsPage>();

/** Returns the one page that all scalar cards of a session share, together with the data they fetched. */
export function scalarsPageOf(session: Session): ScalarsPage {
  const known = pages.get(session);
  if (known) return known;
  let page: ScalarsPage | undefined;
  // The page outlives the component that first requests it.
  $effect.root(() => void (page = new ScalarsPage(session)));
  pages.set(session, page as unknown as ScalarsPage);
  return page as unknown as ScalarsPage;
}

export class ScalarsPage {
  readonly supply: Supply;
  readonly drawings = new CardDrawings();
  /** The card that fills the window. */
  fullScreen = $state<string | null>(null);
  /** The card that the user last pointed at or focused. It receives key presses. */
  active = $state<string | null>(null);
  readonly windowPx = $derived({ width: innerWidth.current ?? 0, height: innerHeight.current ?? 0 });
  /** Cards that show their numbers below the chart even if nothing is selected. */
  tables = $state.raw<ReadonlySet<string>>(new Set());

  readonly #filter: TagFilter;
  readonly #specs = new Map<string, CardSpec>();

  constructor(readonly session: Session) {
    this.#filter = new TagFilter(session.settings);
    this.supply = { requests: new LineRequests(session.client), cache: new AnswerCache() };
  }

  readonly index = $derived.by(() => this.session.tags.index("scalar"));
  readonly isListed = $derived.by(() => this.index !== null);
  /** All tags by prefix, in natural order. Sorted once, independent of what is shown. */
  readonly #byPrefix = $derived.by(() => groupTags(this.index ? allTags(this.index) : []));
  readonly tags = $derived.by((): readonly string[] => [...this.#byPrefix.values()].flat());
  readonly #known = $derived.by(() => new Set(this.tags));
  // A string, so that a filter change that keeps the same tags does not trigger a new layout.
  readonly #shownSets = $derived.by(() => (this.index ? setsOf(this.index, this.session.runs.shown).join() : ""));
  readonly #shownTags = $derived.by(() => {
    const sets = this.#shownSets;
    return this.index && sets ? tagsOfSets(this.index, sets.split(",").map(Number)) : new Set<string>();
  });
  readonly #findRuns = $derived.by(() =>
    this.index ? runSetFinder(this.index, this.session.runs.shown) : () => NOBODY,
  );
  readonly #findAll = $derived.by(() =>
    this.index ? runSetFinder(this.index, this.session.runs.names) : () => NOBODY,
  );
  readonly #panels = $derived.by(
    (): ReadonlyMap<string, Panel> => new Map(this.session.settings.panels.map((panel) => [panel.id, panel])),
  );

  readonly filter = $derived.by((): Pattern => this.#filter.pattern);

  readonly #members = $derived.by(() => writeMembers(this.session.settings.options));
  readonly sections = $derived.by((): readonly Section[] => {
    const { pinned, order, panels } = this.session.settings;
    const shown = this.#shownTags;
    const isPinned = new Set(pinned);
    const charts = pinned.filter((id) => readCardId(id).kind === "scalar");
    const matches = (id: string): boolean => (this.#panels.get(id)?.tags ?? [id]).some(this.filter.matches);
    const loose = panels.filter((panel) => !isPinned.has(panel.id)).map((panel) => panel.id);
    const first = [
      makeSection(PINNED, "Pinned", charts, matches),
      makeSection(PANELS, "Panels", inOrder(loose, order.get(PANELS)), matches),
    ].filter((section) => section !== null);
    const sections = [...this.#byPrefix].map(([prefix, tags]) => {
      const here = tags.filter((tag) => shown.has(tag) && !isPinned.has(tag));
      // Those without a prefix are in no section that says how much they matter.
      const sorted = prefix ? here : inOrder(here, here.filter(isMainTag));
      return makeSection(prefix, prefix || "Other", inOrder(sorted, order.get(prefix)), this.filter.matches);
    });
    const arranged = arrangeSections(
      sections.filter((section) => section !== null),
      { order, members: this.#members, isBelow: first.length > 0 },
    );
    return [...first, ...arranged];
  });

  /** Null means one line per run. */
  readonly groups = $derived.by((): readonly RunGroup[] | null => {
    const { groupBy } = this.session.settings;
    if (!groupBy) return null;
    const groups = groupRuns(this.session.runs.shown, groupBy, this.session.hparams.runs);
    // Directories and patterns are what the user asked for.
    return groupBy === "config" || groupBy.startsWith("hparam:") ? shortenLabels(groups) : groups;
  });
  // The runs of a group have its colour.
  readonly #firstRun = $derived.by(
    () => new Map(this.groups?.map(({ label, runs: [first = label] }) => [label, first] as const)),
  );
  readonly restarts = $derived.by(
    () =>
      new Map(this.session.runs.all.flatMap((run) => (run.restarts > 0 ? [[run.name, run.restarts] as const] : []))),
  );

  /** The colour of a run, or of a group if runs are grouped. */
  color(name: string, theme: Theme = this.session.settings.shownTheme): string {
    return this.session.runs.color(this.#firstRun.get(name) ?? name, theme);
  }

  /** The colour of its line beside other parts of its training. */
  shade(name: string, theme: Theme = this.session.settings.shownTheme): string {
    return this.session.runs.shade(this.#firstRun.get(name) ?? name, theme);
  }

  /** The dashes of a run, or of a group if runs are grouped. */
  dash(name: string): readonly number[] {
    return this.session.runs.dash(this.#firstRun.get(name) ?? name);
  }

  /** Returns the same object for the same card, so that repeated calls trigger no updates. */
  spec(id: string): CardSpec {
    const panel = this.#panels.get(id);
    if (panel) return panel;
    let spec = this.#specs.get(id);
    if (!spec) this.#specs.set(id, (spec = specOf(id, this.#panels)));
    return spec;
  }

  titleOf = (id: string): string => titleOf(this.spec(id));

  isPanel(id: string): boolean {
    return this.#panels.has(id);
  }

  /** The shown runs that have one of the card's tags. */
  runsOf(spec: CardSpec): RunSet {
    return this.#findRuns(spec.tags.flatMap(tagsIn));
  }

  /** Whether several parts of a training have the card's tags, shown or not: selecting runs does not change lines. */
  partsMeet(spec: CardSpec): boolean {
    return partsMeetIn(this.#findAll(spec.tags.flatMap(tagsIn)));
  }

  /** True if no run has any of the card's tags. */
  isGone = (id: string): boolean =>
    this.session.isLoaded && !this.spec(id).tags.some((tag) => tagsIn(tag).some((each) => this.#known.has(each)));

  /** Visible cards, in reading order. */
  drawnCards = (): CardSpec[] => this.cards().filter((spec) => this.drawings.read(spec.id, "light") !== null);

  /** Cards that pass the tag filter, in reading order. */
  cards = (): CardSpec[] => this.sections.flatMap((section) => allIds(section).map((id) => this.spec(id)));

  isTag = (id: string): boolean => this.#known.has(id);

  // Reads the settings once, not once for each of ten thousand cards.
  readonly hasTable = $derived.by((): ((id: string) => boolean) => {
    const { cards, selecting, isSelectionLinked } = this.session.settings;
    const { tables } = this;
    return (id) => {
      if (tables.has(id)) return true;
      const own = cards.get(id)?.selection;
      if (selecting === "none") return own !== undefined && own.length > 0;
      return isSelectionLinked || own === undefined || own.length > 0;
    };
  });

  /** Height of a table below the chart: a few rows, or fewer if there are fewer lines. */
  readonly tablePx = $derived.by(
    () => TABLE_HEAD_PX + TABLE_ROW_PX * Math.min(TABLE_ROWS, this.groups?.length ?? this.session.runs.shown.length),
  );

  readonly sizeOf = $derived.by((): ((id: string) => CardSize) => {
    const { cards } = this.session.settings;
    const { cardHeightPx } = this.session.preferences;
    const { hasTable, tablePx } = this;
    return (id) => {
      const { heightPx = cardHeightPx, isWide = false } = cards.get(id) ?? {};
      const belowPx = hasTable(id) ? tablePx : 0;
      return { heightPx: heightPx + belowPx, belowPx, isWide };
    };
  });

  toggleTable(id: string): void {
    const tables = new Set(this.tables);
    if (!tables.delete(id)) tables.add(id);
    this.tables = tables;
  }

  resize(id: string, heightPx: number | undefined): void {
    const kept =
      heightPx === undefined ? undefined : Math.round(Math.min(Math.max(heightPx, MIN_CARD_PX), MAX_CARD_PX));
    this.session.settings.setCard(id, { heightPx: kept });
  }
}
