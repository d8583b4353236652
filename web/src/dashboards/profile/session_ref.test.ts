import { expect, test } from "vitest";
import type { ListedSession } from "./answer";
import { findListed, firstSession, otherSession, placeText, sessionKey } from "./session_ref";

const session = (run: string, name: string, more: Partial<ListedSession> = {}): ListedSession => ({
  run,
  session: name,
  kind: "torch",
  files: [],
  workers: ["w"],
  size_bytes: 1,
  time_s: 0,
  problem: null,
  first_step: null,
  last_step: null,
  ...more,
});

test("begins with the newest readable profile of the shown runs", () => {
  const listed = [
    session("b", "late", { time_s: 20 }),
    session("b", "early", { time_s: 10 }),
    session("b", "broken", { time_s: 30, problem: "cut" }),
    session("c", "other", { time_s: 15 }),
  ];
  expect(firstSession(listed, ["a", "b", "c"])).toEqual({ run: "b", session: "late" });
  expect(firstSession(listed, ["a"])).toBeNull();
  // Better one that says what is wrong with it than nothing.
  expect(firstSession([listed[2] as ListedSession], ["b"])).toEqual({ run: "b", session: "broken" });
});

test("a profile is told by its steps, else by its time", () => {
  expect(placeText(session("a", "s", { first_step: 2_400, last_step: 2_429 }))).toBe("steps 2,400–2,429");
  expect(placeText(session("a", "s", { first_step: 5, last_step: 5 }))).toBe("step 5");
  expect(placeText(session("a", "s", { time_s: 1_700_000_000 }))).toContain("2023");
});

test("names of runs and of files are never taken for each other", () => {
  expect(sessionKey({ run: "a", session: "b" })).not.toBe(sessionKey({ file: '["a","b"]' }));
  expect(findListed([session("a", "b")], { run: "a", session: "b" })?.kind).toBe("torch");
  expect(findListed([session("a", "b")], { file: "a" })).toBeNull();
});

test("compares with the baseline, else with an earlier profile of the run", () => {
  const listed = [
    session("a", "late", { time_s: 20 }),
    session("a", "early", { time_s: 10 }),
    session("base", "one", { time_s: 30 }),
  ];
  const shown = { run: "a", session: "late" };
  expect(otherSession(listed, shown, "base")).toEqual({ run: "base", session: "one" });
  expect(otherSession(listed, shown, null)).toEqual({ run: "a", session: "early" });
  expect(otherSession([listed[0] as ListedSession], shown, null)).toBeNull();
  // One of another profiler is most likely of another program.
  const chrome = session("base", "two", { kind: "chrome" });
  expect(otherSession([...listed.slice(0, 2), chrome], shown, "base")).toEqual({ run: "a", session: "early" });
  expect(otherSession([...listed.slice(0, 1), chrome], shown, "base")).toEqual({ run: "base", session: "two" });
});
