import { describe, expect, test } from "vitest";
import type { Decoded } from "./decode/decode";
import { PictureStore } from "./picture_store";

/** Pictures of 10 x 10 pixels that come when they are let through. */
class Fetches {
  readonly asked: string[] = [];
  readonly closed: string[] = [];
  readonly aborted: string[] = [];
  readonly #open = new Map<string, { done: (picture: Decoded) => void; fail: (cause: Error) => void }>();

  decode = (url: string, signal: AbortSignal): Promise<Decoded> => {
    this.asked.push(url);
    signal.addEventListener("abort", () => this.aborted.push(url));
    return new Promise((done, fail) => this.#open.set(url, { done, fail }));
  };

  async come(url: string): Promise<void> {
    const bitmap = { close: () => this.closed.push(url) } as unknown as ImageBitmap;
    this.#open.get(url)?.done({ bitmap, width: 10, height: 10 } as Decoded);
    await settle();
  }

  async fail(url: string): Promise<void> {
    this.#open.get(url)?.fail(new Error(`no ${url}`));
    await settle();
  }
}

const settle = (): Promise<void> => new Promise((done) => setTimeout(done));
const PICTURE_BYTES = 400;

describe("PictureStore", () => {
  test("asks once for many and keeps the answer", async () => {
    const fetches = new Fetches();
    const store = new PictureStore(fetches.decode);
    const { signal } = new AbortController();
    const both = Promise.all([store.load("a", signal), store.load("a", signal)]);
    await fetches.come("a");
    const [first, second] = await both;
    expect(first).toBe(second);
    expect(await store.load("a", signal)).toBe(first);
    expect(fetches.asked).toEqual(["a"]);
  });

  test("gives up when the last one who waits has", async () => {
    const fetches = new Fetches();
    const store = new PictureStore(fetches.decode);
    const [one, other] = [new AbortController(), new AbortController()];
    const first = store.load("a", one.signal);
    const second = store.load("a", other.signal);
    one.abort();
    await expect(first).rejects.toThrow("abort");
    expect(fetches.aborted).toEqual([]);
    other.abort();
    await expect(second).rejects.toThrow("abort");
    expect(fetches.aborted).toEqual(["a"]);
  });

  test("a picture that came to nothing is asked for again, one that comes too late is closed", async () => {
    const fetches = new Fetches();
    const store = new PictureStore(fetches.decode);
    const failed = store.load("a", new AbortController().signal);
    const caught = expect(failed).rejects.toThrow("no a");
    await fetches.fail("a");
    await caught;
    const abort = new AbortController();
    const again = store.load("a", abort.signal);
    expect(fetches.asked).toEqual(["a", "a"]);
    abort.abort();
    await expect(again).rejects.toThrow("abort");
    await fetches.come("a");
    expect(fetches.closed).toEqual(["a"]);
  });

  test("beyond the budget the one used longest ago goes, unless it is shown", async () => {
    const fetches = new Fetches();
    const store = new PictureStore(fetches.decode, 3 * PICTURE_BYTES);
    const { signal } = new AbortController();
    const show = async (url: string): Promise<void> => {
      const loaded = store.load(url, signal);
      await fetches.come(url);
      await loaded;
    };
    await show("a");
    const release = store.hold("a");
    await show("b");
    await show("c");
    await store.load("b", signal);
    await show("d");
    expect(fetches.closed).toEqual(["c"]);
    release();
    await show("e");
    expect(fetches.closed).toEqual(["c", "a"]);
  });

  test("fetches ahead only while nobody waits, and not what was taken back", async () => {
    const fetches = new Fetches();
    const store = new PictureStore(fetches.decode);
    const owner = {};
    const loaded = store.load("now", new AbortController().signal);
    store.expect(owner, ["next", "after", "later"]);
    expect(fetches.asked).toEqual(["now"]);
    await fetches.come("now");
    await loaded;
    expect(fetches.asked).toEqual(["now", "next", "after"]);
    store.expect(owner, []);
    await fetches.come("next");
    expect(fetches.asked).toEqual(["now", "next", "after"]);
    // What is under way ahead is waited for, not asked for again.
    const joined = store.load("after", new AbortController().signal);
    await fetches.come("after");
    await joined;
    expect(fetches.asked).toEqual(["now", "next", "after"]);
  });

  test("what fails ahead is not tried for ever", async () => {
    const fetches = new Fetches();
    const store = new PictureStore(fetches.decode);
    store.expect({}, ["bad"]);
    await fetches.fail("bad");
    expect(fetches.asked).toEqual(["bad"]);
  });
});
