// Listens for the server's change events and reconnects; where events do not arrive, polls for them. Knows nothing of
// what a change means.

import type { Change, OverlayChange, Status } from "./types";

export type Connection = "connecting" | "open" | "lost";

export interface LiveHandlers {
  ask: () => Promise<Status>;
  onChange: (change: Change) => void;
  onConnection: (connection: Connection) => void;
  /** The marks that all share have changed. */
  onOverlay?: (change: OverlayChange) => void;
}

const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 15_000;
/**
 * The server sends its first event at once. If it does not arrive, a proxy buffers the response until it ends, which is
 * never.
 */
const ASK_MS = 5_000;

/** Returns the function that ends the connection. */
export function openLive(
  handlers: LiveHandlers,
  open = (): EventSource => new EventSource(new URL("api/live", document.baseURI)),
): () => void {
  let source: EventSource | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = RETRY_MIN_MS;
  let askTimer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the reasons to drop a response that is still on its way. */
  let era = 0;
  let isAnswered = false;
  let generation: number | null = null;

  function connect(): void {
    const mine = open();
    source = mine;
    let isTold = false;
    mine.addEventListener("open", () => {
      retryMs = RETRY_MIN_MS;
    });
    mine.addEventListener("change", (event) => {
      stopAsking();
      // Only the first event says from which state on changes are told.
      if (!isTold) handlers.onConnection("open");
      isTold = true;
      handlers.onChange(JSON.parse((event as MessageEvent<string>).data) as Change);
    });
    mine.addEventListener("overlay", (event) =>
      handlers.onOverlay?.(JSON.parse((event as MessageEvent<string>).data) as OverlayChange),
    );
    // Asking shows why the server has ended it.
    mine.addEventListener("ended", () => void handlers.ask().catch(() => undefined));
    mine.addEventListener("error", () => {
      isTold = false;
      if (!isAnswered) handlers.onConnection("lost");
      askSoon();
      // The browser reconnects a dropped connection itself, but not after an HTTP error, such as a proxy's 502 while
      // the server restarts.
      if (mine.readyState !== mine.CLOSED) return;
      retryTimer = setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    });
  }

  function askSoon(): void {
    askTimer ??= setTimeout(() => void askNow(era), ASK_MS);
  }

  function stopAsking(): void {
    era += 1;
    clearTimeout(askTimer);
    askTimer = undefined;
    isAnswered = false;
    generation = null;
  }

  async function askNow(mine: number): Promise<void> {
    const status = await handlers.ask().catch(() => null);
    if (mine !== era) return;
    isAnswered = status !== null;
    handlers.onConnection(isAnswered ? "open" : "lost");
    if (status && status.overlay_revision !== null) handlers.onOverlay?.({ revision: status.overlay_revision });
    if (status && status.generation !== generation) {
      generation = status.generation;
      handlers.onChange({ generation, runs: null, is_loaded: status.is_loaded, progress: status.progress });
    }
    askTimer = undefined;
    askSoon();
  }

  handlers.onConnection("connecting");
  connect();
  askSoon();
  return () => {
    stopAsking();
    clearTimeout(retryTimer);
    source?.close();
  };
}
