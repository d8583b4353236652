"""Answers SQL with chdb: ClickHouse inside this process. It copies the columns and may only read them.

There is one chdb in a process: where a chdb database is open, this one cannot be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chdb
import numpy as np
import pyarrow
from numpy.typing import NDArray

from runglass.errors import SqlError
from runglass.query.source import SqlRows
from runglass.sql.clickhouse_text import make_select
from runglass.sql.needs import explain
from runglass.sql.tables import ColumnType, Given, Points

TYPES: dict[ColumnType, str] = {
    "text": "String",
    "int": "Int64",
    "float": "Nullable(Float64)",
    "bool": "Bool",
}
ARROW: dict[ColumnType, Any] = {
    "text": pyarrow.string(),
    "int": pyarrow.int64(),
    "float": pyarrow.float64(),
    "bool": pyarrow.bool_(),
}
POINTS = "number Int32, step Int64, wall_time Float64, value Float64, overwritten Bool"

name = f"chdb {chdb.__version__}"


def answer(query: str, read: Callable[[], Given], *, limit: int) -> SqlRows:
    try:
        connection = chdb.connect(":memory:")
    except Exception as error:
        raise SqlError(
            f"chdb cannot start here: {_reason(error)} A process has one chdb. Install DuckDB for SQL over other logs: "
            "pip install duckdb.",
            where="query",
        ) from None
    try:
        return _answer(connection, query, read, limit)
    finally:
        # Everything in memory goes with it.
        connection.close()


def _answer(connection: Any, query: str, read: Callable[[], Given], limit: int) -> SqlRows:
    functions = connection.query("select name from system.table_functions", "ArrowTable")
    text = make_select(query, functions.column("name").to_pylist())
    given = read()
    for table in given.tables:
        columns = {
            column: pyarrow.array(values.tolist(), ARROW[kind])
            for column, (kind, values) in table.columns.items()
        }
        kinds = ", ".join(f"{column} {TYPES[kind]}" for column, (kind, _) in table.columns.items())
        _fill(connection, table.name, kinds, columns)
    if given.points is not None:
        _add_points(connection, given.points)
    # The setting keeps the order and the names, unlike a SELECT around the query.
    connection.query(f"set limit = {limit + 1}, prefer_column_name_to_alias = 1, readonly = 1")
    try:
        made = connection.query(text, "ArrowTable")
    except Exception as error:
        raise SqlError(f"{name}: {explain(_reason(error))}", where="query") from None
    rows = [_column(column)[:limit] for column in made.columns]
    return SqlRows(list(made.column_names), rows, made.num_rows > limit, name)


def _add_points(connection: Any, points: Points) -> None:
    keys = {
        "number": pyarrow.array(np.arange(len(points.keys), dtype=np.int32)),
        "run": pyarrow.array([key.run for key in points.keys], pyarrow.string()),
        "tag": pyarrow.array([key.tag for key in points.keys], pyarrow.string()),
    }
    _fill(connection, "_keys", "number Int32, run String, tag String", keys)
    rows = {
        "number": pyarrow.array(points.number),
        "step": pyarrow.array(points.step),
        "wall_time": pyarrow.array(points.wall_time),
        "value": pyarrow.array(points.value),
        "overwritten": pyarrow.array(points.overwritten),
    }
    _fill(connection, "_points", POINTS, rows)
    connection.query(
        "create view points as select k.run as run, k.tag as tag, p.step as step, p.wall_time as wall_time, "
        "p.value as value, p.overwritten as overwritten from _points as p join _keys as k on p.number = k.number"
    )


def _fill(connection: Any, table: str, kinds: str, given: dict[str, Any]) -> None:
    rows = pyarrow.table(given)
    connection.query(f"create table {table} ({kinds}) engine = Memory")
    if rows.num_rows:
        # chdb finds the variable by its name in this function.
        connection.query(f"insert into {table} select * from Python(rows)")


def _reason(error: Exception) -> str:
    reason = str(error).partition("DB::Exception: ")[2] or str(error)
    return reason.partition(" (version ")[0].strip()


def _column(column: Any) -> NDArray[Any]:
    kind = column.type
    is_number = (
        pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_boolean(kind)
    )
    if is_number and not column.null_count:
        return np.asarray(column.to_numpy())
    if pyarrow.types.is_decimal(kind):
        column = column.cast(pyarrow.float64())
    made = np.empty(len(column), object)
    made[:] = column.to_pylist()
    return made
