import { describe, expect, it } from "vitest";
import { shortenLabels } from "./scalars_page.svelte";

const shorten = (...labels: string[]): string[] =>
  shortenLabels(labels.map((label) => ({ label, runs: [label] }))).map(({ label }) => label);

describe("shortenLabels", () => {
  it("leaves out what does not tell groups apart", () => {
    expect(shorten("batch=64, lr=0.1", "batch=64, lr=0.2", "without any")).toEqual(["lr=0.1", "lr=0.2", "without any"]);
    expect(shorten("batch=64, hidden=48, 32, lr=0.1", "batch=64, hidden=48, 32, lr=0.2 · train")).toEqual([
      "lr=0.1",
      "lr=0.2, train",
    ]);
  });

  it("leaves labels that would be empty, the same or without anything in common", () => {
    expect(shorten("lr=1", "lr=1, depth=2")).toEqual(["lr=1", "lr=1, depth=2"]);
    expect(shorten("a/seed*", "b/seed*")).toEqual(["a/seed*", "b/seed*"]);
    expect(shorten("lr=1")).toEqual(["lr=1"]);
  });
});
