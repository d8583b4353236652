// A card with lines of scalars: the part of the axes it shows, its question and the answer. Does not know how the lines
// look. Created in a component and ends with it.

import type { ChartView, Series, XKind } from "../chart/model";
import { CardData } from "../cards/card_data.svelte";
import type { RunSet } from "../cards/run_sets";
import type { Session } from "../state/session.svelte";
import { isTimeAxis, type Range } from "../state/view/view";
import { CardLines, type Supply } from "./card_lines.svelte";
import type { CardAnswer, CardLine, CardSpec, Question } from "./card_model";
import { type Asking, makeQuestion } from "./card_question";
import { PointDetails } from "./point_details.svelte";

const NO_LINES: readonly CardLine[] = [];

export interface LineCardOptions {
  readonly supply: Supply;
  readonly spec: () => CardSpec;
  /** The shown runs that have one of its tags. */
  readonly runs: () => RunSet;
  /** Shows these runs, whichever are shown elsewhere. */
  readonly isOfRuns?: () => boolean;
  /** How far the card is from the top of the page. */
  readonly place: () => number;
  readonly isWanted: () => boolean;
  /** What its question does not take from the settings of the page. */
  readonly asking: () => Pick<Asking, "groups" | "widthPx"> & Partial<Pick<Asking, "smoothing" | "view">>;
}

export class LineCard {
  readonly data: CardData<Question, CardAnswer>;
  readonly details: PointDetails;
  /** The series that were drawn last. */
  drawn = $state.raw<readonly Series[] | null>(null);
  #drawnKey = $state("");

  constructor(
    private readonly session: Session,
    private readonly options: LineCardOptions,
  ) {
    const { supply, place, isWanted, runs } = options;
    this.data = new CardData(session, new CardLines(supply, place), {
      wanted: () => (this.isEmpty ? null : { key: this.#key, query: this.question }),
      isWanted,
      about: ({ generation }) => ({ generation, runs: runs().names }),
      // Lines that are known change in the same flush as their colours, and are drawn once.
      isEarly: true,
    });
    this.details = new PointDetails(session.client);
    $effect(() => () => this.details.end());
  }

  readonly #card = $derived.by(() => this.session.settings.card(this.options.spec().id));
  readonly xScale = $derived.by(() => this.#card.xScale ?? this.session.settings.xScale);
  readonly yScale = $derived.by(() => this.#card.yScale ?? this.session.settings.yScale);
  readonly zoom = $derived.by((): Range | null =>
    this.session.settings.isZoomLinked ? this.session.settings.linkedX : (this.#card.x ?? null),
  );
  readonly view = $derived.by((): ChartView => ({ x: this.zoom, y: this.#card.y ?? null, y2: this.#card.y2 ?? null }));
  readonly isZoomed = $derived.by(() => this.view.x !== null || this.view.y !== null || this.view.y2 !== null);

  readonly question = $derived.by((): Question => {
    const { settings, changes, runs } = this.session;
    const { showsRaw, showsEarlier, center, spread } = settings;
    return makeQuestion({
      spec: this.options.spec(),
      runs: this.options.runs(),
      isAllRuns: runs.isAllShown && !this.options.isOfRuns?.(),
      x: settings.xAxis,
      xScale: this.xScale,
      zoom: this.zoom,
      smoothing: settings.smoothing,
      view: { showsRaw, showsEarlier, center, spread },
      epoch: changes.epoch,
      ...this.options.asking(),
    });
  });
  readonly #key = $derived.by(() => this.question.key);
  readonly isEmpty = $derived.by(() => this.options.runs().names.length === 0);

  readonly answer = $derived.by((): CardAnswer | null => this.data.value);
  readonly lines = $derived.by((): readonly CardLine[] => this.answer?.lines ?? NO_LINES);
  readonly firstFound = $derived.by(() => this.answer?.firstFound ?? 0);
  /** The lines that the pointer finds. */
  readonly found = $derived.by(() => this.lines.slice(this.firstFound));
  readonly series = $derived.by((): readonly Series[] => this.lines.map((line) => line.series));
  /** The x axis of the answer. */
  readonly x = $derived.by((): string => this.answer?.question.x ?? this.session.settings.xAxis);
  readonly xKind = $derived.by((): XKind => (isTimeAxis(this.x) ? this.x : "value"));
  /** The current lines are on screen. */
  readonly isReady = $derived.by(
    () => this.options.isWanted() && !this.data.error && (this.isEmpty || this.#drawnKey === this.#key),
  );

  /** Where the cursor is on the x axis of the answer; null if it is at the newest. */
  readonly marker = $derived.by((): number | null => {
    const { cursor, settings } = this.session;
    return settings.cursor && isTimeAxis(this.x) ? cursor.on(this.x) : null;
  });
  /** Moves the cursor to an x, and returns what moves it back; missing on an axis that is not a time. */
  readonly pick = $derived.by((): ((x: number) => () => void) | undefined => {
    const { x } = this;
    if (!isTimeAxis(x)) return undefined;
    return (at) => {
      const { cursor, settings } = this.session;
      const before = settings.cursor;
      cursor.set(at, x);
      return () => settings.set({ cursor: before });
    };
  });

  /** The chart has drawn these series. */
  noteDrawn(shown: readonly Series[]): void {
    this.drawn = shown;
    if (this.answer && shown === this.series) this.#drawnKey = this.answer.question.key;
  }

  /** Zooms; in x, on all cards if they are linked. */
  setView({ x, y, y2 }: ChartView): void {
    const { settings } = this.session;
    const { id } = this.options.spec();
    if (settings.isZoomLinked) {
      if (x !== this.zoom) settings.set({ linkedX: x });
      settings.setCard(id, { y: y ?? undefined, y2: y2 ?? undefined });
    } else settings.setCard(id, { x: x ?? undefined, y: y ?? undefined, y2: y2 ?? undefined });
  }
}
