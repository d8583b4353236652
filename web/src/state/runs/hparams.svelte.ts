// The hyperparameters of the runs, for columns, queries, groups and colours.

import type { HParams } from "../../api/types";
import type { HParamsOfRuns, HParamValue } from "./groups";
import { isSameJson } from "../../base/keep_if_equal";
import { compareCells } from "../../base/natural";

const NOTHING: HParams = { generation: 0, names: [], runs: {}, merged: {} };

const textOf = ({ names, runs }: HParams): string => JSON.stringify([names, runs]);

export class HParamsState {
  /** Raw: replaced as a whole, and only if something is different. */
  #listed = $state.raw<HParams>(NOTHING);
  #text = textOf(NOTHING);
  /** Runs that only hold the records of another one, and that one. Apart, because every chart depends on it. */
  #merged = $state.raw(NOTHING.merged);
  /** Whether the server has responded yet. */
  isKnown = $state(false);

  readonly names = $derived(this.#listed.names);
  get merged(): HParams["merged"] {
    return this.#merged;
  }
  readonly runs: HParamsOfRuns = $derived(asNumbers(this.#listed));

  constructor(private readonly ask: () => Promise<HParams>) {}

  async refresh(): Promise<void> {
    try {
      const listed = await this.ask();
      const text = textOf(listed);
      if (text !== this.#text) this.#listed = listed;
      this.#text = text;
      if (!isSameJson(listed.merged, this.#merged)) this.#merged = listed.merged;
      this.isKnown = true;
    } catch {
      // The session's own listing reports the error; the next one tries again.
    }
  }

  // The completion of a query asks for the same ones with every key.
  readonly #values = $derived((void this.runs, new Map<string, readonly HParamValue[]>()));

  /** The distinct values of one hyperparameter, in order. */
  valuesOf(name: string): readonly HParamValue[] {
    let found = this.#values.get(name);
    if (!found) {
      const values = new Set<HParamValue>();
      for (const own of Object.values(this.runs)) if (Object.hasOwn(own, name)) values.add(own[name] as HParamValue);
      this.#values.set(name, (found = [...values].sort((a, b) => compareCells(a, b, false))));
    }
    return found;
  }
}

/** JSON has no NaN and no infinities: they come as strings. */
function asNumbers({ names, runs }: HParams): HParamsOfRuns {
  const numeric = new Set(names.filter(({ type }) => type === "number").map(({ name }) => name));
  const isText = Object.values(runs).some((own) =>
    Object.entries(own).some(([name, value]) => typeof value === "string" && numeric.has(name)),
  );
  if (!isText) return runs;
  const read = (own: HParams["runs"][string]): [string, HParamValue][] =>
    Object.entries(own).map(([name, value]) => [
      name,
      typeof value === "string" && numeric.has(name) ? Number(value) : value,
    ]);
  return Object.fromEntries(Object.entries(runs).map(([run, own]) => [run, Object.fromEntries(read(own))]));
}
