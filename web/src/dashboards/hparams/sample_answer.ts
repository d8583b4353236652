// A small sweep in the server's form, for tests.

import type { HParamAnswer, MetricAnswer, TableAnswer } from "./answer";

export const hparam = (name: string, change: Partial<HParamAnswer>): HParamAnswer => ({
  name,
  display_name: "",
  description: "",
  type: "number",
  source: "record",
  domain: null,
  problem: null,
  ...countsOf(change.values ?? change.codes?.map((code) => (code < 0 ? null : code)) ?? []),
  ...change,
});

/** As the server counts them. */
export const countsOf = (values: readonly unknown[]): Pick<HParamAnswer, "distinct" | "missing"> => ({
  distinct: new Set(values.filter((value) => value !== null)).size,
  missing: values.filter((value) => value === null).length,
});

export const metric = (tag: string, change: Partial<MetricAnswer>): MetricAnswer => ({
  group: "",
  tag,
  display_name: "",
  description: "",
  stat: "last",
  goal: "max",
  declared: true,
  problem: null,
  values: [],
  ...change,
});

/** `count` rows whose numbers all differ: lr from 1e-5 to 1, and an accuracy that is best in the middle. */
export function sampleAnswer(count = 5, change: Partial<TableAnswer> = {}): TableAnswer {
  const rows = Array.from({ length: count }, (_, i) => i);
  const runs = rows.map((i) => `trial-${i}`);
  const share = (i: number): number => (count > 1 ? i / (count - 1) : 0);
  return {
    generation: 1,
    runs,
    members: runs.map((run) => [run, `${run}/val`]),
    group: { levels: ["", "a"], codes: rows.map((i) => Number(i < 2)) },
    status: { levels: ["running", "finished", "failed"], codes: rows.map((i) => (i === 0 ? 0 : 1)) },
    host: { levels: [""], codes: rows.map(() => 0) },
    started: rows.map((i) => 1_700_000_000 + i),
    ended: rows.map((i) => (i === 0 ? null : 1_700_000_100 + 2 * i)),
    hparams: [
      hparam("lr", { values: rows.map((i) => 10 ** (-5 + 5 * share(i))) }),
      hparam("optimizer", {
        type: "string",
        levels: ["adam", "sgd"],
        codes: rows.map((i) => (i === 3 ? -1 : i % 2)),
      }),
      hparam("batch", { values: rows.map((i) => (i % 2 ? 64 : 128)) }),
      hparam("epochs", { values: rows.map(() => 10) }),
    ],
    metrics: [
      metric("accuracy", {
        values: rows.map((i) => (i === 1 ? "NaN" : i === 4 ? null : 1 - Math.abs(share(i) - 0.5))),
      }),
      metric("loss", { group: "val", goal: "min", values: rows.map((i) => i + 1) }),
    ],
    offered: [],
    experiments: [],
    problems: [],
    ...change,
  };
}
