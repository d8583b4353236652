// Requests that are sent before the page is created: the list of graphs, and the first levels of the one that it will
// show. Each answer is taken once.

import type { Session } from "../../state/session.svelte";
import type { GraphList, GraphRef, LevelsAnswer, LevelsQuestion, StructureView } from "./answer";
import { listGraphs, loadLevels } from "./ask";
import { firstGraph } from "./graph_ref";
import { depthOption, graphOption, openGroups, structureView } from "./options";

/** No more nodes than this are opened unasked: they can be read without zooming. */
const READABLE = 26;
const MAX_SHOWN = 1_000;
export const ALL_LEVELS = 64;

/** What is open at first. */
export interface Opening {
  /** Null: not named. */
  readonly open: readonly string[] | null;
  /** Null: as many levels as can be read at once. */
  readonly depth: number | null;
}

/** The question that a view begins with. */
export function firstQuestion(graph: GraphRef, view: StructureView, { open, depth }: Opening): LevelsQuestion {
  if (open) return { graph, groups: ["", ...open], depth: 1, limit: MAX_SHOWN, view };
  return { graph, groups: [""], depth: depth ?? ALL_LEVELS, limit: depth === null ? READABLE : MAX_SHOWN, view };
}

interface Sent {
  list: Promise<GraphList> | null;
  levels: { readonly key: string; readonly answer: Promise<LevelsAnswer> } | null;
}
const sent = new WeakMap<Session, Sent>();

export async function prefetch(session: Session): Promise<readonly Promise<unknown>[]> {
  const { client, settings } = session;
  const list = listGraphs(client);
  const mine: Sent = { list, levels: null };
  sent.set(session, mine);
  const ask = (graph: GraphRef | null): void => {
    if (!graph) return;
    const opening = { open: openGroups(settings), depth: depthOption(settings) };
    const question = firstQuestion(graph, structureView(settings), opening);
    const answer = loadLevels(client, question);
    // Whoever takes it deals with the error.
    answer.catch(() => undefined);
    mine.levels = { key: JSON.stringify(question), answer };
  };
  const named = graphOption(settings);
  if (named) ask(named);
  else {
    const [{ graphs }] = await Promise.all([list, session.whenListed]);
    if (sent.get(session) === mine) ask(firstGraph(graphs, session.runs.shown));
  }
  return [];
}

export function takeList(session: Session): Promise<GraphList> | null {
  const mine = sent.get(session);
  const list = mine?.list ?? null;
  if (mine) mine.list = null;
  return list;
}

/** The answer to this question, if it was asked already. */
export function takeLevels(session: Session, question: LevelsQuestion): Promise<LevelsAnswer> | null {
  const levels = sent.get(session)?.levels;
  // Only the first question is asked early.
  sent.delete(session);
  return levels && levels.key === JSON.stringify(question) ? levels.answer : null;
}
