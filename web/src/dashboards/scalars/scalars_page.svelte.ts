// What the cards of the scalars page have in common: which cards there are, whose runs they show, how runs are grouped,
// and which card is worked on. What the user has set is in the session's settings.

import { innerHeight, innerWidth } from "svelte/reactivity/window";
import { readCardId } from "../../cards/card_id";
import { assignColors, PALETTE } from "../../state/runs/colors";
import { groupRuns, type RunGroup } from "../../state/runs/groups";
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
import { type RunSet, runSetFinder, toRunSet } from "../../cards/run_sets";
import {
  allTags,
  groupTags,
  inOrder,
  makeSection,
  PANELS,
  PINNED,
  type Section,
  setsOf,
  tagsOfSets,
} from "../../cards/tag_sections";

const TABLE_HEAD_PX = 78;
const TABLE_ROW_PX = 22;
const TABLE_ROWS = 6;
export const MIN_CARD_PX = 150;
export const MAX_CARD_PX = 1_200;
const NOBODY = toRunSet([]);

const pages = new WeakMap<Session, ScalarsPage>();

/** One for all scalar cards of a session, wherever they stand: what they have fetched is theirs together. */
export function scalarsPageOf(session: Session): ScalarsPage {
  const known = pages.get(session);
  if (known) return known;
  let page: ScalarsPage | undefined;
  // It outlives the component that asks first.
  $effect.root(() => void (page = new ScalarsPage(session)));
  pages.set(session, page as unknown as ScalarsPage);
  return page as unknown as ScalarsPage;
}

export class ScalarsPage {
  readonly supply: Supply;
  readonly drawings = new CardDrawings();
  /** The card that fills the window. */
  fullScreen = $state<string | null>(null);
  /** The card that was last pointed at or focused: keys are for it. */
  active = $state<string | null>(null);
  readonly windowPx = $derived({ width: innerWidth.current ?? 0, height: innerHeight.current ?? 0 });
  /** Cards that show their numbers below the chart though nothing is selected. */
  tables = $state.raw<ReadonlySet<string>>(new Set());

  readonly #filter: TagFilter;
  readonly #specs = new Map<string, CardSpec>();

  constructor(readonly session: Session) {
    this.#filter = new TagFilter(session.settings);
    this.supply = { requests: new LineRequests(session.client), cache: new AnswerCache() };
  }

  readonly index = $derived.by(() => this.session.tags.index("scalar"));
  readonly isListed = $derived.by(() => this.index !== null);
  /** Every tag there is, by prefix and in natural order: sorted once, whatever is shown of it. */
  readonly #byPrefix = $derived.by(() => groupTags(this.index ? allTags(this.index) : []));
  readonly tags = $derived.by((): readonly string[] => [...this.#byPrefix.values()].flat());
  readonly #known = $derived.by(() => new Set(this.tags));
  // As text, so that a filter that leaves the same tags lays nothing out again.
  readonly #shownSets = $derived.by(() => (this.index ? setsOf(this.index, this.session.runs.shown).join() : ""));
  readonly #shownTags = $derived.by(() => {
    const sets = this.#shownSets;
    return this.index && sets ? tagsOfSets(this.index, sets.split(",").map(Number)) : new Set<string>();
  });
  readonly #findRuns = $derived.by(() =>
    this.index ? runSetFinder(this.index, this.session.runs.shown) : () => NOBODY,
  );
  readonly #panels = $derived.by(
    (): ReadonlyMap<string, Panel> => new Map(this.session.settings.panels.map((panel) => [panel.id, panel])),
  );

  readonly filter = $derived.by((): Pattern => this.#filter.pattern);

  readonly sections = $derived.by((): readonly Section[] => {
    const { pinned, order, panels } = this.session.settings;
    const shown = this.#shownTags;
    const isPinned = new Set(pinned);
    const charts = pinned.filter((id) => readCardId(id).kind === "scalar");
    const matches = (id: string): boolean => (this.#panels.get(id)?.tags ?? [id]).some(this.filter.matches);
    const sections: (Section | null)[] = [makeSection(PINNED, "Pinned", charts, matches)];
    const loose = panels.filter((panel) => !isPinned.has(panel.id)).map((panel) => panel.id);
    sections.push(makeSection(PANELS, "Panels", inOrder(loose, order.get(PANELS)), matches));
    for (const [prefix, tags] of this.#byPrefix) {
      const here = tags.filter((tag) => shown.has(tag) && !isPinned.has(tag));
      sections.push(makeSection(prefix, prefix || "No prefix", inOrder(here, order.get(prefix)), this.filter.matches));
    }
    return sections.filter((section) => section !== null);
  });

  /** Null: a line for every run. */
  readonly groups = $derived.by((): readonly RunGroup[] | null => {
    const { groupBy } = this.session.settings;
    return groupBy ? shortenLabels(groupRuns(this.session.runs.shown, groupBy, this.session.hparams.runs)) : null;
  });
  readonly #groupColors = $derived.by(() => {
    const { settings, runs } = this.session;
    const groups = this.groups ?? [];
    const slots = assignColors(groups.map(({ label }) => label));
    // Coloured by what they are grouped by, runs and their group look the same.
    const isShared = settings.colorBy === settings.groupBy;
    const color = (label: string, first: string, theme: Theme): string =>
      isShared ? runs.color(first, theme) : (PALETTE[slots.get(label) ?? 0]?.[theme] ?? "");
    return new Map(
      groups.map(({ label, runs: [first = ""] }) => [
        label,
        { light: color(label, first, "light"), dark: color(label, first, "dark") },
      ]),
    );
  });
  readonly restarts = $derived.by(
    () =>
      new Map(this.session.runs.all.flatMap((run) => (run.restarts > 0 ? [[run.name, run.restarts] as const] : []))),
  );

  /** Of a run, or of a group when runs are grouped. */
  color(name: string, theme: Theme = this.session.settings.shownTheme): string {
    return this.#groupColors.get(name)?.[theme] ?? this.session.runs.color(name, theme);
  }

  /** The same object for the same card, so that nothing follows from asking twice. */
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

  /** No run at all has what the card is about. */
  isGone = (id: string): boolean =>
    this.session.isLoaded && !this.spec(id).tags.some((tag) => tagsIn(tag).some((each) => this.#known.has(each)));

  /** Those in sight, in reading order. */
  drawnCards = (): CardSpec[] => this.cards().filter((spec) => this.drawings.read(spec.id, "light") !== null);

  /** Those that the tag filter leaves, in reading order. */
  cards = (): CardSpec[] => this.sections.flatMap((section) => section.ids.map((id) => this.spec(id)));

  isTag = (id: string): boolean => this.#known.has(id);

  // What is set is read once here and not once for each of ten thousand cards.
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

  /** Room for a table below the chart: a few rows, or fewer where there are not so many. */
  readonly tablePx = $derived.by(
    () => TABLE_HEAD_PX + TABLE_ROW_PX * Math.min(TABLE_ROWS, this.groups?.length ?? this.session.runs.shown.length),
  );

  readonly sizeOf = $derived.by((): ((id: string) => CardSize) => {
    const { cards } = this.session.settings;
    const { cardHeightPx } = this.session.preferences;
    const { hasTable, tablePx } = this;
    return (id) => {
      const { heightPx = cardHeightPx, isWide = false } = cards.get(id) ?? {};
      return { heightPx: heightPx + (hasTable(id) ? tablePx : 0), isWide };
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

// Hyperparameters stand between commas, what comes on top after a dot.
const SEPARATOR = /(?:, | · )(?=[^ =]+=|[^=]*$)/;

const nameOf = (part: string): string => part.slice(0, part.indexOf("="));

/** A hyperparameter that has one value in all groups says nothing about any and is left out of their names. */
export function shortenLabels(groups: readonly RunGroup[]): RunGroup[] {
  if (groups.length < 2) return [...groups];
  const parts = groups.map(({ label }) => label.split(SEPARATOR));
  const values = new Map<string, Set<string>>();
  for (const part of parts.flat()) {
    const name = nameOf(part);
    values.set(name, (values.get(name) ?? new Set()).add(part));
  }
  const isTelling = (part: string): boolean => !part.includes("=") || (values.get(nameOf(part))?.size ?? 0) > 1;
  const short = parts.map((each) => each.filter(isTelling).join(", "));
  // Rather long than empty or the same twice.
  const isClear = short.every(Boolean) && new Set(short).size === short.length;
  return groups.map((group, i) => (isClear ? { ...group, label: short[i] ?? group.label } : group));
}
