// Follows jobs by the server's events, and by asking where events do not arrive. Knows nothing of what jobs compute.

import { Blocks } from "./blocks";
import type { Job, JobEvent, Jobs } from "./types";

/** Partial results from number `since` on. */
export interface Partials {
  readonly since: number;
  readonly partials: readonly unknown[];
}

interface PartialsHead {
  readonly version: number;
  readonly since: number;
  readonly partials: readonly { readonly size_bytes: number; readonly is_json: boolean }[];
}

/** Binary ones become buffers of their own, in which columns are aligned as in a response. */
export function decodePartials(body: ArrayBuffer): Partials {
  const blocks = new Blocks<PartialsHead>(body);
  const { since, partials } = blocks.head;
  return {
    since,
    partials: partials.map(({ size_bytes: size, is_json: isJson }) => {
      const bytes = blocks.bytes(size, "a partial result");
      return isJson ? (JSON.parse(new TextDecoder().decode(bytes)) as unknown) : bytes.slice().buffer;
    }),
  };
}

export interface JobHandlers {
  ask: () => Promise<Jobs>;
  onEvent: (event: JobEvent) => void;
  /** The server does not know this job any more: it was restarted, or the job ended long ago. */
  onGone: (id: string) => void;
}

const RETRY_MS = 1_000;
/** The server sends its first event at once. If none arrives, a proxy buffers the response until it ends. */
const ASK_MS = 3_000;

export const isEnded = ({ state }: Pick<Job, "state">): boolean =>
  state === "done" || state === "failed" || state === "cancelled";

/** Follows these jobs until all have ended. Returns the function that stops it. */
export function followJobs(
  ids: readonly string[],
  handlers: JobHandlers,
  open = (path: string): EventSource => new EventSource(new URL(path, document.baseURI)),
): () => void {
  const left = new Set(ids);
  let source: EventSource | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let askTimer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  function stop(): void {
    isStopped = true;
    clearTimeout(retryTimer);
    clearTimeout(askTimer);
    source?.close();
  }

  function tell(event: JobEvent): void {
    const { id } = event.job;
    if (!left.has(id)) return;
    if (isEnded(event.job)) left.delete(id);
    // The server closes the connection now, and the browser would open it again.
    if (left.size === 0) stop();
    handlers.onEvent(event);
  }

  function connect(): void {
    const mine = open(`api/jobs/events?${[...left].map((id) => `id=${encodeURIComponent(id)}`).join("&")}`);
    source = mine;
    mine.addEventListener("message", (event) => {
      if (isStopped) return;
      askLater();
      tell(JSON.parse((event as MessageEvent<string>).data) as JobEvent);
    });
    mine.addEventListener("error", () => {
      // The browser opens a dropped connection again. One that was refused, because a job is not known, stays closed.
      if (isStopped || mine.readyState !== mine.CLOSED) return;
      clearTimeout(askTimer);
      retryTimer = setTimeout(() => void askNow().then(() => isStopped || connect()), RETRY_MS);
    });
  }

  function askLater(): void {
    clearTimeout(askTimer);
    askTimer = setTimeout(() => void askNow().then(() => isStopped || askLater()), ASK_MS);
  }

  async function askNow(): Promise<void> {
    const listed = await handlers.ask().catch(() => null);
    if (isStopped || !listed) return;
    const byId = new Map(listed.jobs.map((job) => [job.id, job]));
    for (const id of [...left]) {
      const job = byId.get(id);
      if (job) tell({ job, since: 0, partials: [] });
      else {
        left.delete(id);
        if (left.size === 0) stop();
        handlers.onGone(id);
      }
    }
  }

  connect();
  askLater();
  return stop;
}
