// The page's connection to one server: what it lists, how far it has loaded, and news of changes. Dashboards read it;
// only it asks for listings.

import { ApiError, type Client } from "../api/client";
import { type Connection, type LiveHandlers, openLive } from "../api/live";
import type { Change, DashboardInfo, FileHealth, FileState, Progress, Status } from "../api/types";
import { Changes } from "./changes.svelte";
import { Commands } from "./commands.svelte";
import { Messages } from "./messages.svelte";
import { Overlay } from "./overlay.svelte";
import { Pacer } from "./pacer";
import { Preferences } from "./preferences.svelte";
import { Readiness } from "./readiness.svelte";
import { RunsState } from "./runs.svelte";
import { Settings } from "./settings.svelte";

const FAULTS: ReadonlySet<FileState> = new Set(["skipped", "damaged", "unreadable"]);
const LISTING_PACE = { restFactor: 4, minRestMs: 150, maxRestMs: 10_000 };

export const isFaulty = (state: FileState): boolean => FAULTS.has(state);

export class Session {
  readonly settings = new Settings();
  readonly preferences = new Preferences();
  readonly overlay = new Overlay();
  readonly runs = new RunsState(this.settings, this.overlay);
  readonly commands = new Commands();
  readonly messages = new Messages();
  readonly changes = new Changes();
  readonly readiness = new Readiness();

  status = $state.raw<Status | null>(null);
  dashboards = $state.raw<readonly DashboardInfo[] | null>(null);
  /** Files that could not be read to their end. */
  faults = $state.raw<readonly FileHealth[]>([]);
  error = $state.raw<ApiError | null>(null);
  connection = $state<Connection>("connecting");
  isLoaded = $state(false);
  progress = $state.raw<Progress | null>(null);
  lastChangeMs = $state(0);
  /** Where the pointer is in some chart, for the crosshairs of all others. */
  cursor = $state.raw<{ readonly card: string; readonly x: number } | null>(null);
  /** Counts the listings; dashboards list their tags anew when it grows. */
  listing = $state(0);

  /** The lists are from after the first full scan, or that is not over yet. */
  readonly isListedWhole = $derived(!this.isLoaded || this.status?.is_loaded === true);

  #isListing = false;
  readonly #listings = new Pacer(() => this.list(), LISTING_PACE);

  constructor(readonly client: Client) {}

  /** Returns the function that ends the session. */
  start(listen: (handlers: LiveHandlers) => () => void = openLive): () => void {
    this.#listings.request();
    const stopListening = listen({
      onConnection: (connection) => (this.connection = connection),
      onChange: (change) => this.hear(change),
    });
    return () => {
      stopListening();
      this.#listings.end();
    };
  }

  retry(): void {
    this.error = null;
    this.#listings.request();
  }

  private hear(change: Change): void {
    this.isLoaded = change.is_loaded;
    this.progress = change.progress;
    // The first news on a connection says where things stand, not that they moved.
    if (this.changes.generation > 0 && change.generation !== this.changes.generation) this.lastChangeMs = Date.now();
    this.changes.add(change);
    this.listIfOld();
  }

  /** What was listed may be as new as the news. */
  private listIfOld(): void {
    if (!this.#isListing && this.status?.generation !== this.changes.generation) this.#listings.request();
  }

  private async list(): Promise<void> {
    this.#isListing = true;
    try {
      const [status, { runs }, { dashboards }] = await Promise.all([
        this.client.status(),
        this.client.runs(),
        this.client.dashboards(),
      ]);
      this.status = status;
      this.overlay.open(status.locations);
      // News may have overtaken this answer.
      if (status.generation >= this.changes.generation) {
        this.isLoaded = status.is_loaded;
        this.progress = status.progress;
      }
      this.runs.setAll(runs);
      this.dashboards = dashboards;
      this.error = null;
      this.listing++;
      const isSick = runs.some((run) => isFaulty(run.health));
      this.faults = isSick ? (await this.client.health()).files.filter((file) => isFaulty(file.state)) : [];
    } catch (cause) {
      this.error = cause instanceof ApiError ? cause : new ApiError("internal", String(cause));
    } finally {
      this.#isListing = false;
    }
    if (!this.error && this.changes.generation > 0) this.listIfOld();
  }
}
