// The query language of the run table: `val/acc > 0.9 and lr < 1e-3 or optimizer == "adam" and not starred`. Compiles
// text to a test of a run, or throws an error with its position. Pure: the caller provides the values of columns.

import type { Cell } from "../../base/natural";
import { QueryError, readTokens, type Token } from "./query_tokens";
import { RUN_STATS, type RunColumn, type RunStat } from "../view/view";

/** What `has:` can ask for. */
export const HAS = ["nan", "inf", "label", "note"] as const;
export type Has = (typeof HAS)[number];

/** What a query can refer to: the table's columns, properties of a run, its labels, and whether it has something. */
export type QueryColumn =
  | RunColumn
  | { readonly kind: "run"; readonly name: "name" | "title" | "starred" | "hidden" | "baseline" | "selected" }
  | { readonly kind: "label"; readonly name: string }
  | { readonly kind: "has"; readonly name: Has };
export type QueryType = "number" | "string" | "bool" | "time" | "duration";

export interface Catalog {
  readonly hparams: readonly { readonly name: string; readonly type: "number" | "string" | "bool" }[];
  /** Scalar tags; null while they are unknown: then every name may be one. */
  readonly tags: ReadonlySet<string> | null;
}

export type ReadCell = (column: QueryColumn, run: string) => Cell;
export type RunTest = (run: string, read: ReadCell) => boolean;

export interface RunQuery {
  readonly matches: RunTest;
  /** All columns that it reads. */
  readonly columns: readonly QueryColumn[];
}

export const BUILT_IN: Readonly<Record<string, { readonly column: QueryColumn; readonly type: QueryType }>> = {
  name: { column: { kind: "run", name: "name" }, type: "string" },
  title: { column: { kind: "run", name: "title" }, type: "string" },
  note: { column: { kind: "info", name: "note" }, type: "string" },
  starred: { column: { kind: "run", name: "starred" }, type: "bool" },
  hidden: { column: { kind: "run", name: "hidden" }, type: "bool" },
  baseline: { column: { kind: "run", name: "baseline" }, type: "bool" },
  selected: { column: { kind: "run", name: "selected" }, type: "bool" },
  started: { column: { kind: "info", name: "started" }, type: "time" },
  updated: { column: { kind: "info", name: "updated" }, type: "time" },
  duration: { column: { kind: "info", name: "duration" }, type: "duration" },
  points: { column: { kind: "info", name: "points" }, type: "number" },
  assets: { column: { kind: "info", name: "assets" }, type: "number" },
};
/** Other names, which work but are not suggested; saved views and links may contain former ones. */
const OTHER_NAMES: Readonly<Record<string, string>> = { ticked: "selected", archived: "hidden" };

export function findBuiltIn({ kind, text }: Token): { column: QueryColumn; type: QueryType } | undefined {
  const name = Object.hasOwn(OTHER_NAMES, text) ? (OTHER_NAMES[text] as string) : text;
  return kind === "name" && Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
}

const HAS_WORDS = HAS.map((name) => `has:${name}`).join(" ");
const STAT_NAMES: ReadonlySet<string> = new Set(RUN_STATS);
const isStat = (name: string): name is RunStat => STAT_NAMES.has(name);
export const FUNCTIONS = [...RUN_STATS, "at", "hparam"] as const;
export const SIGNS: Readonly<Record<QueryType, readonly string[]>> = {
  number: ["<", "<=", ">", ">=", "==", "!=", "in"],
  time: ["<", "<=", ">", ">="],
  duration: ["<", "<=", ">", ">="],
  string: ["==", "!=", "~", "!~", "in"],
  bool: ["==", "!="],
};
const TYPE_WORDS: Readonly<Record<QueryType, string>> = {
  number: "a number",
  string: "text",
  bool: "true or false",
  time: 'a date such as "2026-01-31 12:00"',
  duration: "a duration such as 90, 5min or 2h",
};
const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3_600, d: 86_400 };

/** One side of a comparison. */
interface Operand {
  /** Null: a bare word that is not a column; it takes the other side's type. */
  readonly type: QueryType | "missing" | null;
  /** Null if it is not a column. */
  readonly column: QueryColumn | null;
  readonly value: Cell;
  readonly token: Token;
}

/** Every run matches an empty text. Throws QueryError. */
export function compileQuery(text: string, catalog: Catalog): RunQuery {
  const tokens = readTokens(text);
  if (tokens.length === 1) return { matches: () => true, columns: [] };
  const open = tokens.find((token) => token.isOpen);
  if (open) throw new QueryError(`The quote ${text[open.from]} is not closed.`, open.from, open.to);
  return new Parser(tokens, catalog).parse();
}

class Parser {
  private at = 0;
  private readonly columns: QueryColumn[] = [];

  constructor(
    private readonly tokens: readonly Token[],
    private readonly catalog: Catalog,
  ) {}

  parse(): RunQuery {
    const matches = this.either();
    if (this.next.kind !== "end") this.fail("Expected “and”, “or” or the end");
    return { matches, columns: this.columns };
  }

  private get next(): Token {
    return this.tokens[this.at] as Token;
  }

  private fail(message: string, token = this.next): never {
    const found = token.kind === "end" ? "the query ends here" : `found “${token.text}”`;
    throw new QueryError(`${message}; ${found}.`, token.from, token.to);
  }

  private isWord(word: string, token = this.next): boolean {
    return token.kind === "name" && token.text.toLowerCase() === word;
  }

  private takeWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.at++;
    return true;
  }

  private takeSign(...signs: string[]): Token | null {
    const token = this.next;
    if (token.kind !== "sign" || !signs.includes(token.text)) return null;
    this.at++;
    return token;
  }

  private either(): RunTest {
    let left = this.both();
    while (this.takeWord("or")) {
      const [a, b] = [left, this.both()];
      left = (run, read) => a(run, read) || b(run, read);
    }
    return left;
  }

  private both(): RunTest {
    let left = this.negation();
    while (this.takeWord("and")) {
      const [a, b] = [left, this.negation()];
      left = (run, read) => a(run, read) && b(run, read);
    }
    return left;
  }

  private negation(): RunTest {
    if (this.takeWord("not")) {
      const test = this.negation();
      return (run, read) => !test(run, read);
    }
    if (!this.takeSign("(")) return this.comparison();
    const test = this.either();
    if (!this.takeSign(")")) this.fail("Expected “)”");
    return test;
  }

  private comparison(): RunTest {
    const left = this.operand();
    const sign = this.takeSign("==", "!=", "<", "<=", ">", ">=", "~", "!~");
    if (sign) return this.compare(left, sign, this.operand());
    if (this.takeWord("is")) {
      const isNegated = this.takeWord("not");
      if (!this.takeWord("missing")) this.fail("Expected “missing”");
      return missingTest(this.settle(left), isNegated);
    }
    const isNegated = this.isWord("not") && this.isWord("in", this.tokens[this.at + 1]) && this.takeWord("not");
    if (this.takeWord("in")) return this.membership(this.settle(left), isNegated);
    const settled = this.settle(left);
    if (settled.type === "bool") return (run, read) => cellOf(settled, run, read) === true;
    const signs = settled.type && settled.type !== "missing" ? SIGNS[settled.type].join(" ") : "";
    this.fail(`Expected one of ${signs} after “${left.token.text}”`);
  }

  private operand(): Operand {
    const token = this.next;
    if (token.kind === "number") return this.literal("number", Number(token.text));
    if (token.kind === "text") return this.literal("string", token.text);
    if (token.kind === "name") {
      const word = token.text.toLowerCase();
      if (word === "true" || word === "false") return this.literal("bool", word === "true");
      if (word === "nan" || word === "inf") return this.literal("number", word === "nan" ? Number.NaN : Infinity);
      if (word === "missing") return this.literal("missing", null);
      if (["and", "or", "not", "in", "is"].includes(word)) this.fail("Expected a column or a value");
      const [, prefix, rest = ""] = /^(label|has):(.*)$/is.exec(token.text) ?? [];
      if (prefix) return this.prefixed(prefix.toLowerCase(), rest);
      if (this.tokens[this.at + 1]?.text === "(" && this.tokens[this.at + 1]?.kind === "sign") return this.call();
    } else if (token.kind !== "quoted") this.fail("Expected a column or a value");
    this.at++;
    return this.columnNamed(token) ?? { type: null, column: null, value: token.text, token };
  }

  private literal(type: QueryType | "missing", value: Cell): Operand {
    return { type, column: null, value, token: this.tokens[this.at++] as Token };
  }

  /** label:good, label:"two words", has:nan */
  private prefixed(prefix: string, rest: string): Operand {
    const token = this.next;
    this.at++;
    const value = rest === "" ? this.next : token;
    // Only what follows at once belongs to the prefix.
    const isJoined = rest !== "" || (value.kind !== "end" && value.kind !== "sign" && value.from === token.to);
    if (!isJoined) this.fail(prefix === "label" ? "Expected a label after “label:”" : `Expected one of ${HAS_WORDS}`);
    if (rest === "") this.at++;
    const name = rest === "" ? value.text : rest;
    if (prefix === "label") return this.asColumn({ kind: "label", name }, "bool", token);
    const has = HAS.find((each) => each === name.toLowerCase());
    return has
      ? this.asColumn({ kind: "has", name: has }, "bool", token)
      : this.fail(`Expected one of ${HAS_WORDS}`, token);
  }

  private columnNamed(token: Token): Operand | null {
    const builtIn = findBuiltIn(token);
    if (builtIn) return this.asColumn(builtIn.column, builtIn.type, token);
    const hparam = this.catalog.hparams.find(({ name }) => name === token.text);
    if (hparam) return this.asColumn({ kind: "hparam", name: hparam.name }, hparam.type, token);
    return this.isTag(token.text)
      ? this.asColumn({ kind: "metric", tag: token.text, stat: "last" }, "number", token)
      : null;
  }

  /** An expression over tags is not a tag, but is used like one. */
  private isTag(name: string): boolean {
    return name.startsWith("=") || this.catalog.tags?.has(name) === true;
  }

  private asColumn(column: QueryColumn, type: QueryType, token: Token): Operand {
    this.columns.push(column);
    return { type, column, value: null, token };
  }

  /** min(val/loss), at(val/acc, 1000), at(val/loss, max(val/acc)), hparam(lr) */
  private call(): Operand {
    const token = this.next;
    const called = token.text.toLowerCase();
    this.at += 2;
    if (called === "hparam") {
      const name = this.argument();
      const hparam =
        this.catalog.hparams.find((each) => each.name === name.text) ??
        this.fail("No run has this hyperparameter", name);
      this.close();
      return this.asColumn({ kind: "hparam", name: hparam.name }, hparam.type, token);
    }
    if (!isStat(called) && called !== "at") this.fail(`Expected one of the functions ${FUNCTIONS.join(", ")}`, token);
    const tag = this.tagArgument();
    const column: RunColumn = called === "at" ? this.place(tag) : { kind: "metric", tag, stat: called };
    this.close();
    return this.asColumn(column, "number", token);
  }

  /** The second argument of `at`. */
  private place(tag: string): RunColumn {
    if (!this.takeSign(",")) this.fail("Expected “,” and a step, or min(…) or max(…) of another metric");
    const token = this.next;
    if (token.kind === "number" && Number.isInteger(Number(token.text))) {
      this.at++;
      return { kind: "metric", tag, stat: "at_step", step: Number(token.text) };
    }
    const best = this.isWord("min")
      ? "min"
      : this.isWord("max")
        ? "max"
        : this.fail("Expected a step, or min(…) or max(…) of another metric");
    this.at++;
    if (!this.takeSign("(")) this.fail("Expected “(”");
    const bestTag = this.tagArgument();
    this.close();
    return { kind: "metric", tag, stat: "at_best", best, bestTag };
  }

  private argument(): Token {
    const token = this.next;
    if (token.kind !== "name" && token.kind !== "quoted") this.fail("Expected a name");
    this.at++;
    return token;
  }

  private tagArgument(): string {
    const token = this.argument();
    if (this.catalog.tags && !this.isTag(token.text)) this.fail("No run has logged a scalar with this name", token);
    return token.text;
  }

  private close(): void {
    if (!this.takeSign(")")) this.fail("Expected “)”");
  }

  /** A bare word where only a column makes sense. */
  private settle(operand: Operand): Operand {
    if (operand.type !== null) return operand;
    if (this.catalog.tags === null)
      return this.asColumn({ kind: "metric", tag: operand.token.text, stat: "last" }, "number", operand.token);
    throw new QueryError(
      `No hyperparameter, metric or column is named “${operand.token.text}”.`,
      operand.token.from,
      operand.token.to,
    );
  }

  private compare(first: Operand, sign: Token, second: Operand): RunTest {
    const left = first.type === null && second.type === "string" && second.column ? first : this.settle(first);
    const isText = left.type === "string" || sign.text === "~" || sign.text === "!~";
    const right =
      second.type === null && (isText || left.type === "duration")
        ? second
        : second.type === null
          ? this.settle(second)
          : second;
    if (left.type === "missing" || right.type === "missing") {
      if (sign.text !== "==" && sign.text !== "!=") this.fail("Only == and != work with “missing”", sign);
      return missingTest(left.type === "missing" ? right : left, sign.text === "!=");
    }
    if (sign.text === "~" || sign.text === "!~") return this.patternTest(left, right, sign.text === "!~");
    const type = (left.column ? left.type : null) ?? right.type ?? left.type ?? "string";
    if (!SIGNS[type].includes(sign.text))
      this.fail(
        `“${(left.column ? left : right).token.text}” is ${TYPE_WORDS[type]}: use one of ${SIGNS[type].join(" ")}`,
        sign,
      );
    const [a, b] = [this.typed(left, type), this.typed(right, type)];
    const test = COMPARISONS[sign.text] as (a: Cell, b: Cell) => boolean;
    const clean = type === "string" ? String : (cell: Cell): Cell => cell;
    return (run, read) => {
      const [x, y] = [cellOf(a, run, read), cellOf(b, run, read)];
      return x !== null && y !== null && test(clean(x), clean(y));
    };
  }

  /** The operand as a value of this type; throws if it is not one. */
  private typed(operand: Operand, type: QueryType): Operand {
    const { value, token, column } = operand;
    if (operand.type === type || (column && SPANS.has(type) && operand.type === "number")) return operand;
    if (!column) {
      if (type === "string") return { ...operand, type, value: token.text };
      if (type === "time") {
        const ms =
          typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value * 1000 : Number.NaN;
        if (!Number.isNaN(ms)) return { ...operand, type, value: ms / 1000 };
      }
      if (type === "duration") {
        const [, amount, unit = "s"] = /^(\d+(?:\.\d+)?)(s|m|min|h|d)?$/.exec(token.text) ?? [];
        if (amount !== undefined) return { ...operand, type, value: Number(amount) * (UNIT_S[unit] as number) };
      }
    }
    this.fail(`Expected ${TYPE_WORDS[type]}`, token);
  }

  private patternTest(left: Operand, right: Operand, isNegated: boolean): RunTest {
    if (right.column || typeof right.value !== "string") this.fail("Expected a pattern in quotes", right.token);
    let pattern: RegExp;
    try {
      pattern = new RegExp(right.value, "i");
    } catch (cause) {
      const reason = (cause as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/s, "");
      throw new QueryError(`Not a regular expression: ${reason}.`, right.token.from, right.token.to);
    }
    return (run, read) => {
      const cell = cellOf(left, run, read);
      return cell !== null && pattern.test(String(cell)) !== isNegated;
    };
  }

  private membership(left: Operand, isNegated: boolean): RunTest {
    if (left.type !== "number" && left.type !== "string")
      this.fail("“in” works only with numbers and text", left.token);
    if (!this.takeSign("(")) this.fail("Expected “(” and comma-separated values");
    const values = new Set<Cell>();
    do {
      const token = this.next;
      if (!["number", "text", "name", "quoted"].includes(token.kind)) this.fail("Expected a value");
      this.at++;
      const isNumber = token.kind === "number";
      if (left.type === "number" && !isNumber) this.fail("Expected a number", token);
      values.add(left.type === "number" ? Number(token.text) : token.text);
    } while (this.takeSign(","));
    this.close();
    return (run, read) => {
      const cell = cellOf(left, run, read);
      return cell !== null && values.has(left.type === "string" ? String(cell) : cell) !== isNegated;
    };
  }
}

const SPANS: ReadonlySet<QueryType> = new Set(["time", "duration"]);

// Only `missing` matches a missing value: a run without the value matches neither == nor !=.
const COMPARISONS: Readonly<Record<string, (a: Cell, b: Cell) => boolean>> = {
  "==": (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b)),
  "!=": (a, b) => a !== b && !(Number.isNaN(a) && Number.isNaN(b)),
  "<": (a, b) => Number(a) < Number(b),
  "<=": (a, b) => Number(a) <= Number(b),
  ">": (a, b) => Number(a) > Number(b),
  ">=": (a, b) => Number(a) >= Number(b),
};

const cellOf = ({ column, value }: Operand, run: string, read: ReadCell): Cell => (column ? read(column, run) : value);

function missingTest(operand: Operand, isNegated: boolean): RunTest {
  return (run, read) => {
    const cell = cellOf(operand, run, read);
    return (cell === null || cell === "") !== isNegated;
  };
}
