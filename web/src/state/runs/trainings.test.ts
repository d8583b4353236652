import { describe, expect, it } from "vitest";
import { trainingOfGroup, trainingOfRun, findTrainings, haveParts, SOLID } from "./trainings";

const lookOf = (names: string[], name: string) => findTrainings(names).looks.get(name) ?? SOLID;

describe("trainings", () => {
  it("are the parts of one training, by the last part of the name", () => {
    expect(["a/train", "a/validation", "a/b/eval", "a", "a/b", "train"].map((name) => trainingOfRun(name))).toEqual([
      "a",
      "a",
      "a/b",
      "a",
      "a/b",
      "",
    ]);
    expect(trainingOfRun("a/train_small")).toBe("a/train_small");
    expect(trainingOfRun("a/strain")).toBe("a/strain");
    expect(trainingOfRun("a/VAL")).toBe("a");
    expect([haveParts(["a/train", "b/train"]), haveParts(["a/train", "b", "a/val"])]).toEqual([false, true]);
  });

  it("of groups end with the part; the part alone is a group like any other", () => {
    expect(["lr=1 · train", "lr=1 · val", "train", "val"].map((label) => trainingOfGroup(label))).toEqual([
      "lr=1",
      "lr=1",
      "train",
      "val",
    ]);
  });

  it("have validation solid and training dashed in a lighter shade", () => {
    const names = ["a", "a/train", "a/validation"];
    expect(lookOf(names, "a/validation")).toBe(SOLID);
    expect(lookOf(names, "a")).toBe(SOLID);
    expect(lookOf(names, "a/train").shade).toBe("faded");
    expect(lookOf(names, "a/train").dash).not.toEqual([]);
    expect([...findTrainings(names).parts]).toEqual(["a/train", "a/validation"]);
  });

  it("take a parent without a training part for the training", () => {
    expect(lookOf(["a", "a/eval"], "a").shade).toBe("faded");
    expect(lookOf(["a", "a/eval"], "a/eval")).toBe(SOLID);
  });

  it("leave a part that is alone as it is", () => {
    expect(findTrainings(["a/train", "b/train", "c"]).looks.size).toBe(0);
    expect(findTrainings(["a/train", "b/train", "c"]).parts.size).toBe(0);
  });

  it("have no two parts that look the same", () => {
    const names = ["a/val", "a/test", "a/eval", "a/dev", "a/train"];
    const { looks } = findTrainings(names);
    expect(new Set(names.map((name) => JSON.stringify(looks.get(name) ?? SOLID))).size).toBe(names.length);
  });
});
