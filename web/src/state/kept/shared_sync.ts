// Keeps shared marks in step with the server. A change shows at once and is sent; until the server has it, it is
// pending, and kept by the browser if it cannot be sent.

import { ApiError } from "../../api/http";
import type { MarkChange, OverlayChange, SharedMark, SharedOverlay, WrittenMarks } from "../../api/types";
import { countOf } from "../../base/count";
import type { Messages } from "../messages.svelte";
import { hashName } from "../runs/run_key";
import type { RunMarks } from "./overlay.svelte";
import type { SharedMarks } from "./shared_marks.svelte";
import { recall, recallJson, remember } from "./storage";

const RETRY_MS = 5_000;
const LABEL = "label:";
/** Not `isHidden`: what is drawn is for each to decide. */
const FIELDS = ["isStarred", "name", "note", "color"] as const;
const FIELD_NAMES: Readonly<Record<string, string>> = {
  isStarred: "the star",
  name: "the name",
  note: "the note",
  color: "the colour",
};
const UNMARKED: RunMarks = {};

export interface SharedServer {
  readonly load: (since: number) => Promise<SharedOverlay>;
  readonly save: (changes: readonly MarkChange[]) => Promise<WrittenMarks>;
}

/** What this browser has kept for itself. */
export interface OwnMarks {
  readonly runs: ReadonlyMap<string, RunMarks>;
  readonly views: ReadonlyMap<string, string>;
}

/** A change without the version that it is based on. */
export type Wanted = Pick<MarkChange, "of" | "name" | "field" | "value">;

type Known = Wanted & Partial<Pick<SharedMark, "by" | "at">>;

const keyOf = ({ of, name, field }: Pick<Wanted, "of" | "name" | "field">): string => JSON.stringify([of, name, field]);

export class SharedSync {
  readonly #marks = new Map<string, SharedMark>();
  #pending: ReadonlyMap<string, MarkChange> = new Map();
  #key = "";
  #isLoading = false;
  #isSaving = false;
  #isWanted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly shown: SharedMarks,
    private readonly server: SharedServer,
    private readonly messages: Messages,
    private readonly own: () => OwnMarks,
  ) {}

  open(locations: readonly string[], revision: number): void {
    const key = `pending-${hashName(locations.join("\n")).toString(36)}`;
    if (key !== this.#key) {
      this.#key = key;
      this.#pending = readPending(key);
      if (this.#pending.size > 0) this.#retryLater();
      void this.refresh().then(() => this.#offer());
    } else if (revision !== this.shown.revision) void this.refresh();
  }

  note({ revision, problem = this.shown.problem }: OverlayChange): void {
    if (revision !== this.shown.revision || problem !== this.shown.problem) void this.refresh();
  }

  author(of: SharedMark["of"], name: string, field: string): { by: string; atMs: number } | undefined {
    const key = keyOf({ of, name, field });
    const mark = this.#pending.has(key) ? undefined : this.#marks.get(key);
    return !mark || mark.value === null ? undefined : { by: mark.by, atMs: 1_000 * mark.at };
  }

  async refresh(): Promise<void> {
    if (this.#isLoading) {
      this.#isWanted = true;
      return;
    }
    this.#isLoading = true;
    try {
      do {
        this.#isWanted = false;
        this.#take(await this.server.load(this.shown.revision));
      } while (this.#isWanted);
    } catch {
      // The next event, or the next listing, asks again.
    } finally {
      this.#isLoading = false;
    }
  }

  change(wanted: readonly Wanted[], since = this.shown.revision): void {
    if (wanted.length === 0) return;
    if (!this.shown.canMark) {
      this.messages.say("You may look at the marks that all share, but not change them.", { isError: true });
      return;
    }
    const pending = new Map(this.#pending);
    for (const { of, name, field, value } of wanted)
      pending.set(keyOf({ of, name, field }), { of, name, field, value, base: since });
    this.#setPending(pending);
    void this.#save();
  }

  writeRuns(runs: ReadonlyMap<string, RunMarks>, since?: number): void {
    const before = this.shown.runs;
    const names = new Set([...before.keys(), ...runs.keys()]);
    const changes = [...names].flatMap((name) =>
      changesBetween(name, before.get(name) ?? UNMARKED, runs.get(name) ?? UNMARKED),
    );
    this.change(changes, since);
  }

  writeViews(views: ReadonlyMap<string, string>): void {
    const before = this.shown.views;
    const changed = [...views].filter(([name, address]) => before.get(name) !== address);
    const removed = [...before.keys()].filter((name) => !views.has(name)).map((name) => [name, null] as const);
    this.change([...changed, ...removed].map(([name, value]) => ({ of: "view", name, field: "address", value })));
  }

  /** Adds what this browser has of its own; what others have written stays. */
  shareOwn(): void {
    this.change(this.#unshared());
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #unshared(): Wanted[] {
    const { runs, views } = this.own();
    const ofRuns = [...runs].flatMap(([name, marks]) => {
      const common = this.shown.runs.get(name) ?? UNMARKED;
      const labels = [...new Set([...(common.labels ?? []), ...(marks.labels ?? [])])];
      return changesBetween(name, common, { ...marks, ...common, labels });
    });
    const ofViews = [...views]
      .filter(([name]) => !this.shown.views.has(name))
      .map(([name, value]): Wanted => ({ of: "view", name, field: "address", value }));
    return [...ofRuns, ...ofViews];
  }

  /** Once for every log directory: marks from before are still in this browser, and nobody else sees them. */
  #offer(): void {
    const key = `offered-${this.#key}`;
    const unshared = this.#unshared();
    if (!this.shown.canMark || this.shown.revision < 0 || unshared.length === 0 || recall(key) !== null) return;
    remember(key, "1");
    const count = (of: Wanted["of"]): number =>
      new Set(unshared.filter((each) => each.of === of).map(({ name }) => name)).size;
    const counts = [
      count("run") > 0 && countOf(count("run"), "marked run"),
      count("view") > 0 && countOf(count("view"), "view"),
    ].filter(Boolean);
    this.messages.say(`This browser has ${counts.join(" and ")} that others do not see.`, {
      action: { label: "Share with all", run: () => this.shareOwn() },
    });
  }

  #take({ can_mark, revision, problem, is_whole, marks }: SharedOverlay): void {
    this.shown.canMark = can_mark;
    this.shown.problem = problem;
    this.shown.revision = revision;
    if (is_whole) this.#marks.clear();
    this.#add(marks);
    if (!problem && this.#pending.size > 0) void this.#save();
  }

  #add(marks: readonly SharedMark[]): void {
    for (const mark of marks) this.#marks.set(keyOf(mark), mark);
    this.#show();
  }

  #setPending(pending: ReadonlyMap<string, MarkChange>): void {
    this.#pending = pending;
    this.#show();
  }

  #show(): void {
    const known: Known[] = [...new Map<string, Known>([...this.#marks, ...this.#pending]).values()];
    const runs = new Map<string, RunMarks & { labels?: string[] }>();
    for (const { of, name, field, value } of known) {
      if (of !== "run" || value === null) continue;
      const marks = runs.get(name) ?? {};
      if (field.startsWith(LABEL)) marks.labels = [...(marks.labels ?? []), field.slice(LABEL.length)];
      else Object.assign(marks, { [field]: value });
      runs.set(name, marks);
    }
    this.shown.runs = runs;
    this.shown.views = new Map(
      known.flatMap(({ of, name, value }) => (of === "view" && typeof value === "string" ? [[name, value]] : [])),
    );
    this.shown.pendingCount = this.#pending.size;
  }

  async #save(): Promise<void> {
    if (this.#isSaving || this.#pending.size === 0) return;
    this.#isSaving = true;
    clearTimeout(this.#timer);
    const sent = [...this.#pending];
    let isSaved = false;
    try {
      const { marks, replaced } = await this.server.save(sent.map(([, change]) => change));
      isSaved = true;
      this.shown.problem = "";
      this.#drop(sent);
      this.#add(marks);
      this.#tellReplaced(replaced);
    } catch (cause) {
      this.#fail(cause, sent);
    } finally {
      this.#isSaving = false;
    }
    // What was changed meanwhile.
    if (isSaved) void this.#save();
  }

  #fail(cause: unknown, sent: readonly (readonly [string, MarkChange])[]): void {
    const error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
    if (error.httpStatus >= 400 && error.httpStatus < 500) {
      this.#drop(sent);
      this.messages.say(error.message, { isError: true });
      return;
    }
    this.shown.problem = error.message;
    remember(this.#key, JSON.stringify([...this.#pending.values()]));
    this.#retryLater();
  }

  /** Those that were not changed again meanwhile. */
  #drop(sent: readonly (readonly [string, MarkChange])[]): void {
    const pending = new Map(this.#pending);
    for (const [key, change] of sent) if (pending.get(key) === change) pending.delete(key);
    this.#setPending(pending);
    if (recall(this.#key) !== null)
      remember(this.#key, pending.size > 0 ? JSON.stringify([...pending.values()]) : null);
  }

  #retryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), RETRY_MS);
  }

  #tellReplaced(marks: readonly SharedMark[]): void {
    const [first, ...others] = marks;
    if (!first) return;
    const who = first.by || "Somebody else";
    const field = first.field.startsWith(LABEL) ? `the label ${first.field.slice(LABEL.length)}` : first.field;
    const of =
      first.of === "view" ? `the view “${first.name}”` : `${FIELD_NAMES[first.field] ?? field} of ${first.name}`;
    const to = typeof first.value === "string" && first.of === "run" ? ` to “${first.value}”` : "";
    const what = first.value === null ? `${who} had removed ${of}` : `${who} had changed ${of}${to}`;
    const more = others.length > 0 ? `, and ${countOf(others.length, "more field")}` : "";
    this.messages.say(`${what}${more} meanwhile. Yours has replaced it.`, {
      action: { label: "Put theirs back", run: () => this.change(marks) },
    });
  }
}

/** What the browser has kept because it could not be sent. Ignores what is no change. */
function readPending(key: string): ReadonlyMap<string, MarkChange> {
  const kept = recallJson(key);
  if (!Array.isArray(kept)) return new Map();
  const changes = (kept as readonly (Partial<MarkChange> | null)[]).filter(
    (each): each is MarkChange =>
      (each?.of === "run" || each?.of === "view") &&
      typeof each.name === "string" &&
      typeof each.field === "string" &&
      typeof each.base === "number" &&
      (each.value === null || ["string", "boolean"].includes(typeof each.value)),
  );
  return new Map(changes.map((change) => [keyOf(change), change]));
}

/** What leads from some marks of a run to others, in the fields that are shared. */
export function changesBetween(name: string, before: RunMarks, after: RunMarks): Wanted[] {
  const changed = FIELDS.filter((field) => before[field] !== after[field]).map((field) => ({
    of: "run" as const,
    name,
    field,
    value: after[field] ?? null,
  }));
  const [had, has] = [before.labels ?? [], after.labels ?? []];
  const label = (text: string, value: true | null): Wanted => ({ of: "run", name, field: LABEL + text, value });
  return [
    ...changed,
    ...has.filter((text) => !had.includes(text)).map((text) => label(text, true)),
    ...had.filter((text) => !has.includes(text)).map((text) => label(text, null)),
  ];
}
