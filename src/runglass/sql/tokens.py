"""SQL as tokens, in the part of its grammar that all engines read alike. Knows no table and no engine.

What engines read differently is refused, so that nobody decides on a text that an engine would read in another way.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from runglass.errors import SqlError

TokenKind = Literal["word", "name", "string", "number", "symbol"]
TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f]+|--[^\n]*|/\*(?:(?!/\*).)*?\*/)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<string>'(?:[^'\\]|'')*')
    |(?P<name>"(?:[^"\\]|"")*")
    |(?P<symbol><=|>=|<>|!=|==|\|\||::|->|:=|[-+*/%<>=(),.;\[\]{}:?!&|^~@])""",
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    # word: a keyword or a plain name. name: a name in double quotes.
    kind: TokenKind
    # Of strings and names what is inside the quotes, of all others as written.
    text: str
    # Where it begins and ends in the query.
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.lower() in words

    def is_symbol(self, *symbols: str) -> bool:
        return self.kind == "symbol" and self.text in symbols

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "name")


def read_tokens(query: str) -> list[Token]:
    """Raises SqlError where the text is none that all engines read alike."""
    tokens = []
    at = 0
    while at < len(query):
        match = TOKEN.match(query, at)
        if match is None:
            raise _unreadable(query, at)
        text, start, at = match[0], at, match.end()
        if match["string"] is not None:
            tokens.append(Token("string", text[1:-1].replace("''", "'"), start, at))
        elif match["name"] is not None:
            tokens.append(Token("name", text[1:-1].replace('""', '"'), start, at))
        elif match["word"] is not None:
            # E'\\n' is one token to some engines.
            if query.startswith(("'", '"'), at):
                raise _unreadable(query, start)
            tokens.append(Token("word", text, start, at))
        elif match["number"] is not None:
            # 0xff and 1_000 are one token to some engines.
            if re.match(r"\w", query[at : at + 1]):
                raise _unreadable(query, start)
            tokens.append(Token("number", text, start, at))
        elif match["symbol"] is not None:
            if query.startswith("/*", start):
                raise _unreadable(query, start)
            tokens.append(Token("symbol", text, start, at))
    return tokens


def write_tokens(tokens: list[Token]) -> str:
    """A text without comments that every engine splits into exactly these tokens."""
    parts = []
    before = -1
    for token in tokens:
        parts.append(("" if token.start == before else " ") + _write(token))
        before = token.end
    return "".join(parts).strip()


def _write(token: Token) -> str:
    if token.kind == "string":
        return "'" + token.text.replace("'", "''") + "'"
    if token.kind == "name":
        return '"' + token.text.replace('"', '""') + '"'
    return token.text


def _unreadable(query: str, at: int) -> SqlError:
    line = query.count("\n", 0, at) + 1
    column = at - query.rfind("\n", 0, at)
    found = query[at : at + 12].split("\n")[0]
    what = {
        "'": "a text that does not end",
        '"': "a name that does not end",
        "/": "a comment that does not end",
    }
    reason = what.get(query[at], f"{found!r}, which is not understood here")
    if query[at] in "'\"" and "\\" in query[at:]:
        reason = "a text or name with a backslash, which engines read differently"
    return SqlError(
        f"SQL, line {line}, column {column}: {reason}. Write texts in single quotes ('val/loss', 'it''s') and names in "
        "double quotes.",
        where="query",
    )
