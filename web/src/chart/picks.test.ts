import { expect, it } from "vitest";
import { Picks } from "./picks";

it("takes back the two clicks of a double click", () => {
  const picks = new Picks();
  let at = 0;
  const pick = (next: number): void => {
    const before = at;
    at = next;
    picks.add(() => (at = before));
  };
  pick(1);
  pick(2);
  pick(3);
  picks.takeBack();
  expect(at).toBe(1);
  picks.takeBack();
  expect(at).toBe(1);

  pick(4);
  picks.clear();
  picks.takeBack();
  expect(at).toBe(4);
});
