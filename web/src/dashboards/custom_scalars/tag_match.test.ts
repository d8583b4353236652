import { describe, expect, it, vi } from "vitest";
import { Matcher } from "./matcher";
import { type Match, matchTags } from "./tag_match";

const TAGS = ["loss/train", "loss/val", "val/loss", "Loss", "lr"];

describe("matchTags", () => {
  it("matches from the start of a tag and not to its end", () => {
    expect(matchTags("loss", TAGS).tags).toEqual(["loss/train", "loss/val"]);
    expect(matchTags("loss(?!.*val)", TAGS).tags).toEqual(["loss/train"]);
    expect(matchTags(".*loss$", TAGS).tags).toEqual(["val/loss"]);
    expect(matchTags("lr|Loss", TAGS).tags).toEqual(["Loss", "lr"]);
  });

  it("understands what only Python writes so", () => {
    expect(matchTags("(?i)loss", TAGS).tags).toEqual(["loss/train", "loss/val", "Loss"]);
    expect(matchTags("(?P<first>l)oss\\Z", TAGS).tags).toEqual([]);
    expect(matchTags("(?P<first>l)r\\Z", TAGS).tags).toEqual(["lr"]);
    expect(matchTags("\\Al(?P<c>o)s", TAGS).tags).toEqual(["loss/train", "loss/val"]);
  });

  it("says what is no pattern", () => {
    expect(matchTags("trig(", TAGS)).toEqual({
      tags: [],
      error: "“trig(” is not a regular expression: unterminated group",
    });
  });
});

/** Answers at once, but never for patterns with a bang. */
class FakeWorker {
  tags: readonly string[] = [];
  isEnded = false;
  #listener: (event: { data: Match | "ready" }) => void = () => {};

  addEventListener(_type: string, listener: (event: never) => void): void {
    this.#listener = listener as (event: { data: Match | "ready" }) => void;
  }

  postMessage(data: { tags: readonly string[] } | { pattern: string }): void {
    if ("tags" in data) {
      this.tags = data.tags;
      queueMicrotask(() => this.#listener({ data: "ready" }));
    } else if (!data.pattern.includes("!")) this.#listener({ data: matchTags(data.pattern, this.tags) });
  }

  terminate(): void {
    this.isEnded = true;
  }
}

describe("Matcher", () => {
  it("ends a pattern that takes too long and goes on with the others", async () => {
    vi.useFakeTimers();
    const workers: FakeWorker[] = [];
    const matcher = new Matcher(() => {
      workers.push(new FakeWorker());
      return workers.at(-1) as unknown as Worker;
    }, 1_000);
    const found = matcher.match(["lr", "bad!", "loss"], TAGS);
    // A second for the bad one, counted from when the worker is there.
    await vi.advanceTimersByTimeAsync(1_100);
    const matches = await found;
    vi.useRealTimers();
    expect(matches.get("lr")?.tags).toEqual(["lr"]);
    expect(matches.get("bad!")?.error).toContain("takes too long");
    expect(matches.get("loss")?.tags).toEqual(["loss/train", "loss/val"]);
    expect(workers.map((worker) => worker.isEnded)).toEqual([true, false]);
  });

  it("answers one question after the other, each over its own tags", async () => {
    const worker = new FakeWorker();
    const matcher = new Matcher(() => worker as unknown as Worker);
    const [first, second] = await Promise.all([matcher.match(["l"], TAGS), matcher.match(["l"], ["lx"])]);
    expect(first.get("l")?.tags).toHaveLength(3);
    expect(second.get("l")?.tags).toEqual(["lx"]);
  });
});
