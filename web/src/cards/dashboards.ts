// What a dashboard is to the frame, and the order of the tabs. Knows no dashboard by name.

import type { Component, Snippet } from "svelte";
import type { CardKind } from "../api/asset_kind";
import type { EarlyRequest } from "../api/lists_path";
import type { DashboardInfo } from "../api/types";
import type { Session } from "../state/session.svelte";
import type { Section } from "./tag_sections";

export interface DashboardProps {
  session: Session;
  /** All tabs: a dashboard may show cards of others. */
  tabs: readonly Tab[];
  /** How to log what it shows; missing: there is data. Only for dashboards that open files. */
  howTo?: Snippet<[opening: Opening]> | undefined;
}

/** A way to see something without a log. */
export interface Opening {
  readonly text: string;
  readonly label: string;
  readonly run: () => void;
}

/** The props of every card. A card fills `widthPx` and `heightPx`. */
export interface CardProps {
  session: Session;
  /** Key of its pin, height and cursor. */
  id: string;
  kind: CardKind;
  /** For assets, the name. */
  tag: string;
  /** Null: a card for all runs. */
  run: string | null;
  /** The shown runs that it shows. */
  runs: readonly string[];
  /** Shows `runs` and no others, even if more are shown elsewhere. */
  isOfRuns?: boolean;
  /** The section that it can be moved in. */
  section: Section;
  /** On screen. Cards just outside exist, but load and draw nothing. */
  isVisible: boolean;
  /** Enough of it is on screen to load its data. */
  isWanted: boolean;
  /** Scrolling too fast to read it. */
  isPassing: boolean;
  /** Distance from the top of the page: higher cards load first. */
  place: number;
  widthPx: number;
  heightPx: number;
}

/** A kind of series or a family of assets that a dashboard shows in cards, on its own page and elsewhere. */
export interface CardOffer {
  readonly kind: CardKind;
  /** One card per run and tag, or one per tag. */
  readonly per: "run" | "tag";
  /** Default height; the largest default of a card that fits its content. */
  readonly heightPx: number;
  /** As high as its content: the card reports it to FittedHeights. */
  readonly isFitted?: boolean;
  /** Shows more when it is larger: where there is room, the card is. */
  readonly isPicture?: boolean;
  /** Tags without a card, such as parts of another. */
  readonly skips?: (tag: string) => boolean;
  /** Only the last of a run's tags has a card. */
  readonly isLast?: boolean;
  /** Its cards are not about one series: other pages show only pinned ones, and never as gone. */
  readonly isMade?: boolean;
  /** Title of the card; default: its tag. */
  readonly titleOf?: (tag: string) => string;
  readonly load: () => Promise<CardModule>;
}

export interface CardModule {
  readonly default: Component<CardProps>;
  /**
   * Requests the data of these cards before they are created. Resolves when the requests are sent, with their answers.
   */
  readonly prefetch?: (session: Session, cards: readonly FirstCard[]) => Promise<readonly Promise<unknown>[]>;
}

/** A card that is about to be created. */
export type FirstCard = Pick<CardProps, "id" | "kind" | "tag" | "run" | "runs">;

/** How to log what a dashboard shows. */
export interface HowTo {
  /** One sentence: what it shows. */
  readonly shows: string;
  readonly examples: readonly Example[];
}

export interface Example {
  /** A framework. */
  readonly label: string;
  /** Python that logs into a run below this folder. */
  readonly code: (folder: string) => string;
}

export interface DashboardCode {
  readonly default: Component<DashboardProps>;
  /**
   * Requests what it shows first, before it is created: for dashboards that are not pages of cards. Resolves when the
   * requests are sent, with answers that the frame stays hidden for, a moment at most, so that it is painted once.
   */
  readonly prefetch?: (session: Session) => Promise<readonly Promise<unknown>[]>;
}

/** What a dashboard's index.ts exports. Its title and kinds come from the server's list. */
export interface DashboardModule {
  readonly load: () => Promise<DashboardCode>;
  readonly howTo: () => Promise<{ default: HowTo }>;
  /**
   * What it lists: requested along with everything else, before the dashboard itself is there. "offered": all kinds
   * that dashboards have cards for.
   */
  readonly lists: readonly CardKind[] | "offered";
  /** What it always asks first, sent before its code is there: as its ask.ts sends it, or else it is sent again. */
  readonly first?: readonly EarlyRequest[];
  /** Kinds of the cards that are likely on top: their code loads with the dashboard. Default: what it lists. */
  readonly leads?: readonly CardKind[];
  readonly cards?: readonly CardOffer[];
  /** Options of its cards, for other pages that show them. */
  readonly controls?: () => Promise<{ default: Component<{ session: Session }> }>;
  /**
   * What acts on all dashboards while the view has one of these options, or as long as this one has data: it runs even
   * if this one is not open.
   */
  readonly keeps?: {
    readonly options: readonly string[];
    readonly isWithData?: boolean;
    readonly load: () => Promise<{ default: (session: Session) => void }>;
  };
  /** It opens files of the user, so it is shown without data too, and shows `howTo` until there is some. */
  readonly opensFiles?: boolean;
  /** The list of runs is a rail at first. */
  readonly needsWidth?: boolean;
  /** The default dashboard: loaded before the server has listed the dashboards. */
  readonly isUsual?: boolean;
}

const loadedDashboards = new Map<DashboardModule["load"], DashboardCode>();
const loadedCards = new Map<CardOffer["load"], CardModule>();

/** Null until its code is loaded. */
export const loadedCard = (offer: CardOffer): CardModule | null => loadedCards.get(offer.load) ?? null;

export async function loadCard({ load }: CardOffer): Promise<CardModule> {
  const card = await load();
  loadedCards.set(load, card);
  return card;
}

/** Loads its cards along with it: only a page that lists something shows cards. */
export async function loadDashboard({ load, lists, cards = [] }: DashboardModule): Promise<DashboardCode> {
  const own = lists.length > 0 ? cards : [];
  const [code] = await Promise.all([load(), ...own.map(loadCard)]);
  loadedDashboards.set(load, code);
  return code;
}

/** Null until its code is loaded. */
export const loadedDashboard = ({ load }: DashboardModule): DashboardCode | null => loadedDashboards.get(load) ?? null;

export type Modules = Readonly<Record<string, DashboardModule>>;
export interface Tab extends DashboardInfo, DashboardModule {}

const nameOf = (path: string): string | undefined => path.split("/").at(-2);

/**
 * Tabs in the server's order, without those that the page has no folder for. `modules` is keyed by `…/name/index.ts`.
 */
export function makeTabs(listed: readonly DashboardInfo[], modules: Modules): Tab[] {
  const byName = new Map(Object.entries(modules).map(([path, module]) => [nameOf(path), module]));
  return listed.flatMap((info) => {
    const module = byName.get(info.name);
    return module ? [{ ...info, ...module }] : [];
  });
}

/** The tab of this name, else the first with data, else the first. */
export function chooseTab(tabs: readonly Tab[], name: string): Tab | null {
  return tabs.find((tab) => tab.name === name) ?? tabs.find((tab) => tab.is_active) ?? tabs[0] ?? null;
}

/** The likely dashboard, before the server has listed them. */
export function guessModule(modules: Modules, name: string): DashboardModule | undefined {
  const asked = Object.entries(modules).find(([path]) => nameOf(path) === name)?.[1];
  return asked ?? Object.values(modules).find((module) => module.isUsual);
}
