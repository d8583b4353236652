// Work that is put off, so that it keeps nothing from being seen or answered. Each returns the function that calls it
// off.

// A page that nobody sees is not painted.
const LATEST_MS = 250;

/** As soon as the browser has done what it has to do before; a timer would come later. */
export function inNextTask(job: () => void): () => void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = job;
  port2.postMessage(null);
  return () => port1.close();
}

/** The same, for many who shall go on in the same task. */
export const nextTask = (): Promise<void> => new Promise((go) => void inNextTask(go));

/** Once the browser has painted what is there now. */
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

/** After the paint that shows what is looked at, where that is ready; nobody waits longer for it than this. */
export function afterWhatIsSeen(isReady: boolean, patienceMs: number, job: () => void): () => void {
  if (isReady) return afterPaint(job);
  const timer = setTimeout(job, patienceMs);
  return () => clearTimeout(timer);
}
