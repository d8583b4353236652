"""Writes positions with all columns as CSV, NPZ or Parquet. Knows how a file is written, not how positions are made."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

from runglass.api.answers import attachment
from runglass.api.blocks import decode_blocks
from runglass.api.route import CSV, PARQUET, Download
from runglass.api.sink import Sink
from runglass.csv_lines import csv_writer
from runglass.dashboards.projector.loaded import Loaded, known_embeddings, logged_columns
from runglass.dashboards.projector.shape import EmbeddingRef, ExportQuery
from runglass.errors import BadRequest
from runglass.jobs.context import Encoded
from runglass.query.embeddings.model import Column
from runglass.query.source import DataSource

NPZ = "application/zip"
BATCH_ROWS = 1 << 14
# NumPy's texts have the width of the longest; beyond this, a column is written as numbers of its different texts.
MAX_TEXT_BYTES = 256 << 20


class _Table:
    """What every format has: names of the dimensions, positions, the rows they belong to, and columns."""

    def __init__(self, loaded: Loaded, result: Encoded, logged: Mapping[str, Column]) -> None:
        try:
            head, blocks = decode_blocks(result.data)
            self.positions = blocks["positions"].reshape(-1, head["dimensions"])
            method = head["method"]
        except (ValueError, KeyError):
            raise BadRequest("This job is not a reduction.", where="job") from None
        self.rows: NDArray[np.int32] = blocks.get("rows", np.arange(len(self.positions), dtype=np.int32))
        if len(self.rows) != len(self.positions) or (len(self.rows) and int(self.rows.max()) >= loaded.rows):
            raise BadRequest("This job is a reduction of other rows.", where="job")
        names = [f"pc{each + 1}" for each in range(10)] if method == "pca" else ["x", "y", "z"]
        self.columns = {**loaded.embedding.metadata.columns, **logged}
        # A column of the user may have such a name too; it keeps it.
        self.names = [free_name(name, self.columns) for name in names[: self.positions.shape[1]]]
        self.row_name = free_name("row", self.columns)


def free_name(name: str, taken: dict[str, Column]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def write_positions(source: DataSource, query: ExportQuery, result: Encoded) -> Download:
    ref = EmbeddingRef(query.run, query.name, query.step, query.file)
    loaded = known_embeddings.of(source).load(source, ref)
    table = _Table(loaded, result, logged_columns(source, loaded))
    match query.format:
        case "csv":
            media_type, pieces = CSV, _csv(table)
        case "npz":
            media_type, pieces = NPZ, _npz(table)
        case _:
            media_type, pieces = PARQUET, _parquet(table)
    name = f"{query.run or 'file'}_{query.name or 'points'}_positions.{query.format}"
    return Download(pieces, media_type, (attachment(name),))


def _csv(table: _Table) -> Iterator[bytes]:
    for start in range(0, max(1, len(table.rows)), BATCH_ROWS):
        text = io.StringIO()
        writer = csv_writer(text)
        if not start:
            writer.writerow([table.row_name, *table.names, *table.columns])
        rows = table.rows[start : start + BATCH_ROWS]
        positions = table.positions[start : start + BATCH_ROWS].astype(np.float64)
        # As short as float32 numbers can be written.
        columns = [[f"{each:.9g}" for each in column] for column in positions.T.tolist()]
        texts = [
            ["" if value is None else value for value in _texts(column, rows)]
            for column in table.columns.values()
        ]
        writer.writerows(zip(rows.tolist(), *columns, *texts, strict=True))
        yield text.getvalue().encode("utf-8", "replace")


def _texts(column: Column, rows: NDArray[np.int32]) -> list[str | None]:
    levels: list[str | None] = [*column.levels, None]
    # -1 is the last of them.
    return [levels[code] for code in column.codes[rows].tolist()]


def _npz(table: _Table) -> Iterator[bytes]:
    sink = Sink()
    with ZipFile(sink, "w", ZIP_STORED) as archive:
        for name, array in _arrays(table):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
            yield sink.take()
    yield sink.take()


def _arrays(table: _Table) -> Iterator[tuple[str, NDArray[Any]]]:
    yield "positions", table.positions
    yield "rows", table.rows
    for name, column in table.columns.items():
        # A path in the zip must stay one name.
        name = "metadata." + name.replace("/", "_").replace("\\", "_")
        if column.numbers is not None:
            yield name, column.numbers[table.rows]
        elif max(map(len, column.levels), default=0) * 4 * len(table.rows) <= MAX_TEXT_BYTES:
            yield name, np.array([value or "" for value in _texts(column, table.rows)], np.str_)
        else:
            yield f"{name}.codes", column.codes[table.rows]
            yield f"{name}.levels", np.array([level[:1_000] for level in column.levels], np.str_)


def _parquet(table: _Table) -> Iterator[bytes]:
    import pyarrow
    import pyarrow.parquet

    arrays = {table.row_name: pyarrow.array(table.rows)}
    for name, values in zip(table.names, table.positions.T, strict=True):
        arrays[name] = pyarrow.array(np.ascontiguousarray(values))
    for name, column in table.columns.items():
        if column.numbers is not None:
            arrays[name] = pyarrow.array(column.numbers[table.rows], from_pandas=True)
        else:
            codes = column.codes[table.rows]
            levels = [level.encode("utf-8", "replace").decode() for level in column.levels]
            arrays[name] = pyarrow.DictionaryArray.from_arrays(
                pyarrow.array(codes, mask=codes < 0), pyarrow.array(levels, pyarrow.string())
            )
    sink = Sink()
    pyarrow.parquet.write_table(pyarrow.table(arrays), sink)
    yield sink.take()
