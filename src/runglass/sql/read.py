"""`read_sql`: one query over any source. Chooses who answers, and reads no more of the source than the query needs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, Protocol, cast

from runglass.errors import SqlError
from runglass.query.source import Capability, DataSource, SqlRows
from runglass.sql.needs import parse_needs
from runglass.sql.tables import Given, count_series, read_points, read_tables

EngineName = Literal["duckdb", "chdb"]
# By name: the module that answers. The first that is installed is taken.
ENGINES: dict[EngineName, str] = {
    "duckdb": "runglass.sql.duckdb_engine",
    "chdb": "runglass.sql.chdb_engine",
}
NO_LIMIT = (1 << 62) - 1


class Engine(Protocol):
    name: str

    def answer(self, query: str, read: Callable[[], Given], *, limit: int) -> SqlRows:
        """Calls `read` once the query is known to be a SELECT."""
        ...


def read_sql(
    source: DataSource,
    query: str,
    *,
    limit: int | None,
    engine: EngineName | None = None,
    on_note: Callable[[str], None] = lambda note: None,
) -> SqlRows:
    """At most `limit` rows; None for all. `engine`: by default the source's own, else the first that is installed."""
    rows = NO_LIMIT if limit is None else limit
    if Capability.SQL in source.capabilities and engine is None:
        return source.read_sql(query, limit=rows)
    chosen = load_engine(engine)

    def read() -> Given:
        needs = parse_needs(query)
        points = read_points(source, needs) if "points" in needs.tables else None
        if points is not None and points.keys:
            read_series, all_series = len(points.keys), count_series(source)
            on_note(f"Read {len(points.step):,} points of {read_series:,} of {all_series:,} series.")
        return Given(read_tables(source, needs), points)

    return chosen.answer(query, read, limit=rows)


def load_engine(wanted: EngineName | None) -> Engine:
    if wanted is not None and wanted not in ENGINES:
        raise SqlError(f"engine={wanted!r}: expected 'duckdb' or 'chdb'.", where="engine")
    for name in [wanted] if wanted is not None else ENGINES:
        if find_spec(name) is not None:
            # A module is an Engine: it has a name and `answer`.
            return cast(Engine, import_module(ENGINES[name]))
    if wanted is not None:
        raise SqlError(f"{wanted} is not installed: pip install {wanted}.", where="engine")
    raise SqlError(
        "SQL over these logs needs an engine. Install DuckDB: pip install duckdb (or chdb: pip install chdb).",
        where="engine",
    )
