// Listens for the server's change events and keeps the connection up. Knows nothing of what a change means.

import type { Change } from "./types";

export type Connection = "connecting" | "open" | "lost";

export interface LiveHandlers {
  onChange: (change: Change) => void;
  onConnection: (connection: Connection) => void;
}

const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 15_000;

/** Returns the function that ends the connection. */
export function openLive(handlers: LiveHandlers, open = (): EventSource => new EventSource(new URL("api/live", document.baseURI))): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = RETRY_MIN_MS;

  function connect(): void {
    const mine = open();
    source = mine;
    mine.addEventListener("open", () => {
      retryMs = RETRY_MIN_MS;
      handlers.onConnection("open");
    });
    mine.addEventListener("change", (event) => handlers.onChange(JSON.parse((event as MessageEvent<string>).data) as Change));
    mine.addEventListener("error", () => {
      handlers.onConnection("lost");
      // The browser retries a dropped connection itself but gives up for good after an HTTP error, such as a
      // proxy's 502 while the server restarts.
      if (mine.readyState !== mine.CLOSED) return;
      timer = setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    });
  }

  handlers.onConnection("connecting");
  connect();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
