// Defers work, so that it does not delay what the user sees. Each function returns one that cancels the work.

// Hidden pages are not painted.
const LATEST_MS = 250;
const SLOW_CARDS_MS = 800;

/** As soon as the browser has finished its current task; a timer would come later. */
export function inNextTask(job: () => void): () => void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = job;
  port2.postMessage(null);
  return () => port1.close();
}

/** The same as a promise, for many callers that continue in the same task. */
export const nextTask = (): Promise<void> => new Promise((go) => void inNextTask(go));

/** After the browser has painted the current state. */
export function afterPaint(job: () => void): () => void {
  let timer = setTimeout(job, LATEST_MS);
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(job);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

const idleJobs = new Set<() => void>();

/** As many as there is time for, one at least. */
function runIdleJobs(deadline: IdleDeadline): void {
  try {
    for (const job of idleJobs) {
      idleJobs.delete(job);
      job();
      if (deadline.timeRemaining() === 0) return;
    }
  } finally {
    if (idleJobs.size > 0) askForIdleTime();
  }
}

const askForIdleTime = (): void => void requestIdleCallback(runIdleJobs, { timeout: 1000 });

/** While the browser has nothing else to do, but no later than a second. WebKit cannot tell and waits for a paint. */
export function whenIdle(job: () => void): () => void {
  if (typeof requestIdleCallback !== "function") return afterPaint(job);
  // Asked once for all jobs, as asking costs more than a small one.
  if (idleJobs.size === 0) askForIdleTime();
  const own = (): void => job();
  idleJobs.add(own);
  return () => void idleJobs.delete(own);
}

/** After the paint that shows the visible cards, once they are ready. Slow cards do not delay it for long. */
export function afterVisibleCards(isReady: boolean, job: () => void): () => void {
  if (isReady) return afterPaint(job);
  const timer = setTimeout(job, SLOW_CARDS_MS);
  return () => clearTimeout(timer);
}
