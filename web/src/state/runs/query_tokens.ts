// The tokens of the query language of the run table: names, numbers, texts, operators. Does not know the grammar. Pure.

export type TokenKind = "name" | "quoted" | "number" | "text" | "sign" | "end";

export interface Token {
  readonly kind: TokenKind;
  /** Without quotes and escapes. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** An unclosed quote. */
  readonly isOpen?: boolean;
}

export class QueryError extends Error {
  override name = "QueryError";
  constructor(
    message: string,
    readonly from: number,
    readonly to: number,
  ) {
    super(message);
  }
}

/** For users; "" without an error. */
export function queryProblem(error: Pick<QueryError, "from" | "message"> | null): string {
  return error ? `At character ${error.from + 1}: ${error.message}` : "";
}

const BLANK = /\s+/y;
// A number ends where no name continues: `10k_loss` and `0/loss` are names.
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\p{L}\p{N}_./:@%#])/iuy;
const NAME = /[\p{L}\p{N}_][\p{L}\p{N}_./:@%#-]*/uy;
const SIGN = /==|!=|<=|>=|!~|[<>=~(),]/y;
const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "{": "}" };

/** Throws at an unexpected character. An unclosed quote is allowed: the parser reports it, completion accepts it. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  const add = (kind: TokenKind, length: number, meant: string, isOpen = false): void => {
    tokens.push({ kind, text: meant, from: at, to: at + length, ...(isOpen && { isOpen }) });
    at += length;
  };
  for (;;) {
    at += take(BLANK)?.length ?? 0;
    const char = text[at];
    if (char === undefined) break;
    const closing = CLOSING[char];
    if (closing) {
      const { length, meant, isOpen } = readQuoted(text, at, closing);
      add(char === '"' || char === "'" ? "text" : "quoted", length, meant, isOpen);
      continue;
    }
    const [number, name, sign] = [take(NUMBER), take(NAME), take(SIGN)];
    if (number !== null) add("number", number.length, number);
    else if (name !== null) add("name", name.length, name);
    else if (sign !== null) add("sign", sign.length, sign === "=" ? "==" : sign);
    else
      throw new QueryError(
        `Unexpected “${char}”. Put names with special characters in backticks: \`a b\`.`,
        at,
        at + 1,
      );
  }
  add("end", 0, "");
  return tokens;
}

function readQuoted(text: string, from: number, closing: string): { length: number; meant: string; isOpen: boolean } {
  let meant = "";
  for (let i = from + 1; i < text.length; i++) {
    const char = text[i] as string;
    // Only the quote and the backslash itself need an escape: patterns keep their backslashes.
    if (char === "\\" && (text[i + 1] === closing || text[i + 1] === "\\")) meant += text[++i];
    else if (char === closing) return { length: i + 1 - from, meant, isOpen: false };
    else meant += char;
  }
  return { length: text.length - from, meant, isOpen: true };
}

const KEYWORDS = new Set(["and", "or", "not", "in", "is", "missing", "true", "false", "nan", "inf"]);
export const isKeyword = (name: string): boolean => KEYWORDS.has(name.toLowerCase());

/** A name as a query writes it: in backticks if it could be something else. */
export function quoteName(name: string): string {
  NAME.lastIndex = 0;
  NUMBER.lastIndex = 0;
  const isPlain = NAME.exec(name)?.[0] === name && !isKeyword(name) && NUMBER.exec(name) === null;
  return isPlain ? name : `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

export const quoteText = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** A label as it follows `label:` in a query. */
export const quoteLabel = (label: string): string => (/^[\p{L}\p{N}_.-]+$/u.test(label) ? label : quoteText(label));
