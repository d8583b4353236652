// State that all views of Profile share: which profiles there are, which one is shown, and what it is once it was
// converted. What the user sets is in the session's settings. Created in a component and ends with it.

import { untrack } from "svelte";
import type { Client } from "../../api/client";
import { ApiError } from "../../api/http";
import type { Job } from "../../api/types";
import { keepEqualEntries } from "../../base/keep_if_equal";
import { CardData } from "../../cards/card_data.svelte";
import { CANCELLED } from "../../state/jobs.svelte";
import type { Session } from "../../state/session.svelte";
import type { About, ListedSession, LoggedSession, SessionList, SessionRef } from "./answer";
import { listSessions, OPEN } from "./ask";
import { isOfTrace, sessionOption, setSession, setViewOption, viewOption } from "./options";
import { takeList } from "./prefetch";
import {
  findListed,
  firstSession,
  isLogged,
  isSameSession,
  type OpenedFile,
  placeText,
  sessionKey,
  sessionsOf,
} from "./session_ref";
import { findView, hasView, type ProfileView, usualView } from "./tabs";

/** Files that the user gave to the page; they last as long as it does. */
class Given {
  /** Raw, as all of these: replaced, never edited. */
  files = $state.raw<readonly OpenedFile[]>([]);
  shown = $state.raw<OpenedFile | null>(null);
}
const given = new WeakMap<Session, Given>();
function givenTo(session: Session): Given {
  let kept = given.get(session);
  if (!kept) given.set(session, (kept = new Given()));
  return kept;
}

/** What is known of a profile: nothing but a job at first, then all about it, or why it cannot be read. */
interface Opened {
  readonly session: SessionRef;
  readonly about: About | null;
  readonly error: ApiError | null;
}

export class ProfilePage {
  readonly given: Given;
  /** The job that converts the profile; null: it has not begun, or has ended. */
  job = $state.raw<Job | null>(null);
  /** The view has drawn what it shows first. */
  isViewReady = $state(false);
  /** The step of the training that the view is at; null: none. */
  step = $state<number | null>(null);
  #opened = $state.raw<Opened | null>(null);
  #attempt = $state(0);
  readonly #list: CardData<null, SessionList>;

  constructor(readonly session: Session) {
    this.given = givenTo(session);
    this.#list = new CardData<null, SessionList>(
      session,
      (_, signal) => takeList(session) ?? listSessions(session.client, signal),
      {
        wanted: () => ({ key: String(session.changes.epoch), query: null }),
        isWanted: () => true,
        about: ({ generation }) => ({ generation, runs: session.runs.names }),
        isEarly: true,
      },
    );
    // Outside: the job that converts what is shown.
    $effect(() => {
      const { shown } = this;
      void this.#attempt;
      if (!shown) return;
      const abort = new AbortController();
      untrack(() => void this.#open(shown, abort.signal));
      return () => abort.abort();
    });
  }

  /** What a request tells of the profile that is shown. Created in a component and ends with it. */
  readonly dataOf = <Value>(
    load: (client: Client, shown: SessionRef, signal: AbortSignal) => Promise<Value>,
  ): CardData<SessionRef, Value> =>
    new CardData<SessionRef, Value>(this.session, (shown, signal) => load(this.session.client, shown, signal), {
      wanted: () => this.shown && { key: sessionKey(this.shown), query: this.shown },
      isWanted: () => true,
    });

  readonly settings = $derived.by(() => this.session.settings);
  readonly theme = $derived.by(() => this.session.settings.shownTheme);

  readonly #keepListed = keepEqualEntries<ListedSession>();
  readonly listed = $derived.by(() => this.#keepListed(this.#list.value?.sessions ?? []));
  readonly isListed = $derived.by(() => this.#list.value !== null);
  readonly listError = $derived.by(() => (this.#list.value ? null : this.#list.error));
  retryList = (): void => this.#list.retry();

  readonly #wanted = $derived.by((): SessionRef | null => {
    if (this.given.shown) return { file: this.given.shown.file };
    const chosen = sessionOption(this.settings);
    if (chosen) return chosen;
    return this.isListed ? firstSession(this.listed, this.session.runs.shown) : null;
  });
  // The same object as long as the same profile is meant.
  readonly #key = $derived.by(() => sessionKey(this.#wanted));
  /** The profile that is shown; null: there is none. */
  readonly shown = $derived.by((): SessionRef | null => (void this.#key, untrack(() => this.#wanted)));
  readonly listedShown = $derived.by(() => findListed(this.listed, this.shown));

  readonly #current = $derived.by(() =>
    isSameSession(this.#opened?.session ?? null, this.shown) ? this.#opened : null,
  );
  /** Null until it was converted. */
  readonly about = $derived.by((): About | null => this.#current?.about ?? null);
  readonly error = $derived.by((): ApiError | null => this.#current?.error ?? null);

  /** Chosen once for a profile: what the user does in a trace must not lead elsewhere. */
  readonly #usual = $derived.by((): ProfileView => {
    const hasSteps = this.about === null || this.about.steps.length > 0;
    return untrack(() => usualView(isOfTrace(this.settings), hasSteps));
  });
  readonly view = $derived.by((): ProfileView => {
    const chosen = findView(viewOption(this.settings));
    // Chosen for another profile, maybe.
    return chosen && (this.about === null || hasView(chosen, this.about)) ? chosen : this.#usual;
  });

  /** Of one run, the profile of another time. */
  readonly ofSameRun = $derived.by((): readonly ListedSession[] =>
    this.shown && isLogged(this.shown) ? sessionsOf(this.listed, this.shown.run) : [],
  );

  infoOf(session: SessionRef): { readonly title: string; readonly about: string; readonly color: string | null } {
    const { runs } = this.session;
    if (!isLogged(session))
      return {
        title: this.given.files.find(({ file }) => file === session.file)?.name ?? "file",
        about: "",
        color: null,
      };
    const listed = findListed(this.listed, session);
    return {
      title: runs.title(session.run),
      about: listed ? placeText(this.#withSteps(listed)) : session.session,
      color: runs.color(session.run, this.theme),
    };
  }

  /** Steps that only became known when it was converted. */
  #withSteps(listed: ListedSession): ListedSession {
    const steps = this.listedShown === listed ? (this.about?.steps ?? []) : [];
    const [first, last] = [steps[0], steps.at(-1)];
    return first && last ? { ...listed, first_step: first.number, last_step: last.number } : listed;
  }

  show(session: SessionRef): void {
    if (isSameSession(session, this.shown)) return;
    this.given.shown = isLogged(session) ? null : (this.given.files.find(({ file }) => file === session.file) ?? null);
    setSession(this.settings, isLogged(session) ? session : null);
  }

  /** The newest profile of that run. */
  showRun(run: string): void {
    const first: LoggedSession | null = firstSession(this.listed, [run]);
    if (first) this.show(first);
  }

  addFile(file: OpenedFile): void {
    this.given.files = [...this.given.files.filter((each) => each.file !== file.file), file];
    this.show({ file: file.file });
  }

  setView(name: string): void {
    setViewOption(this.settings, name);
  }

  /** Opens it again after an error. */
  retry = (): void => {
    this.#opened = null;
    this.#attempt++;
  };

  /** All other dashboards show this step. */
  goToStep(step: number, dashboard: string): void {
    this.settings.set({ cursor: { axis: "step", at: step }, cursorAxis: "step", isCursorLinked: true, dashboard });
  }

  async #open(shown: SessionRef, signal: AbortSignal): Promise<void> {
    const end = (found: Pick<Opened, "about" | "error">): void => {
      if (signal.aborted) return;
      this.job = null;
      this.#opened = { session: shown, ...found };
    };
    if (isSameSession(this.#opened?.session ?? null, shown) && this.#opened?.about) return;
    this.job = null;
    try {
      const about = await this.session.jobs.run<About>(
        OPEN,
        { session: shown },
        { signal, onjob: (job) => !signal.aborted && (this.job = job) },
      );
      end({ about, error: null });
    } catch (cause) {
      const error =
        cause instanceof ApiError
          ? cause.code === CANCELLED
            ? new ApiError(CANCELLED, "Reading this profile was cancelled.")
            : cause
          : new ApiError("internal", String(cause));
      end({ about: null, error });
    }
  }
}
