// Opens the page: one session with the server the page came from, shown by App.

import { mount } from "svelte";
import App from "./App.svelte";
import { Client, overHttp } from "./api/client";
import { type LiveHandlers, openLive } from "./api/live";
import type { Kind } from "./api/types";
import { readArrival } from "./frame/address.svelte";
import type { CardOffer, Modules } from "./cards/dashboards";
import { foreseeCards } from "./cards/first_cards";
import { Session } from "./state/session.svelte";
import { afterPaint, nextTask } from "./base/put_off";
import "./ui/theme.css";

// A frame that is drawn before its dashboard is drawn twice; but nobody shall wait for a slow server before anything is
// seen.
const PATIENCE_MS = 150;
// Making cards keeps the page from taking answers, so those to the first questions are taken before.
const FORESIGHT_MS = 80;

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** The dashboard that will most likely be shown first. */
interface Likely {
  readonly lists: readonly Kind[];
  readonly offers: readonly CardOffer[];
  /** Kept once the code of it and its cards is here, or cannot be had. */
  readonly code: Promise<unknown> | undefined;
}

/** `early`: answers that are on their way, by their paths; each is taken once. */
export async function open(modules: Modules, likely: Likely, early: Map<string, Promise<Response>>): Promise<void> {
  const session = new Session(
    new Client((path, init) => {
      const answer = early.get(path);
      early.delete(path);
      return answer ?? overHttp(path, init);
    }),
  );
  readArrival(session);
  for (const kind of likely.lists) session.tags.want(kind, { comes: true });
  session.start(listenAfterPaint);
  await Promise.race([Promise.all([session.whenListed, likely.code]), sleep(PATIENCE_MS)]);
  const answers = await Promise.race([foreseeCards(session, likely.offers), sleep(FORESIGHT_MS).then(() => [])]);
  session.foreseen = hideUntil(Promise.race([Promise.allSettled(answers), sleep(FORESIGHT_MS)]));
  void session.foreseen.then(() => (session.foreseen = null));
  mount(App, { target: document.body, props: { session, modules } });
}

/**
 * Painting the frame alone would keep its cards from being painted for longer than it takes to make them. They are made
 * in the task in which the page is shown.
 */
function hideUntil(moment: Promise<unknown>): Promise<void> {
  const { style } = document.body;
  style.visibility = "hidden";
  return moment.then(nextTask).then(() => void style.removeProperty("visibility"));
}

/** Opening the connection costs as much as a chart; nothing waits for it. */
function listenAfterPaint(handlers: LiveHandlers): () => void {
  let stop = (): void => undefined;
  const callOff = afterPaint(() => (stop = openLive(handlers)));
  return () => {
    callOff();
    stop();
  };
}
