"""What a query hands out: rows to look at, to convert and to write to files."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from html import escape
from os import PathLike
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from runglass.csv_lines import csv_writer
from runglass.log_values import count, need, read_only
from runglass.query.source import SqlRows
from runglass.visible import make_one_line

# Of one cell on a terminal or in a notebook.
CELL_CHARACTERS = 60
NOTEBOOK_ROWS = 20


class SqlTable:
    """The rows of a query, in columns. Iterating gives tuples; `to_pandas()` and the like convert.

    >>> table = log.sql("select run, min(value) as best from points where tag = 'loss' group by run")
    >>> for run, best in table:
    ...     print(run, best)
    """

    def __init__(self, rows: SqlRows) -> None:
        self.names = _unique(rows.names)
        self.columns = [read_only(column) for column in rows.columns]
        # Whether there are more rows than were asked for.
        self.is_cut = rows.is_cut
        # What answered.
        self.engine = rows.engine

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(column.tolist() for column in self.columns), strict=True)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """One column by its name."""
        if name not in self.names:
            raise KeyError(f"{name!r}: there is no such column. The columns are {', '.join(self.names)}.")
        return self.columns[self.names.index(name)]

    def __repr__(self) -> str:
        more = ", cut: there are more" if self.is_cut else ""
        return f"<SqlTable {', '.join(self.names)}: {count(len(self), 'row')}{more}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.names)
        cells = zip(*(_cells(column[:NOTEBOOK_ROWS]) for column in self.columns), strict=True)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in cells)
        note = f"<p>{count(len(self), 'row')}{', and more' if self.is_cut else ''}</p>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """The columns by name.

        >>> log.sql("select run, count(*) as points from points group by run").to_numpy()["points"].sum()
        """
        return dict(zip(self.names, self.columns, strict=True))

    def to_pandas(self) -> Any:
        """A pandas DataFrame.

        >>> log.sql("select * from runs").to_pandas().sort_values("points")
        """
        return need("pandas", "to_pandas()").DataFrame(
            {name: column.copy() for name, column in self.to_numpy().items()}
        )

    def to_polars(self) -> Any:
        """A polars DataFrame.

        >>> log.sql("select * from runs").to_polars().sort("points")
        """
        polars = need("polars", "to_polars()")
        return polars.DataFrame(
            {
                name: polars.Series(name, column.tolist(), strict=False)
                for name, column in self.to_numpy().items()
            }
        )

    def to_arrow(self) -> Any:
        """A pyarrow Table.

        >>> log.sql("select * from runs").to_arrow().schema
        """
        pyarrow = need("pyarrow", "to_arrow()")
        return pyarrow.table({name: _arrow(pyarrow, column) for name, column in self.to_numpy().items()})

    def to_csv(self, file: str | PathLike[str] | IO[str] | None = None) -> None:
        """Write CSV with full precision to a path or an open text file (standard output by default).

        >>> log.sql("select * from runs").to_csv("runs.csv")
        """
        if isinstance(file, (str, PathLike)):
            with open(file, "w", newline="", encoding="utf-8") as opened:
                self.to_csv(opened)
            return
        writer = csv_writer(sys.stdout if file is None else file)
        writer.writerow(self.names)
        writer.writerows(self)

    def to_json(self) -> bytes:
        """A JSON array with an object for each row. NaN and infinities are texts, as in the HTTP API.

        >>> log.sql("select run, points from runs").to_json()
        """
        rows = [dict(zip(self.names, map(_plain, row), strict=True)) for row in self]
        return msgspec.json.encode(rows)

    def to_parquet(self, file: str | PathLike[str] | IO[bytes]) -> None:
        """Write a Parquet file; needs pyarrow.

        >>> log.sql("select * from points where tag = 'loss'").to_parquet("loss.parquet")
        """
        table = self.to_arrow()
        need("pyarrow", "to_parquet()", "pyarrow.parquet").write_table(table, file)

    def to_text(self) -> str:
        """Aligned columns for a terminal; numbers with ten digits. CSV and the others have all digits.

        >>> print(log.sql("select * from runs").to_text())
        """
        cells = [_cells(column) for column in self.columns]
        titles = [make_one_line(name)[:CELL_CHARACTERS] for name in self.names]
        widths = [max(map(len, [title, *column])) for title, column in zip(titles, cells, strict=True)]
        is_number = [column.dtype.kind in "iuf" for column in self.columns]
        lines = io.StringIO()
        for row in [titles, ["─" * width for width in widths], *zip(*cells, strict=True)]:
            padded = [
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, is_number, strict=True)
            ]
            lines.write("  ".join(padded).rstrip() + "\n")
        return lines.getvalue()


def _cells(column: NDArray[Any]) -> list[str]:
    return [_cell(value) for value in column.tolist()]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = make_one_line(str(value))
    return text if len(text) <= CELL_CHARACTERS else text[: CELL_CHARACTERS - 1] + "…"


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not np.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return value


def _arrow(pyarrow: Any, column: NDArray[Any]) -> Any:
    return pyarrow.array(column if column.dtype.kind in "biuf" else column.tolist())


def _unique(names: list[str]) -> list[str]:
    """Columns are found by name, so no two may have the same."""
    made: list[str] = []
    for name in names:
        number, unused = 1, name
        while unused in made:
            number += 1
            unused = f"{name}_{number}"
        made.append(unused)
    return made
