// Sends only a few requests at a time, nearest to the top of the page first, and batches those that can share a
// request. Knows nothing of the requests.

interface Waiting<I, R> {
  readonly item: I;
  /** Only items of the same kind share a batch. */
  readonly kind: string;
  /** How much work it is. */
  readonly weight: number;
  readonly place: () => number;
  readonly signal: AbortSignal;
  readonly resolve: (result: R) => void;
  readonly reject: (cause: unknown) => void;
}

/** Returns the results of all items, in their order. */
export type Send<I, R> = (items: readonly I[], signal: AbortSignal) => Promise<readonly R[]>;

export class BatchQueue<I, R> {
  #inFlight = 0;
  #isPlanned = false;
  readonly #waiting = new Set<Waiting<I, R>>();

  constructor(
    private readonly send: Send<I, R>,
    private readonly limits = { inFlight: 2, batch: 12, weight: 400 },
  ) {}

  /** Rejects with the signal's reason if that comes first. */
  run(item: I, kind: string, weight: number, place: () => number, signal: AbortSignal): Promise<R> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        reject(signal.reason as Error);
      };
      // A signal lives as long as its card, which may send requests for days.
      const done = (): void => signal.removeEventListener("abort", giveUp);
      const waiting: Waiting<I, R> = {
        item,
        kind,
        weight,
        place,
        signal,
        resolve: (result) => (done(), resolve(result)),
        reject: (cause) => (done(), reject(cause)),
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
      this.#plan();
    });
  }

  /** Cards of one page ask in the same task; only after it is known which one is first. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#next();
    });
  }

  #next(): void {
    while (this.#inFlight < this.limits.inFlight && this.#waiting.size > 0) {
      const inOrder = [...this.#waiting].sort((a, b) => a.place() - b.place());
      const kind = inOrder[0]?.kind;
      // The first one goes alone, so that something appears early.
      const size = this.#inFlight === 0 ? 1 : this.limits.batch;
      let weight = 0;
      const batch = inOrder
        .filter((each) => each.kind === kind)
        .slice(0, size)
        .filter((each, i) => (weight += each.weight) <= this.limits.weight || i === 0);
      for (const each of batch) this.#waiting.delete(each);
      this.#inFlight++;
      void this.#settle(batch).finally(() => {
        this.#inFlight--;
        this.#next();
      });
    }
  }

  async #settle(batch: readonly Waiting<I, R>[]): Promise<void> {
    const stop = new AbortController();
    const stopIfAlone = (): void => {
      if (batch.every((each) => each.signal.aborted)) stop.abort();
    };
    for (const { signal } of batch) signal.addEventListener("abort", stopIfAlone, { once: true });
    try {
      const results = await this.send(
        batch.map((each) => each.item),
        stop.signal,
      );
      batch.forEach((each, i) => each.resolve(results[i] as R));
    } catch (cause) {
      if (batch.length === 1 || stop.signal.aborted) for (const each of batch) each.reject(cause);
      // One item may be at fault: the others are retried without it.
      else for (const each of batch) if (!each.signal.aborted) await this.#settle([each]);
    } finally {
      for (const { signal } of batch) signal.removeEventListener("abort", stopIfAlone);
    }
  }
}
