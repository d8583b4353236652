// Which profile is meant, among those that runs have and those that the user opened. Pure.

import { formatStep, formatTime } from "../../base/format";
import type { ListedSession, LoggedSession, SessionRef } from "./answer";

export const isLogged = (session: SessionRef): session is LoggedSession => "run" in session;

/** Equal for the same profile. */
export const sessionKey = (session: SessionRef | null): string =>
  !session ? "" : JSON.stringify(isLogged(session) ? [session.run, session.session] : [session.file]);

export const isSameSession = (a: SessionRef | null, b: SessionRef | null): boolean => sessionKey(a) === sessionKey(b);

/** A file that the user opened in the page. */
export interface OpenedFile {
  readonly file: string;
  readonly name: string;
}

export const findListed = (listed: readonly ListedSession[], session: SessionRef | null): ListedSession | null =>
  (session &&
    isLogged(session) &&
    listed.find(({ run, session: name }) => run === session.run && name === session.session)) ||
  null;

/** Of these runs, in the order of time. */
export function sessionsOf(listed: readonly ListedSession[], run: string): readonly ListedSession[] {
  return listed.filter((each) => each.run === run).toSorted((a, b) => a.time_s - b.time_s);
}

/** The profile to begin with: the newest of the shown runs. */
export function firstSession(listed: readonly ListedSession[], shown: readonly string[]): LoggedSession | null {
  const runs = new Set(shown);
  const offered = listed.filter(({ run }) => runs.has(run));
  const readable = offered.filter(({ problem }) => problem === null);
  let newest: ListedSession | undefined;
  for (const each of readable.length > 0 ? readable : offered)
    if (!newest || (each.time_s ?? 0) >= (newest.time_s ?? 0)) newest = each;
  return newest ? { run: newest.run, session: newest.session } : null;
}

/** Which part of the training it is of, or when it was recorded. */
export function placeText({ first_step: first, last_step: last, time_s: time }: ListedSession): string {
  if (first === null || last === null) return formatTime(time);
  return first === last ? `step ${formatStep(first)}` : `steps ${formatStep(first)}–${formatStep(last)}`;
}

/**
 * What a profile is compared with, if the user has chosen nothing: one of the baseline, else of its run, else any;
 * but one of another profiler only where there is no other.
 */
export function otherSession(
  listed: readonly ListedSession[],
  shown: SessionRef | null,
  baseline: string | null,
): LoggedSession | null {
  const run = shown && isLogged(shown) ? shown.run : null;
  const others = listed.filter((each) => each.problem === null && !isSameSession(each, shown));
  const kind = findListed(listed, shown)?.kind;
  const rank = (each: ListedSession): number =>
    (kind !== undefined && each.kind !== kind ? 3 : 0) + (each.run === baseline ? 0 : each.run === run ? 1 : 2);
  const [best] = others.toSorted((a, b) => rank(a) - rank(b) || a.time_s - b.time_s);
  return best ? { run: best.run, session: best.session } : null;
}
