// Requests that are sent before the page is created: the list of profiles, and the trace that it will show. Each answer
// is taken once.

import type { Session } from "../../state/session.svelte";
import type { SessionList } from "./answer";
import { listSessions, OPEN } from "./ask";
import { isOfTrace, sessionOption, viewOption } from "./options";
import { firstSession } from "./session_ref";
import { findView, usualView } from "./tabs";

const sent = new WeakMap<Session, Promise<SessionList>>();

export async function prefetch(session: Session): Promise<readonly Promise<unknown>[]> {
  const { client, settings } = session;
  const list = listSessions(client);
  sent.set(session, list);
  void (findView(viewOption(settings)) ?? usualView(isOfTrace(settings), true)).load();
  const named = sessionOption(settings);
  // The page asks the same and finds this job.
  const open = (question: object | null): void =>
    void (question && client.startJob(OPEN, { session: question }).catch(() => undefined));
  if (named) open(named);
  else {
    const [{ sessions }] = await Promise.all([list, session.whenListed]);
    open(firstSession(sessions, session.runs.shown));
  }
  return [];
}

export function takeList(session: Session): Promise<SessionList> | null {
  const list = sent.get(session) ?? null;
  sent.delete(session);
  return list;
}
