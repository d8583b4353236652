import { describe, expect, it } from "vitest";
import type { QueryError } from "../state/runs/query_tokens";
import { compileQuery } from "../state/runs/run_query";
import { type CompletionCatalog, completeQuery } from "./query_completion";

const CATALOG: CompletionCatalog = {
  hparams: [
    { name: "lr", type: "number" },
    { name: "optimizer", type: "string" },
    { name: "batch size", type: "number" },
  ],
  tags: new Set(["val/acc", "val/loss"]),
  labels: ["good", "two words"],
  valuesOf: (name) => (name === "optimizer" ? ["adam", 'x"y'] : name === "lr" ? [0.1, 0.01] : []),
};
/** The caret is where the bar is. */
const at = (text: string): ReturnType<typeof completeQuery> =>
  completeQuery(text.replace("|", ""), text.indexOf("|"), CATALOG);
const labels = (text: string): string[] => at(text).options.map((option) => option.label);
/** What the query becomes when the first option is taken. */
function taken(text: string): string {
  const { from, to, options } = at(text);
  const plain = text.replace("|", "");
  return plain.slice(0, from) + options[0]?.text + plain.slice(to);
}

describe("completion", () => {
  it("suggests columns, functions and `not` at the start and after and, or, not, (", () => {
    for (const text of ["|", "lr < 1 and |", "not |", "(|"]) {
      expect(labels(text)).toEqual(expect.arrayContaining(["lr", "val/acc", "starred", "min(…)", "not"]));
    }
  });

  it("suggests what contains the typed letters, matches at the start first", () => {
    expect(labels("val|")).toEqual(["val/acc", "val/loss"]);
    expect(labels("lr < 1 and acc|")).toEqual(["val/acc"]);
    expect([labels("select|"), labels("tick|")]).toEqual([["selected"], []]);
    expect(taken("lr < 1 and ac|")).toBe("lr < 1 and val/acc ");
    expect(taken("opt|zer == 1")).toBe("optimizer  == 1");
  });

  it("suggests labels and what a run can have", () => {
    expect(labels("label|")).toEqual(["label:good", 'label:"two words"', "has:label"]);
    expect(labels("has:n|")).toEqual(["has:nan", "has:note"]);
    expect(labels("has:nan |")).toEqual(expect.arrayContaining(["and", "or"]));
  });

  it("suggests nothing after an error, but where the query is only incomplete", () => {
    const suggested = (text: string): number => {
      try {
        compileQuery(text, CATALOG);
      } catch (error) {
        return completeQuery(text, text.length, CATALOG, error as QueryError).options.length;
      }
      return completeQuery(text, text.length, CATALOG).options.length;
    };
    for (const text of ["nothing > 1 and ", "lr > > 1 and l", "lr == adam and "]) expect(suggested(text)).toBe(0);
    for (const text of ["lr ", "lr < 1 and ", "lr < 1 and v", "optimizer == ", "lr < 1 and (", "no"])
      expect(suggested(text)).toBeGreaterThan(0);
  });

  it("quotes names that need it", () => {
    expect(taken("batch|")).toBe("`batch size` ");
  });

  it("suggests operators for the column", () => {
    expect(labels("lr |")).toContain("<");
    expect(labels("optimizer |")).toEqual(["==", "!=", "~", "!~", "in", "is missing"]);
    expect(labels("min(val/loss) |")).toContain(">=");
    expect(labels("starred |")).toEqual(expect.arrayContaining(["and", "or"]));
  });

  it("suggests the values of a hyperparameter", () => {
    expect(labels("optimizer == |")).toEqual(["adam", 'x"y', "missing"]);
    expect(taken("optimizer == a|")).toBe('optimizer == "adam" ');
    expect(taken('optimizer == "x|')).toBe('optimizer == "x\\"y" ');
    expect(labels("lr > 0.0|")).toEqual(["0.01"]);
    expect(labels("optimizer in (|")).toContain("adam");
    expect(labels("hparam(lr) == |")).toEqual(["0.1", "0.01", "missing"]);
  });

  it("suggests metrics inside a function, then what follows", () => {
    expect(labels("min(|")).toEqual(["val/acc", "val/loss"]);
    expect(taken("min(val/l|")).toBe("min(val/loss) ");
    expect(taken("at(val/l|")).toBe("at(val/loss, ");
    expect(labels("at(val/loss, |")).toEqual(["max(…)", "min(…)"]);
    expect(labels("at(val/loss, max(|")).toEqual(["val/acc", "val/loss"]);
  });

  it("suggests `and` and `or` after a comparison", () => {
    expect(labels("lr < 1 |")).toEqual(["and", "or"]);
    expect(labels('optimizer == "adam" |')).toEqual(["and", "or"]);
    expect(labels("(lr < 1) |")).toEqual(["and", "or"]);
  });

  it("suggests neither what is already there, nor anything after an error", () => {
    expect(labels("lr|")).toEqual([]);
    expect(labels("lr & |")).toEqual([]);
  });

  it("stops at forty and returns how many more there are", () => {
    const tags = new Set(Array.from({ length: 500 }, (_, i) => `m${i}`));
    const { options, left } = completeQuery("min(", 4, { ...CATALOG, tags });
    expect([options.length, left]).toEqual([40, 460]);
  });
});
