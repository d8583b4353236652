// Opens the page: creates one session with the server that served the page, and mounts App.

import { mount } from "svelte";
import App from "./App.svelte";
import { Client } from "./api/client";
import { earlyKey } from "./api/lists_path";
import { overHttp } from "./api/http";
import { type LiveHandlers, openLive } from "./api/live";
import type { CardKind } from "./api/asset_kind";
import { readArrival } from "./frame/address.svelte";
import { type CardOffer, type DashboardCode, makeTabs, type Modules } from "./cards/dashboards";
import { prefetchCards } from "./cards/first_cards";
import { Session } from "./state/session.svelte";
import { nextTask } from "./base/defer";
import "./ui/theme.css";

// Drawing the frame before its dashboard means drawing it twice, but a slow server must not leave the page blank.
const PATIENCE_MS = 150;
// Responses wait while the page creates cards, so it first waits this long for the first responses.
const PREFETCH_WAIT_MS = 80;

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** The dashboard that the page most likely shows first. */
interface Likely {
  readonly lists: readonly CardKind[];
  readonly offers: readonly CardOffer[];
  /** Of the dashboard, once the code of its first cards has loaded too. */
  readonly code: Promise<DashboardCode> | undefined;
}

/** `early`: pending responses by `earlyKey`; each is used once. */
export async function open(modules: Modules, likely: Likely, early: Map<string, Promise<Response>>): Promise<void> {
  const session = new Session(
    new Client((path, init) => {
      const key = earlyKey(path, init.body);
      const answer = early.get(key);
      early.delete(key);
      return answer ?? overHttp(path, init);
    }),
  );
  readArrival(session);
  for (const kind of likely.lists) session.tags.want(kind, { comes: true });
  session.start((handlers) => listenAfterCards(session, handlers));
  let prefetched: Promise<readonly Promise<unknown>[]> | undefined;
  const code = likely.code?.then(
    ({ prefetch }) => void (prefetched = prefetch?.(session).catch(() => [])),
    () => undefined,
  );
  await Promise.race([Promise.all([session.whenListed, code]), sleep(PATIENCE_MS)]);
  // In the order of the page: the same cards are first, and are listed once.
  const offers = makeTabs(session.dashboards ?? [], modules)
    .flatMap(({ cards = [], is_active }) => (is_active ? cards : []))
    .filter((offer) => likely.offers.includes(offer));
  const sent = Promise.all([prefetchCards(session, offers), prefetched ?? []]).then((answers) => answers.flat());
  const answers = await Promise.race([sent, sleep(PREFETCH_WAIT_MS).then(() => [])]);
  session.prefetched = hideUntil(Promise.race([Promise.allSettled(answers), sleep(PREFETCH_WAIT_MS)]));
  void session.prefetched.then(() => (session.prefetched = null));
  mount(App, { target: document.body, props: { session, modules } });
}

/**
 * Painting the frame alone would delay the cards by more than the time it takes to create them. The task that shows the
 * page also creates them.
 */
function hideUntil(moment: Promise<unknown>): Promise<void> {
  const { style } = document.body;
  style.visibility = "hidden";
  return moment.then(nextTask).then(() => void style.removeProperty("visibility"));
}

/** Opens the connection late: it costs as much as a chart, and its news make cards load again. */
function listenAfterCards({ readiness }: Session, handlers: LiveHandlers): () => void {
  let stop = (): void => undefined;
  const callOff = readiness.afterFirst(() => (stop = openLive(handlers)));
  return () => {
    callOff();
    stop();
  };
}
