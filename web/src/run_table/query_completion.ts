// Suggests what can be typed next in a query: columns, operators, values, keywords. Uses the words before the caret;
// the query may be incomplete. Pure.

import { quoteLabel, quoteName, quoteText, readTokens, type Token } from "../state/runs/query_tokens";
import {
  BUILT_IN,
  type Catalog,
  findBuiltIn,
  FUNCTIONS,
  HAS,
  type Has,
  type QueryType,
  SIGNS,
} from "../state/runs/run_query";
import { RUN_STATS } from "../state/view/view";

export interface QueryOption {
  readonly text: string;
  readonly label: string;
  readonly hint: string;
}

export interface QueryCompletion {
  readonly from: number;
  readonly to: number;
  readonly options: readonly QueryOption[];
  readonly left: number;
}

export interface CompletionCatalog extends Catalog {
  /** The distinct values of a hyperparameter. */
  readonly valuesOf: (hparam: string) => readonly (number | string | boolean)[];
  /** All labels of runs. */
  readonly labels: readonly string[];
}

const MAX_OPTIONS = 40;
const CONNECTIVES = ["and", "or"];

/** `error`: of the whole text. Nothing is suggested after it; if the query is just incomplete, it is at the caret. */
export function completeQuery(
  text: string,
  caret: number,
  catalog: CompletionCatalog,
  error: { readonly from: number; readonly to: number } | null = null,
): QueryCompletion {
  const nothing: QueryCompletion = { from: caret, to: caret, options: [], left: 0 };
  let tokens: Token[];
  try {
    tokens = readTokens(text.slice(0, caret)).slice(0, -1);
  } catch {
    return nothing;
  }
  const last = tokens.at(-1);
  const isTyped =
    last !== undefined && last.to === caret && (last.kind === "name" || last.kind === "number" || last.isOpen === true);
  const before = isTyped ? tokens.slice(0, -1) : tokens;
  const from = isTyped ? last.from : caret;
  if (error && error.from < from && error.to <= from) return nothing;
  const typed = isTyped ? last.text : "";
  const found = choose(optionsAfter(before, catalog), typed);
  // What is already written is not suggested.
  const options = isTyped ? found.filter((option) => option.text.trim() !== text.slice(last.from, caret)) : found;
  return {
    from,
    to: isTyped ? wordEnd(text, last) : caret,
    options: options.slice(0, MAX_OPTIONS),
    left: Math.max(0, options.length - MAX_OPTIONS),
  };
}

/** The rest of the word at the caret is replaced too. */
function wordEnd(text: string, typed: Token): number {
  try {
    return readTokens(text).find((token) => token.from === typed.from)?.to ?? typed.to;
  } catch {
    return typed.to;
  }
}

/** Options that begin with the typed text, then those that contain it. */
function choose(options: readonly QueryOption[], typed: string): QueryOption[] {
  const wanted = typed.toLowerCase();
  if (wanted === "") return [...options];
  const starting: QueryOption[] = [];
  const having: QueryOption[] = [];
  for (const option of options) {
    const at = option.label.toLowerCase().indexOf(wanted);
    if (at === 0) starting.push(option);
    else if (at > 0) having.push(option);
  }
  return [...starting, ...having];
}

const word = (text: string, hint = ""): QueryOption => ({ text: `${text} `, label: text, hint });

function optionsAfter(before: readonly Token[], catalog: CompletionCatalog): QueryOption[] {
  const open = openParenthesis(before);
  const opener = open > 0 ? (before[open - 1] as Token) : null;
  if (opener?.kind === "name" && opener.text.toLowerCase() === "in")
    return valuesFor(operandEndingAt(before, open - 2, catalog), catalog);
  if (opener?.kind === "name" && (FUNCTIONS as readonly string[]).includes(opener.text.toLowerCase())) {
    return argumentOptions(before.slice(open - 1), catalog);
  }
  const last = before.at(-1);
  if (!last || isConnective(last) || isName(last, "not") || isSign(last, "("))
    return [...columnOptions(catalog), word("not", "negation")];
  if (isName(last, "in")) return [word("(")];
  if (isName(last, "is")) return [word("missing"), word("not missing")];
  if (last.kind === "sign" && last.text !== ")")
    return valuesFor(operandEndingAt(before, before.length - 2, catalog), catalog);
  const operand = operandEndingAt(before, before.length - 1, catalog);
  const previous = before[operand.from - 1];
  const isLeft = !previous || isConnective(previous) || isName(previous, "not") || isSign(previous, "(");
  if (!isLeft || !operand.type) return CONNECTIVES.map((each) => word(each));
  const signs = SIGNS[operand.type].map((sign) => word(sign, SIGN_HINTS[sign]));
  return [...signs, word("is missing"), ...(operand.type === "bool" ? CONNECTIVES.map((each) => word(each)) : [])];
}

const SIGN_HINTS: Readonly<Record<string, string>> = {
  "==": "equals",
  "!=": "not equal",
  "~": "matches the pattern",
  "!~": "does not match",
  in: "one of",
};

const HAS_HINTS: Readonly<Record<Has, string>> = {
  nan: "a metric became NaN",
  inf: "a metric became infinite",
  label: "any label",
  note: "a note",
};

const isName = (token: Token, name: string): boolean => token.kind === "name" && token.text.toLowerCase() === name;
const isSign = (token: Token, sign: string): boolean => token.kind === "sign" && token.text === sign;
const isConnective = (token: Token): boolean => isName(token, "and") || isName(token, "or");

/** Index of the innermost parenthesis that is still open; -1 for none. */
function openParenthesis(tokens: readonly Token[]): number {
  let depth = 0;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const token = tokens[i] as Token;
    if (isSign(token, ")")) depth++;
    else if (isSign(token, "(") && depth-- === 0) return i;
  }
  return -1;
}

interface Operand {
  /** Index of its first token. */
  readonly from: number;
  readonly type: QueryType | null;
  readonly hparam: string | null;
}

function operandEndingAt(tokens: readonly Token[], index: number, catalog: Catalog): Operand {
  const token = tokens[index];
  if (!token) return { from: index, type: null, hparam: null };
  if (isSign(token, ")")) {
    const open = openParenthesis(tokens.slice(0, index));
    const isCall = open > 0 && (FUNCTIONS as readonly string[]).includes(tokens[open - 1]?.text.toLowerCase() ?? "");
    if (!isCall) return { from: open, type: null, hparam: null };
    const hparam = isName(tokens[open - 1] as Token, "hparam")
      ? (catalog.hparams.find(({ name }) => name === tokens[open + 1]?.text) ?? null)
      : null;
    return { from: open - 1, type: hparam?.type ?? "number", hparam: hparam?.name ?? null };
  }
  if (token.kind !== "name" && token.kind !== "quoted") return { from: index, type: null, hparam: null };
  if (token.kind === "name" && /^(label|has):/i.test(token.text)) return { from: index, type: "bool", hparam: null };
  const builtIn = findBuiltIn(token);
  const hparam = builtIn ? undefined : catalog.hparams.find(({ name }) => name === token.text);
  return { from: index, type: builtIn?.type ?? hparam?.type ?? "number", hparam: hparam?.name ?? null };
}

function columnOptions({ hparams, tags, labels }: CompletionCatalog): QueryOption[] {
  return [
    ...hparams.map(({ name }) => ({ ...word(quoteName(name), "hyperparameter"), label: name })),
    ...[...(tags ?? [])].map((tag) => ({ ...word(quoteName(tag), "metric, last value"), label: tag })),
    ...Object.entries(BUILT_IN).map(([name, { type }]) => word(name, type === "bool" ? "mark" : "run")),
    ...labels.map((label) => word(`label:${quoteLabel(label)}`, "label")),
    ...HAS.map((has) => word(`has:${has}`, HAS_HINTS[has])),
    ...RUN_STATS.map((stat) => ({ text: `${stat}(`, label: `${stat}(…)`, hint: `${stat} of a metric` })),
    { text: "at(", label: "at(…, step)", hint: "metric at a step, or at the best step of another" },
  ];
}

function argumentOptions(call: readonly Token[], { hparams, tags }: Catalog): QueryOption[] {
  const [called, , ...rest] = call;
  const name = called?.text.toLowerCase();
  if (name === "hparam")
    return rest.length > 0
      ? [word(")")]
      : hparams.map((each) => ({ text: `${quoteName(each.name)})`, label: each.name, hint: "hyperparameter" }));
  if (rest.length === 0)
    return [...(tags ?? [])].map((tag) => ({
      text: `${quoteName(tag)}${name === "at" ? ", " : ") "}`,
      label: tag,
      hint: "metric",
    }));
  if (name !== "at") return [word(")")];
  if (rest.length === 1) return [word(",")];
  return rest.length === 2
    ? ["max", "min"].map((best) => ({
        text: `${best}(`,
        label: `${best}(…)`,
        hint: `where another metric is ${best === "max" ? "highest" : "lowest"}`,
      }))
    : [word(")")];
}

function valuesFor({ type, hparam }: Operand, catalog: CompletionCatalog): QueryOption[] {
  const missing = word("missing", "no value");
  if (type === "bool") return [word("true"), word("false"), missing];
  const values = hparam === null ? [] : catalog.valuesOf(hparam);
  return [
    ...values.map((value) => ({
      text: `${typeof value === "string" ? quoteText(value) : value} `,
      label: String(value),
      hint: hparam ?? "",
    })),
    missing,
  ];
}
