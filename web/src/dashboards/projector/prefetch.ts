// Requests that are sent before the page is created: the list of embeddings, what is known of the one that it will
// show, and its first projection. Each answer is taken once.

import type { Session } from "../../state/session.svelte";
import type { About, EmbeddingList, EmbeddingRef } from "./answer";
import { listEmbeddings, loadAbout } from "./ask";
import { embeddingKey, findListed, firstEmbedding, listedVersion, stepAt } from "./embedding_ref";
import { embeddingOption, isolatedOption, reductionOption } from "./options";
import { readRecipe, usualRecipe } from "./recipe";
import { Result, resultKey } from "./results.svelte";

interface Sent {
  list: Promise<EmbeddingList> | null;
  about: { readonly key: string; readonly answer: Promise<About> } | null;
  result: Result | null;
}
const sent = new WeakMap<Session, Sent>();

export async function prefetch(session: Session): Promise<readonly Promise<unknown>[]> {
  const { client, settings, cursor } = session;
  const list = listEmbeddings(client);
  const mine: Sent = { list, about: null, result: null };
  sent.set(session, mine);
  const [{ embeddings }] = await Promise.all([list, session.whenListed]);
  if (sent.get(session) !== mine) return [];
  const named = embeddingOption(settings) ?? firstEmbedding(embeddings, session.runs.shown);
  const listed = findListed(embeddings, named && { ...named, step: null });
  if (!named || !listed) return [];
  const step = stepAt(listed.steps, settings.cursor === null ? null : cursor.on("step"));
  const embedding: EmbeddingRef = { run: named.run, name: named.name, step };
  const about = loadAbout(client, embedding);
  // Whoever takes it deals with the error.
  about.catch(() => undefined);
  mine.about = { key: embeddingKey(embedding), answer: about };
  const recipe =
    readRecipe(reductionOption(settings)) ??
    (listed.dimensions === null ? null : usualRecipe("pca", listed.dimensions, 2));
  if (recipe && isolatedOption(settings) === "") {
    const key = resultKey(embedding, listedVersion(listed), recipe, "");
    mine.result = new Result(key, embedding, recipe, null);
    void mine.result.runEarly(session);
  }
  return [];
}

export function takeList(session: Session): Promise<EmbeddingList> | null {
  const mine = sent.get(session);
  const list = mine?.list ?? null;
  if (mine) mine.list = null;
  return list;
}

/** The answer to this question, if it was asked already. Only the first question is. */
export function takeAbout(session: Session, embedding: EmbeddingRef): Promise<About> | null {
  const mine = sent.get(session);
  const about = mine?.about ?? null;
  if (mine && about) mine.about = null;
  // What is not asked yet will not be.
  else sent.delete(session);
  return about?.key === embeddingKey(embedding) ? about.answer : null;
}

/** The projection with this key, if it was asked for already. */
export function takeResult(session: Session, key: string): Result | null {
  const mine = sent.get(session);
  const result = mine?.result ?? null;
  if (mine) mine.result = null;
  if (!result || result.key === key) return result;
  result.abort.abort();
  return null;
}
