// The decoded pictures of the page: each address is fetched and decoded once however many ask, those seen last are kept
// up to a budget, and neighbours are fetched ahead while nobody waits. Knows nothing of cards.

import { type Decoded, decodeImage } from "./decode/decode";

// 512 x 512 pixels are one megabyte.
const BUDGET_BYTES = 256 * 2 ** 20;
// A server answers six requests of a browser at a time, and somebody may ask in earnest any moment.
const MAX_AHEAD = 2;

export type Decode = (url: string, signal: AbortSignal) => Promise<Decoded>;

interface Entry {
  readonly promise: Promise<Decoded>;
  readonly abort: AbortController;
  /** Null while it is under way. */
  picture: Decoded | null;
  waiting: number;
  /** How many show it: it must not be closed under them. */
  holders: number;
}

const bytesOf = ({ width, height }: Decoded): number => width * height * 4;

export class PictureStore {
  /** The one used last stands last. */
  readonly #entries = new Map<string, Entry>();
  /** By who asked: what they are likely to show next, nearest first. */
  readonly #ahead = new Map<object, readonly string[]>();
  #loading = 0;
  #loadingAhead = 0;
  #bytes = 0;

  constructor(
    private readonly decode: Decode,
    private readonly budgetBytes = BUDGET_BYTES,
  ) {}

  /** The picture, at once where it is here. It stays usable until the next task; longer for those who hold it. */
  async load(url: string, signal: AbortSignal): Promise<Decoded> {
    signal.throwIfAborted();
    const entry = this.#entry(url);
    if (entry.picture) return entry.picture;
    entry.waiting++;
    this.#loading++;
    let giveUp = (): void => {};
    try {
      return await new Promise((done, fail) => {
        giveUp = () => fail(signal.reason);
        signal.addEventListener("abort", giveUp);
        entry.promise.then(done, fail);
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
      entry.waiting--;
      this.#loading--;
      if (entry.waiting === 0 && !entry.picture) this.#drop(url, entry);
      this.#fetchAhead();
    }
  }

  /** Whoever shows a picture holds it; returns the function that lets it go. */
  hold(url: string): () => void {
    const entry = this.#entries.get(url);
    if (!entry) return () => {};
    entry.holders++;
    return () => {
      entry.holders--;
    };
  }

  /** What `owner` may show next. Replaces what it said before; nothing: it is done. */
  expect(owner: object, urls: readonly string[]): void {
    if (urls.length > 0) this.#ahead.set(owner, urls);
    else this.#ahead.delete(owner);
    this.#fetchAhead();
  }

  #entry(url: string): Entry {
    const known = this.#entries.get(url);
    if (known) {
      this.#entries.delete(url);
      this.#entries.set(url, known);
      return known;
    }
    const abort = new AbortController();
    const promise = this.decode(url, abort.signal);
    const entry: Entry = { promise, abort, picture: null, waiting: 0, holders: 0 };
    this.#entries.set(url, entry);
    promise.then(
      (picture) => {
        if (this.#entries.get(url) !== entry) return picture.bitmap.close();
        entry.picture = picture;
        this.#bytes += bytesOf(picture);
        this.#evict();
      },
      () => this.#drop(url, entry),
    );
    return entry;
  }

  #drop(url: string, entry: Entry): void {
    if (this.#entries.get(url) === entry) this.#entries.delete(url);
    entry.abort.abort();
  }

  #evict(): void {
    for (const [url, entry] of this.#entries) {
      if (this.#bytes <= this.budgetBytes) return;
      // One that is waited for has just come, and will be held in a moment.
      if (!entry.picture || entry.holders > 0 || entry.waiting > 0) continue;
      this.#entries.delete(url);
      this.#bytes -= bytesOf(entry.picture);
      entry.picture.bitmap.close();
    }
  }

  #fetchAhead(): void {
    for (const urls of this.#ahead.values()) {
      for (const url of urls) {
        if (this.#loading > 0 || this.#loadingAhead >= MAX_AHEAD) return;
        if (!this.#entries.has(url)) this.#fetchOne(url);
      }
    }
  }

  #fetchOne(url: string): void {
    const entry = this.#entry(url);
    this.#loadingAhead++;
    const end = (): void => {
      this.#loadingAhead--;
      this.#fetchAhead();
    };
    entry.promise.then(end, () => {
      // Asked for again it may come; asked for ahead, it is not worth another try.
      for (const [owner, urls] of this.#ahead)
        if (urls.includes(url))
          this.#ahead.set(
            owner,
            urls.filter((each) => each !== url),
          );
      end();
    });
  }
}

/** For everything on the page that shows any. */
export const pictures = new PictureStore(decodeImage);
