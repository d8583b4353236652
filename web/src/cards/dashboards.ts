// What a dashboard is to the frame around it, and the order of the tabs. Knows none of them by name.

import type { Component } from "svelte";
import type { CardKind } from "../api/asset_kind";
import type { DashboardInfo } from "../api/types";
import type { Session } from "../state/session.svelte";
import type { Section } from "./tag_sections";

export interface DashboardProps {
  session: Session;
  /** All there are: a dashboard may show cards of others, but knows none by name. */
  tabs: readonly Tab[];
}

/**
 * What a card of any dashboard is given. It fills its place: a CardFrame of `widthPx`, and of the height that its
 * settings or its offer say.
 */
export interface CardProps {
  session: Session;
  /** What the card is remembered by: pins, height, its own place in time. */
  id: string;
  kind: CardKind;
  /** For assets, the name. */
  tag: string;
  /** Null: a card for all runs. */
  run: string | null;
  /** The shown runs that it is about. */
  runs: readonly string[];
  /** Where it stands on the page: cards are moved within it. */
  section: Section;
  /** On screen; a card next to it exists but asks for nothing and draws nothing. */
  isVisible: boolean;
  /** Enough of it is on screen to ask for its data. */
  isWanted: boolean;
  /** The page is scrolled too fast for this card to be read or used. */
  isPassing: boolean;
  /** How far from the top of the page it is: what is higher up is asked for first. */
  place: number;
  widthPx: number;
  heightPx: number;
}

/** A kind of series or a family of assets that a dashboard shows in cards, on its own page and elsewhere. */
export interface CardOffer {
  readonly kind: CardKind;
  /** A card for each run that has the tag, or one for all of them. */
  readonly per: "run" | "tag";
  /** How high its cards are unless the user says otherwise. */
  readonly heightPx: number;
  /** Tags that get no card of their own: parts of another. */
  readonly skips?: (tag: string) => boolean;
  /**
   * Its cards are about no one series: elsewhere there are those that were pinned, and each says itself when it is
   * gone.
   */
  readonly isMade?: boolean;
  /** What the card is called; its tag unless it says so. */
  readonly titleOf?: (tag: string) => string;
  readonly load: () => Promise<CardModule>;
}

export interface CardModule {
  readonly default: Component<CardProps>;
  /**
   * Asks for what these cards will want once they are there. Kept once that is done, with the answers that are on their
   * way.
   */
  readonly foresee?: (session: Session, cards: readonly FirstCard[]) => Promise<readonly Promise<unknown>[]>;
}

/** A card that will be made in a moment. */
export type FirstCard = Pick<CardProps, "id" | "kind" | "tag" | "run" | "runs">;

/** How to log what a dashboard shows, for those who have not. */
export interface HowTo {
  /** One sentence: what it shows once there is something. */
  readonly shows: string;
  readonly examples: readonly Example[];
}

export interface Example {
  /** A framework. */
  readonly label: string;
  /** Python that logs into a run below this folder. */
  readonly code: (folder: string) => string;
}

/** What a dashboard's index.ts exports. Its title and kinds come from the server's list. */
export interface DashboardModule {
  readonly load: () => Promise<{ default: Component<DashboardProps> }>;
  readonly howTo: () => Promise<{ default: HowTo }>;
  /** What it lists: requested along with everything else, before the dashboard itself is there. */
  readonly lists: readonly CardKind[];
  /** What it shows in cards of the common form. */
  readonly cards?: readonly CardOffer[];
  /** What can be set for all its cards, for pages that show them among others. */
  readonly controls?: () => Promise<{ default: Component<{ session: Session }> }>;
  /** The one that most people come for: fetched before the server has said which have something to show. */
  readonly isUsual?: boolean;
}

const loadedDashboards = new Map<DashboardModule["load"], Component<DashboardProps>>();
const loadedCards = new Map<CardOffer["load"], CardModule>();

/** Null until its code is here. */
export const loadedCard = (offer: CardOffer): CardModule | null => loadedCards.get(offer.load) ?? null;

export async function loadCard({ load }: CardOffer): Promise<CardModule> {
  const card = await load();
  loadedCards.set(load, card);
  return card;
}

/** The dashboard's code, and along with it that of its cards: one is of no use without the other. */
export async function loadDashboard({ load, cards = [] }: DashboardModule): Promise<Component<DashboardProps>> {
  const [{ default: dashboard }] = await Promise.all([load(), ...cards.map(loadCard)]);
  loadedDashboards.set(load, dashboard);
  return dashboard;
}

/** Null until its code is here. */
export const loadedDashboard = ({ load }: DashboardModule): Component<DashboardProps> | null =>
  loadedDashboards.get(load) ?? null;

export type Modules = Readonly<Record<string, DashboardModule>>;
export interface Tab extends DashboardInfo, DashboardModule {}

const nameOf = (path: string): string | undefined => path.split("/").at(-2);

/**
 * Tabs in the server's order; what this page has no folder for is left out. `modules` is keyed by `…/name/index.ts`.
 */
export function makeTabs(listed: readonly DashboardInfo[], modules: Modules): Tab[] {
  const byName = new Map(Object.entries(modules).map(([path, module]) => [nameOf(path), module]));
  return listed.flatMap((info) => {
    const module = byName.get(info.name);
    return module ? [{ ...info, ...module }] : [];
  });
}

/** The tab the user asked for, else the first with data, else the first. */
export function chooseTab(tabs: readonly Tab[], name: string): Tab | null {
  return tabs.find((tab) => tab.name === name) ?? tabs.find((tab) => tab.is_active) ?? tabs[0] ?? null;
}

/** Which dashboard it will be, before the server has listed them. */
export function guessModule(modules: Modules, name: string): DashboardModule | undefined {
  const asked = Object.entries(modules).find(([path]) => nameOf(path) === name)?.[1];
  return asked ?? Object.values(modules).find((module) => module.isUsual);
}
