import { describe, expect, it } from "vitest";
import type { Cell } from "../../base/natural";
import { QueryError, quoteName, readTokens } from "./query_tokens";
import { type Catalog, compileQuery, type QueryColumn } from "./run_query";
import { columnKey } from "../view/url";

const CATALOG: Catalog = {
  hparams: [
    { name: "lr", type: "number" },
    { name: "optimizer", type: "string" },
    { name: "use_bias", type: "bool" },
    { name: "batch size", type: "number" },
    { name: "name", type: "string" },
  ],
  tags: new Set(["val/acc", "val/loss", "train/loss", "0/loss", "a b", "min"]),
};

type Run = Readonly<Record<string, Cell>>;
const RUNS: Readonly<Record<string, Run>> = {
  a: {
    lr: 1e-3,
    optimizer: "adam",
    use_bias: true,
    "last;val/acc": 0.95,
    "last;val/loss": 0.2,
    "min;val/loss": 0.1,
    starred: true,
    good: true,
    "at_step;val/acc;1000": 0.5,
  },
  b: {
    lr: 0.1,
    optimizer: "sgd",
    use_bias: false,
    "last;val/acc": 0.8,
    "last;val/loss": 0.6,
    "min;val/loss": 0.5,
    note: "odd <one>",
    "two words": true,
    nan: true,
    selected: true,
  },
  c: {
    lr: 0.01,
    optimizer: "AdamW",
    "last;val/acc": Number.NaN,
    "last;0/loss": 1,
    "last;a b": 2,
    "batch size": 32,
    "at_best;val/loss;max;val/acc": 3,
    duration: 7_200,
  },
  d: { started: Date.parse("2026-02-01") / 1000, "last;min": 4 },
};

const keyOf = (column: QueryColumn): string => (column.kind === "metric" ? columnKey(column) : column.name);
const read = (column: QueryColumn, run: string): Cell =>
  column.kind === "run" && column.name === "name" ? run : (RUNS[run]?.[keyOf(column)] ?? null);
const found = (text: string): string => {
  const { matches } = compileQuery(text, CATALOG);
  return Object.keys(RUNS)
    .filter((run) => matches(run, read))
    .join("");
};
function errorOf(text: string, catalog = CATALOG): string {
  try {
    compileQuery(text, catalog);
  } catch (error) {
    if (error instanceof QueryError) return `${error.from}-${error.to} ${error.message}`;
    throw error;
  }
  return "";
}

describe("a query", () => {
  it.each([
    ["", "abcd"],
    ["val/acc > 0.9", "a"],
    ["val/acc>0.9", "a"],
    ["0.9 < val/acc", "a"],
    ["val/acc <= 0.8", "b"],
    ["lr < 1e-2", "a"],
    ["lr <= 1e-2", "ac"],
    ["lr = 0.1", "b"],
    ["lr != 0.1", "ac"],
    ['optimizer == "adam"', "a"],
    ["optimizer == adam", "a"],
    ["optimizer != adam", "bc"],
    ['optimizer ~ "^adam"', "ac"],
    ["optimizer ~ adam", "ac"],
    ["optimizer !~ adam", "b"],
    ["optimizer in (adam, 'sgd')", "ab"],
    ["optimizer not in (adam, 'sgd')", "c"],
    ["lr in (0.1, 1e-3)", "ab"],
    ["use_bias", "a"],
    ["not use_bias", "bcd"],
    ["use_bias == false", "b"],
    ["starred", "a"],
    ["label:good", "a"],
    ["LABEL:good and starred", "a"],
    ['label:"two words"', "b"],
    ["not label:good", "bcd"],
    ["has:nan", "b"],
    ["has:NaN or label:good", "ab"],
    ["has:inf", ""],
    ["selected", "b"],
    ["ticked", "b"],
    ["not starred and lr > 0", "bc"],
    ["lr == missing", "d"],
    ["lr is missing", "d"],
    ["lr is not missing", "abc"],
    ["val/acc != missing", "abc"],
    ["val/acc == nan", "c"],
    ["val/acc < inf", "ab"],
    ["min(val/loss) < 0.2", "a"],
    ["MIN(val/loss) < 0.6 AND NOT starred", "b"],
    ["at(val/acc, 1000) == 0.5", "a"],
    ["at(val/loss, max(val/acc)) > 0", "c"],
    ["val/loss < val/acc", "ab"],
    ["`a b` == 2", "c"],
    ["{a b} == 2", "c"],
    ["last({a b}) == 2", "c"],
    ["`batch size` >= 32", "c"],
    ["0/loss == 1", "c"],
    ["`min` == 4", "d"],
    ['name ~ "[ab]"', "ab"],
    ["duration > 1h", "c"],
    ["duration > 90min and duration < 3h", "c"],
    ['started > "2026-01-31"', "d"],
    ['note ~ "<one>"', "b"],
  ])("%s", (text, expected) => expect(found(text)).toBe(expected));

  it("binds `and` before `or`, and parentheses before both", () => {
    expect(found("starred or lr == 0.1 and val/acc > 0.9")).toBe("a");
    expect(found("(starred or lr == 0.1) and val/acc < 0.9")).toBe("b");
    expect(found("not (starred or lr == 0.1)")).toBe("cd");
    expect(found("not not starred")).toBe("a");
  });

  it("lists the columns it reads, so that they can be loaded", () => {
    const { columns } = compileQuery("min(val/loss) < 0.2 and lr > 0 or at(val/acc, 10) > 0", CATALOG);
    expect(columns).toEqual([
      { kind: "metric", tag: "val/loss", stat: "min" },
      { kind: "hparam", name: "lr" },
      { kind: "metric", tag: "val/acc", stat: "at_step", step: 10 },
    ]);
  });

  it("treats every name as a metric while the tags are unknown", () => {
    const { columns } = compileQuery("test/f1 > val/f1 and optimizer == sgd", { ...CATALOG, tags: null });
    expect(columns.map(keyOf)).toEqual(["last;test/f1", "last;val/f1", "optimizer"]);
  });

  it("treats an expression in backticks as a metric", () => {
    expect(compileQuery("`={val/loss} - {train/loss}` > 0", CATALOG).columns).toEqual([
      { kind: "metric", tag: "={val/loss} - {train/loss}", stat: "last" },
    ]);
  });
});

describe("an invalid query", () => {
  it.each([
    ["lr <", "4-4 Expected a column or a value; the query ends here."],
    ["lr < 1 and", "10-10 Expected a column or a value; the query ends here."],
    ["lr", "2-2 Expected one of < <= > >= == != in after “lr”; the query ends here."],
    ["lr 1", "3-4 Expected one of < <= > >= == != in after “lr”; found “1”."],
    ["vall/acc > 1", "0-8 No hyperparameter, metric or column is named “vall/acc”."],
    ["lr < adam", "5-9 No hyperparameter, metric or column is named “adam”."],
    ['lr < "adam"', "5-11 Expected a number; found “adam”."],
    ["optimizer < 3", "10-11 “optimizer” is text: use one of == != ~ !~ in; found “<”."],
    ["(lr < 1", "7-7 Expected “)”; the query ends here."],
    ["lr < 1)", "6-7 Expected “and”, “or” or the end; found “)”."],
    ['optimizer == "ad', '13-16 The quote " is not closed.'],
    ["lr & 1", "3-4 Unexpected “&”. Put names with special characters in backticks: `a b`."],
    [
      "sum(val/loss) > 1",
      "0-3 Expected one of the functions last, first, min, max, mean, count, at, hparam; found “sum”.",
    ],
    ["min(nothing) > 1", "4-11 No run has logged a scalar with this name; found “nothing”."],
    ["at(val/loss) > 1", "11-12 Expected “,” and a step, or min(…) or max(…) of another metric; found “)”."],
    ["lr < missing", "3-4 Only == and != work with “missing”; found “<”."],
    ['optimizer ~ "("', "12-15 Not a regular expression: Unterminated group."],
    ["label:", "6-6 Expected a label after “label:”; the query ends here."],
    ["label: good", "7-11 Expected a label after “label:”; found “good”."],
    ["has:gradients", "0-13 Expected one of has:nan has:inf has:label has:note; found “has:gradients”."],
    ["lr in (a)", "7-8 Expected a number; found “a”."],
    ["duration > soon", "11-15 Expected a duration such as 90, 5min or 2h; found “soon”."],
    ['started > "soon"', '10-16 Expected a date such as "2026-01-31 12:00"; found “soon”.'],
  ])("%s", (text, expected) => expect(errorOf(text)).toBe(expected));
});

describe("names in queries", () => {
  it.each(["val/acc", "a b", "and", "1e-3", "10k", "x`y\\", "ü-1", "", "{z}"])(
    "come back from their quotes: %s",
    (name) => {
      const [token, end] = readTokens(quoteName(name));
      expect([token?.text, end?.kind]).toEqual([name, "end"]);
      expect(["name", "quoted"]).toContain(token?.kind);
    },
  );
});
