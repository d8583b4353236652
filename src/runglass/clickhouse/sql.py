"""Answers a user's SQL in the database: one SELECT over the views, which can change nothing and reach nothing else."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from runglass.clickhouse.client import Client, EngineError
from runglass.clickhouse.native_format import to_text
from runglass.errors import SqlError
from runglass.query.source import SqlRows
from runglass.sql.clickhouse_text import make_select
from runglass.sql.needs import explain
from runglass.sql.tokens import read_tokens

FORMAT = "JSONCompactEachRowWithNamesAndTypes"
SETTINGS = (
    "SETTINGS limit = {limit}, readonly = 1, max_execution_time = 60, prefer_column_name_to_alias = 1, "
    "output_format_json_quote_denormals = 1, output_format_json_quote_64bit_integers = 0, "
    "output_format_json_escape_forward_slashes = 0"
)
NOT_FINITE = {"nan": np.nan, "-nan": np.nan, "inf": np.inf, "-inf": -np.inf}


def answer(client: Client, query: str, *, limit: int) -> SqlRows:
    functions = client.query("SELECT name FROM system.table_functions").texts("name")
    text = make_select(query, functions)
    _refuse_other_databases(client, text)
    version = to_text(client.query("SELECT version() AS v")["v"][0])
    try:
        lines = client.select(f"{text}\n{SETTINGS.format(limit=min(limit + 1, 1 << 62))}", FORMAT)
    except EngineError as error:
        reason = error.message.partition("DB::Exception: ")[2] or error.message
        raise SqlError(f"ClickHouse: {explain(reason)}", where="query") from None
    names, types, *rows = [msgspec.json.decode(line) for line in lines.splitlines() if line.strip()]
    columns = [_column(kind, [row[number] for row in rows[:limit]]) for number, kind in enumerate(types)]
    return SqlRows(names, columns, len(rows) > limit, f"ClickHouse {version}")


def _refuse_other_databases(client: Client, text: str) -> None:
    others = {name.lower() for name in client.query("SELECT name FROM system.databases").texts("name")}
    tokens = read_tokens(text)
    for token, after in pairwise(tokens):
        if token.is_name and token.text.lower() in others and after.is_symbol("."):
            raise SqlError(
                f"SQL: {token.text}.… may not be used here: a query reads the tables of the log, without the name of a database.",
                where="query",
            )


def _column(kind: str, values: list[Any]) -> NDArray[Any]:
    if kind.startswith("Float"):
        return np.array([NOT_FINITE.get(each, each) for each in values], np.float64)
    if kind.startswith(("UInt", "Int")) and kind.lstrip("UInt") in ("8", "16", "32", "64"):
        return np.array(values, np.uint64 if kind == "UInt64" else np.int64)
    if kind == "Bool":
        return np.array(values, np.bool_)
    made = np.empty(len(values), object)
    is_float = kind.startswith("Nullable(Float")
    made[:] = [NOT_FINITE.get(each, each) if is_float and isinstance(each, str) else each for each in values]
    return made
