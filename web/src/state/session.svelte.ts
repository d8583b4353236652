// The page's connection to one server: its lists, its loading progress, and changes. Dashboards read it; only the
// session requests lists.

import { untrack } from "svelte";
import { familyOf, isAssetKind } from "../api/asset_kind";
import type { Client } from "../api/client";
import { ApiError } from "../api/http";
import { type Connection, type LiveHandlers, openLive } from "../api/live";
import type { Change, DashboardInfo, FileHealth, FileState, Kind, Progress, Status } from "../api/types";
import { Changes } from "./changes.svelte";
import { DescriptionsState } from "./descriptions.svelte";
import { Commands } from "./commands.svelte";
import { Jobs } from "./jobs.svelte";
import { HParamsState } from "./runs/hparams.svelte";
import { Messages } from "./messages.svelte";
import { KeptView } from "./kept/kept_view.svelte";
import { Overlay } from "./kept/overlay.svelte";
import { isSameJson } from "../base/keep_if_equal";
import { Pacer } from "../base/pacer";
import { Preferences } from "./kept/preferences.svelte";
import { Readiness } from "./readiness.svelte";
import { NotFiniteState } from "./runs/not_finite.svelte";
import { RunValuesState } from "./runs/run_values.svelte";
import { RunsState } from "./runs/runs.svelte";
import { Cursor } from "./cursor/cursor.svelte";
import { Samples } from "./cursor/samples.svelte";
import type { StepMark } from "./cursor/step_marks";
import { SavedViews } from "./kept/saved_views.svelte";
import { SharedMarks } from "./kept/shared_marks.svelte";
import { ALL } from "./runs/selection";
import { Settings } from "./view/settings.svelte";
import { indexAssets, Tags } from "./tags.svelte";
import type { Theme } from "./view/view";
import { watchVisibility } from "../base/visibility";
import { Writers } from "./runs/writers.svelte";

const FAULTS: ReadonlySet<FileState> = new Set(["skipped", "damaged", "unreadable"]);
const LISTING_PACE = { restFactor: 4, minRestMs: 150, maxRestMs: 10_000 };
const RETRY_MS = 5_000;

export const isFaulty = (state: FileState): boolean => FAULTS.has(state);

export class Session {
  readonly settings = new Settings();
  readonly preferences = new Preferences();
  readonly shared: SharedMarks = new SharedMarks(async (marks) => {
    const { SharedSync } = await import("./kept/shared_sync");
    const server = { load: this.client.overlay, save: this.client.changeOverlay };
    const views = (): Map<string, string> => new Map(this.views.own.map(({ name, address }) => [name, address]));
    return new SharedSync(marks, server, this.messages, () => ({ runs: this.overlay.own, views: views() }));
  });
  readonly overlay = new Overlay(this.shared);
  readonly hparams = new HParamsState(() => this.client.hparams());
  readonly descriptions = new DescriptionsState(() => this.client.descriptions());
  readonly runValues = new RunValuesState((query) => this.client.runValues(query));
  readonly notFinite = new NotFiniteState(() => this.client.notFinite());
  readonly runs = new RunsState(
    this.settings,
    this.overlay,
    this.hparams,
    this.runValues,
    () => this.tags.index("scalar"),
    this.notFinite,
  );
  readonly views = new SavedViews(this.shared);
  readonly kept = new KeptView();
  readonly commands = new Commands();
  readonly messages = new Messages();
  readonly changes = new Changes();
  readonly readiness = new Readiness();
  readonly writers = new Writers();
  readonly tags: Tags;
  readonly samples: Samples;
  readonly cursor: Cursor;
  readonly jobs: Jobs;

  status = $state.raw<Status | null>(null);
  dashboards = $state.raw<readonly DashboardInfo[] | null>(null);
  /** Files that could not be read to their end. */
  faults = $state.raw<readonly FileHealth[]>([]);
  error = $state.raw<ApiError | null>(null);
  /** Why the server lets this page in no longer; then nothing of its data is shown. */
  ended = $state.raw<ApiError | null>(null);
  /** Until when requests wait because the server limits them. */
  limitedUntilMs = $state(0);
  connection = $state<Connection>("connecting");
  isLoaded = $state(false);
  progress = $state.raw<Progress | null>(null);
  lastChangeMs = $state(0);
  /** The x that the pointer is at in one chart: all others show a crosshair there. */
  crosshair = $state.raw<{ readonly card: string; readonly x: number } | null>(null);
  /** Stretches of steps that a dashboard has something about: the other dashboards lead there. */
  stepMarks = $state.raw<readonly StepMark[]>([]);
  /** Counts the listings; what is loaded along with them is loaded again when it grows. */
  listing = $state(0);

  #isPaused = $state(false);
  #isHidden = $state(false);
  /** The user has paused updates. */
  readonly isPaused = $derived(this.#isPaused);
  /** The page sends no requests of its own: it is paused, or not visible. Requests by user actions are still sent. */
  readonly isQuiet = $derived(this.#isPaused || this.#isHidden);
  /**
   * The lists are complete: from after the first full scan, or the scan is still running; and no filter waits for
   * numbers.
   */
  readonly isListedWhole = $derived((!this.isLoaded || this.status?.is_loaded === true) && !this.runs.isPending);

  /** Changes when assets come, go, or change their sizes: what is made of them is loaded again. */
  readonly assetsVersion = $derived.by(
    () => `${this.changes.epoch} ${this.status?.assets ?? 0} ${this.status?.asset_bytes ?? 0}`,
  );

  #resolveListed = (): void => undefined;
  /** Resolves once the first lists have arrived, or failed. */
  readonly whenListed = new Promise<void>((done) => (this.#resolveListed = done));
  /**
   * Resolves, in a task of its own, once the responses for the first cards have arrived or waiting has taken too long;
   * null afterwards.
   */
  prefetched: Promise<unknown> | null = null;
  /** The page was opened without a view: what the browser keeps for the log directory is still to come. */
  isBareArrival = false;
  /** Counts the times that the view was filled with what the browser keeps. */
  fillings = $state(0);
  #isListing = false;
  #areHparamsDue = false;
  #laterHparams: (() => void) | null = null;
  #isAskedByUser = false;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #stop = (): void => undefined;
  readonly #listings = new Pacer(() => this.listUnlessQuiet(), LISTING_PACE);

  constructor(readonly client: Client) {
    this.tags = new Tags(async (kind) => {
      if (!isAssetKind(kind)) return client.tags(kind);
      const { generation, assets } = await client.assets(familyOf(kind));
      return indexAssets(generation, assets);
    });
    this.jobs = new Jobs(client.listJobs, async (jobs) => {
      const { JobRunner } = await import("./job_runner");
      return new JobRunner(jobs, client);
    });
    client.onlimit = (ms) => (this.limitedUntilMs = Math.max(this.limitedUntilMs, Date.now() + ms));
    client.onended = (error) => this.endAccess(error);
    this.samples = new Samples((kind, series) => client.steps(kind, series), this.changes);
    this.cursor = new Cursor(this.settings, this.runs, this.changes, {
      stops: (query) => client.stops(query),
      tags: () => client.tags(),
    });
    this.#isPaused = !this.preferences.followsLive;
    this.settings.kept = this.kept;
  }

  /** Returns the function that ends the session. */
  start(listen: (handlers: LiveHandlers) => () => void = openLive): () => void {
    let stopListening: (() => void) | null = null;
    // Browsers allow six connections per server for all tabs and frames together: a hidden page closes its own.
    const follow = (isVisible: boolean): void => {
      this.#isHidden = !isVisible;
      if (this.#isHidden) {
        stopListening?.();
        stopListening = null;
      } else {
        stopListening ??= listen({
          ask: () => this.client.status(),
          onConnection: (connection) => this.connect(connection),
          onChange: (change) => this.handleChange(change),
          onOverlay: (change) => this.shared.note(change),
        });
        this.wake();
      }
    };
    const stopFollowing = this.preferences.follow();
    this.#listings.request();
    const stopWatching = watchVisibility(follow);
    const stopKeeping = $effect.root(() => {
      this.keepRuns();
      this.cursor.follow(() => this.isQuiet || this.connection === "lost");
    });
    const stop = (): void => {
      stopKeeping();
      this.shared.end();
      this.#laterHparams?.();
      this.runValues.end();
      this.notFinite.end();
      this.samples.end();
      this.cursor.end();
      this.jobs.end();
      stopWatching();
      stopFollowing();
      stopListening?.();
      clearTimeout(this.#retryTimer);
      this.#listings.end();
    };
    this.#stop = stop;
    return stop;
  }

  /** Stops everything and forgets what the server sent. */
  private endAccess(error: ApiError): void {
    if (this.ended) return;
    this.ended = error;
    this.#stop();
    this.runs.setAll([]);
    this.faults = [];
  }

  /** They are as large as the list of runs: until something needs them, the first cards do not wait for them. */
  private refreshHparams(): void {
    if (this.#areHparamsDue || this.runs.needsHparams) void this.hparams.refresh();
    else
      this.#laterHparams ??= this.readiness.afterFirst(() => {
        this.#areHparamsDue = true;
        void this.hparams.refresh();
      });
  }

  /** What runs need even if their table is not visible. */
  private keepRuns(): void {
    // Outside: loads the query language with the first query.
    $effect(() => {
      if (!this.runs.hasQuery || this.runs.compileQuery) return;
      import("./runs/run_query").then(
        ({ compileQuery }) => (this.runs.compileQuery = compileQuery),
        () => this.messages.say("Could not load the query language from the server.", { isError: true }),
      );
    });
    // Outside: requests the numbers of metric columns while they are wanted.
    $effect(() => {
      const wanted = this.runs.wantedMetrics;
      if (this.connection !== "lost") untrack(() => this.runValues.want(wanted));
    });
    $effect(() => {
      if (this.changes.generation > 0) untrack(() => this.runValues.refresh());
    });
    $effect(() => {
      if (this.runs.wantsNotFinite) return untrack(() => this.notFinite.hold());
    });
    $effect(() => {
      if (this.changes.generation > 0 && !this.isQuiet) untrack(() => this.notFinite.refresh());
    });
    $effect(() => {
      if (this.changes.generation > 0 && !this.isQuiet) untrack(() => this.samples.refresh());
    });
    $effect(() => {
      const count = this.status?.series;
      if (count !== undefined && this.readiness.isReady) void this.descriptions.refresh(count);
    });
    // Outside: an address can name runs that no longer exist.
    let reported = 0;
    $effect(() => {
      if (!this.isLoaded || this.status?.is_loaded !== true || this.runs.names.length === 0) return;
      const gone = this.runs.goneCount;
      if (gone > reported) untrack(() => this.reportGone(gone));
      reported = gone;
    });
  }

  private reportGone(gone: number): void {
    const named = this.settings.selection.except.size;
    const isAll = gone === named;
    const text = !isAll
      ? `${gone} of the ${named} runs in this link ${gone === 1 ? "is" : "are"} not in these logs; showing the others.`
      : gone === 1
        ? "The run in this link is not in these logs."
        : `None of the ${gone} runs in this link are in these logs.`;
    this.messages.say(text, { action: { label: "Show all runs", run: () => this.runs.setSelection(ALL) } });
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.wake();
  }

  /** The pins and columns of this log directory, if the address did not name any. */
  private openKept(locations: readonly string[]): void {
    if (!this.kept.open(locations) || !this.isBareArrival) return;
    this.isBareArrival = false;
    const { pinned, columns, sort } = this.kept.view;
    if (pinned.length === 0 && columns.length === 0 && sort === null) return;
    this.settings.view = { ...this.settings.view, pinned, columns, sort };
    this.fillings++;
  }

  /** Sets the theme now, and for pages whose address does not name one. */
  setTheme(theme: Theme): void {
    this.settings.set({ theme });
    this.preferences.set({ theme });
  }

  /** Requests all lists again, now. */
  retry(): void {
    this.error = null;
    this.#isAskedByUser = true;
    this.#listings.request();
  }

  private connect(connection: Connection): void {
    this.connection = connection;
    // The same server may be back, with nothing new to report.
    if (connection === "open" && this.error) this.#listings.request();
  }

  private handleChange(change: Change): void {
    this.isLoaded = change.is_loaded;
    this.progress = change.progress;
    // The first change on a connection describes the current state; nothing has changed.
    const known = this.changes.held?.generation ?? this.changes.generation;
    if (known > 0 && change.generation !== known) {
      this.lastChangeMs = Date.now();
      if (change.is_loaded) this.writers.note(change.runs ?? [], this.lastChangeMs);
    }
    if (this.isQuiet) this.changes.hold(change);
    else {
      this.changes.add(change);
      this.listIfOld();
    }
  }

  /** Applies the changes that were held back. */
  private wake(): void {
    if (this.isQuiet) return;
    this.changes.release();
    if (this.error) this.#listings.request();
    else if (this.changes.generation > 0) this.listIfOld();
  }

  /** The lists may already be as new as the change. */
  private listIfOld(): void {
    if (!this.#isListing && !this.isQuiet && this.status?.generation !== this.changes.generation)
      this.#listings.request();
  }

  /** The page may have become quiet since the request. */
  private async listUnlessQuiet(): Promise<void> {
    if (this.isQuiet && this.listing > 0 && !this.#isAskedByUser) return;
    this.#isAskedByUser = false;
    await this.list();
  }

  private async list(): Promise<void> {
    this.#isListing = true;
    clearTimeout(this.#retryTimer);
    try {
      const {
        status,
        runs: { runs },
        dashboards: { dashboards },
        tags,
      } = await this.client.lists(this.tags.kinds);
      this.status = status;
      for (const [kind, index] of Object.entries(tags)) this.tags.take(kind as Kind, index);
      this.tags.refreshAssets(this.assetsVersion);
      this.shared.open(status.locations, status.overlay_revision);
      this.overlay.open(status.locations);
      this.views.open(status.locations);
      this.openKept(status.locations);
      // A newer change may have arrived before this response.
      if (status.generation >= this.changes.generation) {
        this.isLoaded = status.is_loaded;
        this.progress = status.progress;
      }
      this.runs.setAll(runs);
      this.refreshHparams();
      if (!isSameJson(dashboards, this.dashboards)) this.dashboards = dashboards;
      this.error = null;
      this.listing++;
      // Not only of runs: a directory that cannot be listed is among them.
      const hasFaults = Object.keys(status.files).some((state) => isFaulty(state as FileState));
      this.faults = hasFaults ? (await this.client.health()).files.filter((file) => isFaulty(file.state)) : [];
    } catch (cause) {
      this.error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
      // If the server cannot be reached, the live connection says when to retry.
      if (this.error.code !== "unreachable") this.#retryTimer = setTimeout(() => this.#listings.request(), RETRY_MS);
    } finally {
      this.#isListing = false;
      this.#resolveListed();
    }
    if (!this.error && this.changes.generation > 0) this.listIfOld();
  }
}
