// Keeps the browser's address and the view in sync, both ways: writes changes, and shows the view of back, forward or a
// typed address. Does not know what the address means.

import type { Session } from "../state/session.svelte";
import { readTensorBoardHash, readTensorBoardQuery } from "../state/view/tensorboard_url";
import { ViewHistory } from "../state/view/view_history";
import { decodeView } from "../state/view/url";
import { DEFAULT_VIEW, type View } from "../state/view/view";

// Browsers reject a page that writes its address on every move of a slider.
const WRITE_REST_MS = 120;

interface Place {
  /** Our entries in the history before this one. An entry without it was typed or linked to. */
  readonly depth: number;
}

const place = (): Place | null => history.state as Place | null;

/** The view that the page was opened with. Called first, because it determines what to load. */
export function readArrival(session: Session): void {
  session.isBareArrival = isBare();
  const view = session.isBareArrival ? { ...readAddress(), ...session.kept.fields() } : readAddress();
  session.settings.view = view.theme === "system" ? { ...view, theme: session.preferences.theme } : view;
}

/** Typed or linked to, and says at most which dashboard: then the rest is what the browser keeps. */
const isBare = (): boolean =>
  place() === null &&
  Object.keys(readTensorBoardQuery(location.search).view).length === 0 &&
  /^(#\/?[\w-]*)?$/.test(location.hash);

/** Call it while the app is created. */
export function followAddress(session: Session): void {
  const { settings, runs } = session;
  const viewHistory = new ViewHistory(settings.view);
  let shownHash = location.hash;
  let hashBefore = "";
  let { fillings } = session;

  function write(address: string): void {
    const how = viewHistory.take(address);
    if (how === "none") return;
    if (how === "back") {
      shownHash = hashBefore;
      history.back();
      return;
    }
    const url = `${location.pathname}${location.search}${address}`;
    const depth = place()?.depth ?? 0;
    hashBefore = how === "push" ? location.hash : hashBefore;
    if (how === "push") history.pushState({ depth: depth + 1 }, "", url);
    else history.replaceState({ depth }, "", url);
    shownHash = location.hash;
  }

  function arrive(): void {
    // Browsers report one navigation with two events.
    if (location.hash === shownHash) return;
    shownHash = location.hash;
    const read = isBare() ? { ...readAddress(), ...session.kept.fields() } : readAddress();
    const view = !place() && read.theme === "system" ? { ...read, theme: settings.theme } : read;
    viewHistory.arrive(view);
    settings.view = view;
  }

  $effect(() => {
    const address = settings.address(runs.names, runs.nameOf);
    if (session.fillings === fillings) viewHistory.note(settings.view, performance.now());
    else viewHistory.arrive(settings.view);
    fillings = session.fillings;
    const timer = setTimeout(() => write(address), WRITE_REST_MS);
    return () => clearTimeout(timer);
  });
  $effect(() => {
    addEventListener("popstate", arrive);
    addEventListener("hashchange", arrive);
    return () => {
      removeEventListener("popstate", arrive);
      removeEventListener("hashchange", arrive);
    };
  });
}

/** Goes back, but never leaves the page. */
export function undo(): boolean {
  const canUndo = (place()?.depth ?? 0) > 0;
  if (canUndo) history.back();
  return canUndo;
}

/** The address of the view to save or share: without the theme, which each user chooses. */
export function addressOf({ settings, runs }: Session): string {
  return settings.address(runs.names, runs.nameOf, { theme: DEFAULT_VIEW.theme }, { isShared: true });
}

export const linkTo = (address: string): string =>
  `${location.origin}${location.pathname}${location.search}${address || "#/"}`;

/** Shows a saved view. Back undoes it. */
export function applyAddress({ settings }: Session, address: string): void {
  settings.view = { ...decodeView(address), theme: settings.theme };
}

function readAddress(): View {
  const { view, rest } = readTensorBoardQuery(location.search);
  const old = readTensorBoardHash(location.hash);
  // Once read, it is part of the view and must not return with the next reload.
  if (Object.keys(view).length > 0)
    history.replaceState(history.state, "", `${location.pathname}${rest}${location.hash}`);
  return { ...(old ? { ...DEFAULT_VIEW, ...old } : decodeView(location.hash)), ...view };
}
