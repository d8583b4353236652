import { describe, expect, it } from "vitest";
import { runKey } from "./run_key";
import { ALL, compact, isSelected, NONE, only, withRuns } from "./selection";

const names = ["a", "b", "c", "d"];
const on = (selection: typeof ALL): string[] => names.filter((name) => isSelected(selection, name));

describe("selection", () => {
  it("removes runs from all and adds them to none", () => {
    expect(on(withRuns(ALL, ["b"], false, names))).toEqual(["a", "c", "d"]);
    expect(on(withRuns(NONE, ["b"], true, names))).toEqual(["b"]);
    expect(on(withRuns(withRuns(ALL, ["b"], false, names), ["b"], true, names))).toEqual(names);
    expect(on(only("c"))).toEqual(["c"]);
  });

  it("treats a run that appears later according to its base", () => {
    expect(isSelected(withRuns(ALL, ["b"], false, names), "new")).toBe(true);
    expect(isSelected(only("b"), "new")).toBe(false);
  });

  it("becomes plain all or none with the last run", () => {
    expect(withRuns(ALL, names, false, names)).toEqual(NONE);
    expect(withRuns(NONE, names, true, names)).toEqual(ALL);
  });

  it("writes the smaller side", () => {
    const most = withRuns(NONE, ["a", "b", "c"], true, names);
    expect(compact(most, names)).toEqual({ base: "all", except: new Set([runKey("d")]) });
    expect(on(compact(most, names))).toEqual(on(most));
  });

  it("gives 10,000 numbered runs keys that hardly ever collide", () => {
    const keys = new Set(Array.from({ length: 10_000 }, (_, i) => runKey(`sweep/run_${i}`)));
    expect(keys.size).toBeGreaterThanOrEqual(9_999);
  });
});
