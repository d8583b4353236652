"""Search over columns: every different text is looked at once. Regular expressions are a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.api.blocks import blocks_answer
from runglass.api.matching import Batch, split_texts
from runglass.api.pattern_jobs import read_matches
from runglass.api.route import Answer
from runglass.dashboards.projector.loaded import Loaded, identify, known_embeddings
from runglass.dashboards.projector.shape import PointMatches, PointSearchBody, SearchMode
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.query.embeddings.model import Column
from runglass.query.patterns import compile_pattern
from runglass.query.source import DataSource


def find_rows(loaded: Loaded, q: str, mode: SearchMode, column: str | None) -> NDArray[np.int32]:
    """Rows whose text contains `q` in any case, or is exactly that."""
    matched: dict[str, NDArray[np.int64]] = {}
    wanted = q.casefold()
    for each in _columns(loaded, column):
        if mode == "exact":
            numbers = [number for number, level in enumerate(each.levels) if level == q]
        else:
            numbers = [number for number, level in enumerate(loaded.lowered(each)) if wanted in level]
        matched[each.name] = np.array(numbers, np.int64)
    return rows_of(loaded, matched)


def rows_of(loaded: Loaded, matched: Mapping[str, NDArray[np.integer[Any]]]) -> NDArray[np.int32]:
    """The rows that have one of these texts, by column."""
    found = np.zeros(loaded.rows, np.bool_)
    for name, numbers in matched.items():
        column = loaded.column(name)
        # The last one is for rows without a value, whose code is -1.
        is_match = np.zeros(len(column.levels) + 1, np.bool_)
        is_match[numbers] = True
        found |= is_match[column.codes]
    return np.flatnonzero(found).astype(np.int32)


def make_answer(rows: NDArray[np.int32], limit: int | None) -> Answer:
    return blocks_answer(PointMatches(len(rows)), {"rows": rows[:limit]})


def _columns(loaded: Loaded, column: str | None) -> list[Column]:
    return list(loaded.embedding.metadata.columns.values()) if column is None else [loaded.column(column)]


# --- the job


def identify_texts(source: DataSource, body: PointSearchBody) -> Any:
    compile_pattern(body.q)
    return identify(source, body.embedding)


def load_texts(context: Context, source: DataSource, body: PointSearchBody) -> Iterator[Batch]:
    loaded = known_embeddings.of(source).load(source, body.embedding)
    for column in _columns(loaded, body.column):
        yield from split_texts(context, column.name, column.levels, body.q)


def answer_pattern(source: DataSource, body: PointSearchBody, job: Job) -> Answer:
    matches = read_matches(job)
    loaded = known_embeddings.of(source).load(source, body.embedding)
    return make_answer(rows_of(loaded, matches), body.limit)
