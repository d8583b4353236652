"""What `runglass query` does once its logs are open: answers the query and writes the rows where they are wanted."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable

from runglass.errors import BadRequest, RunglassError
from runglass.query.source import DataSource
from runglass.sql.read import read_sql
from runglass.sql.table import SqlTable

TABLE_ROWS = 100
FILE_ROWS = 1_000_000
ENDINGS = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".pq": "parquet", ".txt": "table"}


def run_query(source: DataSource, args: argparse.Namespace, *, on_note: Callable[[str], None]) -> None:
    """`args` are those of flags/query.py."""
    form = choose_format(args.format, args.output)
    if form == "parquet" and args.output is None and sys.stdout.isatty():
        raise BadRequest(
            "A Parquet file is nothing to look at. Name one: --output rows.parquet.", where="output"
        )
    query = sys.stdin.read() if args.query == "-" else args.query
    limit = args.limit if args.limit is not None else TABLE_ROWS if form == "table" else FILE_ROWS
    notes: list[str] = []
    rows = read_sql(source, query, limit=limit or None, engine=args.engine, on_note=notes.append)
    table = SqlTable(rows)
    write(table, form, args.output)
    for note in [*notes, f"{table.engine} answered with {len(table):,} row{'' if len(table) == 1 else 's'}."]:
        on_note(note)
    if table.is_cut:
        on_note(f"There are more rows: this is where --limit {limit} ends. --limit 0 gives all.")


def choose_format(form: str | None, output: str | None) -> str:
    if form is not None:
        return form
    if output is None:
        return "table"
    ending = os.path.splitext(output)[1].lower()
    if ending not in ENDINGS:
        raise BadRequest(
            f"--output {output!r}: the ending says no format. Add one: --format csv, json, parquet or table.",
            where="output",
        )
    return ENDINGS[ending]


def write(table: SqlTable, form: str, output: str | None) -> None:
    data = encode(table, form)
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        with open(output, "wb") as file:
            file.write(data)
    except OSError as error:
        raise RunglassError(
            f"--output {output!r} cannot be written: {error.strerror}. Choose another place.", where="output"
        ) from None


def encode(table: SqlTable, form: str) -> bytes:
    if form == "parquet":
        raw = io.BytesIO()
        table.to_parquet(raw)
        return raw.getvalue()
    if form == "json":
        return table.to_json() + b"\n"
    if form == "table":
        return table.to_text().encode("utf-8", "replace")
    text = io.StringIO()
    table.to_csv(text)
    return text.getvalue().encode("utf-8", "surrogateescape")
