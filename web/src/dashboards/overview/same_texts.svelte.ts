// Asks which texts the shown runs logged alike, so that the page shows them once. Slowly: texts that are the same were
// mostly logged at the start.

import { Pacer } from "../../base/pacer";
import { twinsOf } from "../../cards/twins.svelte";
import { listSameTexts } from "./ask";
import type { Session } from "../../state/session.svelte";

const PACE = { restFactor: 10, minRestMs: 2_000, maxRestMs: 30_000 };

/** Call it in a component; the cards are apart again when it is gone. */
export function followSameTexts(session: Session): void {
  const twins = twinsOf(session);
  const requests = new Pacer(async () => {
    const { runs } = session;
    try {
      twins.set("text", await listSameTexts(session.client, runs.isAllShown ? null : [...runs.shown]));
    } catch {
      // All cards stay; the session reports a lost server.
    }
  }, PACE);
  $effect(() => {
    const hasTexts = session.tags.index("text")?.tag_sets.some((tags) => Object.keys(tags).length > 0) === true;
    void session.changes.generation;
    if (hasTexts && session.runs.shown.length > 1 && !session.isQuiet && session.connection !== "lost")
      requests.request();
  });
  $effect(() => () => {
    requests.end();
    twins.set("text", []);
  });
}
