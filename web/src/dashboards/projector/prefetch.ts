// Requests that are sent before the page is created: the list of embeddings, and what is known of the one that it will
// show, with its first projection. Each answer is taken once.

import type { Session } from "../../state/session.svelte";
import type { About, EmbeddingList, EmbeddingRef } from "./answer";
import { listEmbeddings, loadAbout, REDUCE } from "./ask";
import { embeddingKey, findListed, firstEmbedding, stepAt } from "./embedding_ref";
import { embeddingOption, isolatedOption, reductionOption } from "./options";
import { readRecipe, usualRecipe } from "./recipe";

interface Sent {
  list: Promise<EmbeddingList> | null;
  about: { readonly key: string; readonly answer: Promise<About> } | null;
}
const sent = new WeakMap<Session, Sent>();

export function prefetch(session: Session): void {
  const { client, settings, cursor } = session;
  const list = listEmbeddings(client);
  const mine: Sent = { list, about: null };
  sent.set(session, mine);
  Promise.all([list, session.whenListed]).then(
    ([{ embeddings }]) => {
      if (sent.get(session) !== mine) return;
      const named = embeddingOption(settings) ?? firstEmbedding(embeddings, session.runs.shown);
      const listed = findListed(embeddings, named && { ...named, step: null });
      if (!named || !listed) return;
      const step = stepAt(listed.steps, settings.cursor === null ? null : cursor.on("step"));
      const embedding: EmbeddingRef = { run: named.run, name: named.name, step };
      const about = loadAbout(client, embedding);
      // Whoever takes it deals with the error.
      about.catch(() => undefined);
      mine.about = { key: embeddingKey(embedding), answer: about };
      const recipe =
        readRecipe(reductionOption(settings)) ??
        (listed.dimensions === null ? null : usualRecipe("pca", listed.dimensions, 2));
      if (!recipe || isolatedOption(settings) !== "") return;
      // The page asks the same and finds this job.
      client.startJob(REDUCE, { ...recipe, embedding, rows: null, start: null, perturb: 0 }).catch(() => undefined);
    },
    () => undefined,
  );
}

export function takeList(session: Session): Promise<EmbeddingList> | null {
  const mine = sent.get(session);
  const list = mine?.list ?? null;
  if (mine) mine.list = null;
  return list;
}

/** The answer to this question, if it was asked already. */
export function takeAbout(session: Session, embedding: EmbeddingRef): Promise<About> | null {
  const about = sent.get(session)?.about;
  // Only the first question is asked early.
  if (about) sent.delete(session);
  return about?.key === embeddingKey(embedding) ? about.answer : null;
}
