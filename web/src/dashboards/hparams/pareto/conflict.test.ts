import { expect, it } from "vitest";
import { type Column, readTable } from "../columns";
import { metric, sampleAnswer } from "../sample_answer";
import { agreement, mostConflicting } from "./conflict";

const { columns } = readTable(
  sampleAnswer(5, {
    metrics: [
      metric("accuracy", { values: [1, 2, 3, 4, null] }),
      metric("loss", { goal: "min", values: [9, 7, 4, 1, 0] }),
      metric("latency", { goal: "min", values: [10, 200, 3_000, 40_000, 5] }),
      metric("same", { values: [1, 1, 1, 1, 1] }),
      metric("tied", { values: [1, 1, 2, 2, 2] }),
    ],
  }),
);
const [accuracy, loss, latency, same, tied] = columns as [Column, Column, Column, Column, Column];

it("metrics agree if what is good in one is good in the other", () => {
  expect(agreement(accuracy, loss)).toBeCloseTo(1, 12);
  expect(agreement(accuracy, latency)).toBeCloseTo(-1, 12);
  expect(agreement(accuracy, tied)).toBeCloseTo(0.894, 3);
});

it("the main metric is set against the one that disagrees", () => {
  expect(mostConflicting([accuracy, loss, latency, same], accuracy)?.name).toBe("latency");
  expect(mostConflicting([accuracy, same], accuracy)).toBeNull();
});
