"""A query as ClickHouse may have it: one SELECT that reads tables of the database and nothing else.

ClickHouse has no setting that keeps a query from files: `file('/etc/passwd')` and `into outfile` work even where it may only
read. So what is sent is written anew from tokens, after the tokens were looked at: nothing can hide in how a text is split.
"""

from __future__ import annotations

from collections.abc import Collection

from runglass.errors import SqlError
from runglass.sql.tokens import Token, read_tokens, write_tokens

# Table functions that read nothing from outside.
HARMLESS = frozenset(
    {"numbers", "zeros", "values", "null", "generateseries", "generate_series", "primes", "view"}
)
# Functions that read files or ask servers; also where the engine does not list them.
REACHING = frozenset(
    {
        "file",
        "url",
        "s3",
        "remote",
        "python",
        "executable",
        "eval",
        "dictget",
        "joinget",
        "getserverport",
        "getmacro",
    }
)
REFUSED_WORDS = {
    "outfile": "it would write a file",
    "settings": "settings are fixed",
    "format": "use --format",
}


def make_select(query: str, table_functions: Collection[str]) -> str:
    """The text to send. `table_functions`: those of this engine, by system.table_functions. Raises SqlError."""
    tokens = read_tokens(query)
    while tokens and tokens[-1].is_symbol(";"):
        tokens.pop()
    if not tokens or not tokens[0].is_word("select", "with") or any(token.is_symbol(";") for token in tokens):
        raise SqlError(
            "SQL: expected one SELECT (it may begin with WITH), and nothing after it.", where="query"
        )
    refused = (REACHING | {name.lower() for name in table_functions}) - HARMLESS
    for number, token in enumerate(tokens):
        is_call = number + 1 < len(tokens) and tokens[number + 1].is_symbol("(")
        name = token.text.lower()
        if token.is_name and is_call and (name in refused or name.startswith(("ai", "dictget"))):
            raise SqlError(
                f"SQL, {_place(query, token)}: {token.text}() may not be used here: a query reads the tables of the log, "
                "and no files, servers or programs.",
                where="query",
            )
        if token.kind == "word" and not is_call and name in REFUSED_WORDS and not _is_column(tokens, number):
            raise SqlError(
                f"SQL, {_place(query, token)}: {token.text.upper()} may not be used here: {REFUSED_WORDS[name]}.",
                where="query",
            )
    return write_tokens(tokens)


def _is_column(tokens: list[Token], number: int) -> bool:
    return number > 0 and tokens[number - 1].is_symbol(".")


def _place(query: str, token: Token) -> str:
    line = query.count("\n", 0, token.start) + 1
    return f"line {line}, column {token.start - query.rfind(chr(10), 0, token.start)}"
