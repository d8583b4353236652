import { expect, it } from "vitest";
import { piecesOf } from "./text_search.svelte";

it("marks matches by characters, not by halves of them", () => {
  expect(
    piecesOf({
      excerpt: "🙂 one two",
      matches: [
        [2, 5],
        [6, 9],
      ],
    }),
  ).toEqual([
    { text: "🙂 ", isMatch: false },
    { text: "one", isMatch: true },
    { text: " ", isMatch: false },
    { text: "two", isMatch: true },
  ]);
  expect(piecesOf({ excerpt: "all", matches: [[0, 3]] })).toEqual([{ text: "all", isMatch: true }]);
});
