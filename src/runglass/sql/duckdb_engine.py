"""Answers SQL with DuckDB, which reads the columns where they are and may touch nothing else.

The connection is closed to files, network, extensions and the variables of this program before it sees the query, and its settings
are locked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from runglass.errors import SqlError
from runglass.query.source import SqlRows
from runglass.sql.needs import explain
from runglass.sql.tables import ColumnType, Given, Points, Table

CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
    # Nothing is written to disk: a query that does not fit into memory fails.
    "temp_directory": "",
}
LOCKS = ("set enable_external_access = false", "set lock_configuration = true")
TYPES: dict[ColumnType, str] = {"text": "varchar", "int": "bigint", "float": "double", "bool": "boolean"}
# Types that come as arrays without loss. Of the others, decimals become floats and large integers go through text.
PLAIN = {
    *(
        "BOOLEAN",
        "VARCHAR",
        "BLOB",
        "FLOAT",
        "DOUBLE",
        "DATE",
        "TIMESTAMP",
        "TIMESTAMP WITH TIME ZONE",
        '"NULL"',
        "NULL",
    ),
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
}
LARGE = ("HUGEINT", "UHUGEINT", "BIGNUM")

name = f"DuckDB {duckdb.__version__}"


def answer(query: str, read: Callable[[], Given], *, limit: int) -> SqlRows:
    with duckdb.connect(":memory:", config=CONFIG) as connection:
        try:
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise SqlError(f"SQL: expected one SELECT, found {_found(statements)}.", where="query")
            given = read()
            for table in given.tables:
                _add_table(connection, table)
            if given.points is not None:
                _add_points(connection, given.points)
            for lock in LOCKS:
                connection.execute(lock)
            return _select(connection, query, limit)
        except duckdb.Error as error:
            raise SqlError(f"{name}: {explain(str(error).strip())}", where="query") from None


def _add_table(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    # Floats go as texts: in an array NaN would become NULL.
    given = {
        column: _texts([None if each is None else repr(each) for each in values])
        if kind == "float"
        else values
        for column, (kind, values) in table.columns.items()
    }
    connection.register("given", given)
    columns = ", ".join(
        f'"{column}"::{TYPES[kind]} as "{column}"' for column, (kind, _) in table.columns.items()
    )
    connection.execute(f'create table "{table.name}" as select {columns} from given')
    connection.unregister("given")


def _add_points(connection: duckdb.DuckDBPyConnection, points: Points) -> None:
    """A join instead of a column of names for each point: ten million names are ten million Python objects."""
    keys = {
        "number": np.arange(len(points.keys), dtype=np.int32),
        "run": _texts([key.run for key in points.keys]),
        "tag": _texts([key.tag for key in points.keys]),
    }
    connection.register("given", keys)
    connection.execute(
        'create table " keys" as select number, run::varchar as run, tag::varchar as tag from given'
    )
    connection.unregister("given")
    rows = {
        "number": points.number,
        "step": points.step,
        "wall_time": points.wall_time,
        "value": points.value,
        "overwritten": points.overwritten,
    }
    connection.register(" points", rows)
    connection.execute(
        # DuckDB reads NaN in arrays as NULL. No point has a value that is NULL, so what is NULL was NaN.
        "create view points as select run, tag, step, coalesce(wall_time, 'nan'::double) as wall_time, "
        "coalesce(value, 'nan'::double) as value, overwritten "
        'from " points" join " keys" using (number)'
    )


def _texts(texts: Sequence[Any]) -> NDArray[Any]:
    made = np.empty(len(texts), object)
    made[:] = texts
    return made


def _select(connection: duckdb.DuckDBPyConnection, query: str, limit: int) -> SqlRows:
    relation = connection.sql(query)
    if relation is None:
        raise SqlError("SQL: this statement has no rows. Write a SELECT.", where="query")
    types = [str(each) for each in relation.types]
    chosen = ", ".join(f"{_cast(place, kind)} as c{place}" for place, kind in enumerate(types, 1))
    arrays = relation.limit(limit + 1).project(chosen).fetchnumpy()
    columns = [_column(arrays[f"c{place}"], kind) for place, kind in enumerate(types, 1)]
    is_cut = bool(columns) and len(columns[0]) > limit
    return SqlRows(list(relation.columns), [each[:limit] for each in columns], is_cut, name)


def _found(statements: Sequence[Any]) -> str:
    if len(statements) > 1:
        return f"{len(statements)} statements"
    return f"{statements[0].type.name}" if statements else "nothing"


def _cast(place: int, kind: str) -> str:
    if kind in PLAIN or kind.endswith("]") or kind.startswith(("STRUCT", "MAP")):
        return f"#{place}"
    if kind.startswith("DECIMAL"):
        return f"#{place}::double"
    return f"#{place}::varchar"


def _column(array: Any, kind: str) -> NDArray[Any]:
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.ma.getdata(array) if missing is not None else np.asarray(array)
    is_plain = values.dtype.kind in "biuf" and (missing is None or not missing.any())
    if is_plain:
        return values
    objects = [each.tolist() if isinstance(each, np.ndarray) else each for each in values.astype(object)]
    if missing is not None:
        objects = [None if is_none else each for each, is_none in zip(objects, missing, strict=True)]
    if kind in LARGE:
        numbers = [None if each is None else int(each) for each in objects]
        if numbers and all(each is not None and abs(each) < 1 << 62 for each in numbers):
            return np.array(numbers, np.int64)
        objects = numbers
    return _texts(objects)
