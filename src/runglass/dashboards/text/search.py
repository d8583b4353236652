"""Search through texts of many steps and runs, as a job: reads texts in the server; matching.py searches them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np

from runglass.api.answers import number
from runglass.api.route import Answer
from runglass.api.series import find_series
from runglass.dashboards.text.matching import Search, Value
from runglass.dashboards.text.reading import row_of, to_cells
from runglass.dashboards.text.shape import Found, Hits, SearchBody
from runglass.errors import ValueDamaged
from runglass.jobs.context import Context
from runglass.jobs.job import Job
from runglass.query.patterns import compile_pattern
from runglass.query.source import DataSource, Values
from runglass.store.model import Kind, SeriesKey

# How long POST /api/text/search waits.
TIME_BUDGET_S = 4.0
# One input of the job: large enough to keep the overhead low, small enough to get hits early.
BATCH_VALUES = 200
BATCH_BYTES = 1_000_000
# Beside the largest text, of which several copies exist for a moment, with up to four bytes a character.
MEMORY_BYTES = 128 * 2**20
COPIES = 8


def compile_query(body: SearchBody) -> re.Pattern[str]:
    flags = re.MULTILINE | (0 if body.is_case_sensitive else re.IGNORECASE)
    if not body.is_regex:
        return re.compile(re.escape(body.query), flags)
    return compile_pattern(body.query, flags=flags, where="query")


def identify_texts(source: DataSource, body: SearchBody) -> Any:
    compile_query(body)
    return [(values.key, values.generation) for values in list_series(source, body)]


def estimate_memory_bytes(source: DataSource, body: SearchBody) -> int:
    largest = max((_largest_bytes(values) for values in list_series(source, body)), default=0)
    return MEMORY_BYTES + COPIES * largest


def _largest_bytes(values: Values) -> int:
    return 0 if values.size_bytes is None or not len(values.size_bytes) else int(values.size_bytes.max())


def load_texts(context: Context, source: DataSource, body: SearchBody) -> Iterator[Any]:
    pattern = compile_query(body)
    # Taken before reading, so that the client asks again for what changes meanwhile.
    generation = source.generation
    series = list_series(source, body)
    total = sum(len(values.step) for values in series)
    flags = pattern.flags & (re.IGNORECASE | re.MULTILINE)
    yield Search(pattern.pattern, flags, body.limit, generation, total)
    batch: list[Value] = []
    batch_bytes = 0
    for values in series:
        for indices in _chunks(values):
            context.check()
            for index, value in zip(indices, source.load_values(values, indices), strict=True):
                batch.append(Value(_place(values, index), _cells(values, index, value)))
                batch_bytes += sum(map(len, batch[-1].cells))
            if len(batch) >= BATCH_VALUES or batch_bytes >= BATCH_BYTES:
                yield batch
                batch, batch_bytes = [], 0
    yield batch


def list_series(source: DataSource, body: SearchBody) -> list[Values]:
    tag_set_of, tag_sets = source.list_tag_sets(kind=Kind.TEXT)
    runs = tag_set_of if body.runs is None else [run for run in dict.fromkeys(body.runs) if run in tag_set_of]
    wanted = None if body.tags is None else set(body.tags)
    found = []
    for run in runs:
        for tag in tag_sets[tag_set_of[run]]:
            if wanted is None or tag in wanted:
                values = find_series(source, SeriesKey(run, tag), kind=Kind.TEXT)
                if values is not None:
                    found.append(values)
    return found


def _chunks(values: Values) -> Iterator[list[int]]:
    """Indices of values to load at once, newest first."""
    newest_first = np.arange(len(values.step) - 1, -1, -1)
    sizes = np.zeros(len(newest_first)) if values.size_bytes is None else values.size_bytes[newest_first]
    at = 0
    while at < len(newest_first):
        until = at + max(1, int(np.searchsorted(np.cumsum(sizes[at : at + BATCH_VALUES]), BATCH_BYTES)))
        yield newest_first[at:until].tolist()
        at = until


def _cells(values: Values, index: int, value: Any) -> list[str]:
    # A damaged value cannot match; its card shows the problem.
    if isinstance(value, ValueDamaged):
        return []
    with suppress(ValueDamaged):
        return to_cells(values, index, value)[1]
    return []


def _place(values: Values, index: int) -> dict[str, Any]:
    return {
        "run": values.key.run,
        "tag": values.key.tag,
        "row": row_of(values, index),
        "step": int(values.step[index]),
        "wall_time": number(values.wall_time[index]),
    }


def make_answer(job: Job, body: SearchBody, generation: int) -> Answer | Found:
    """The result, or what was found in the time that POST /api/text/search waits."""
    now = job.snapshot()
    if now.error is not None:
        raise now.error
    if job.result is not None:
        return Answer(job.result.data)
    if body.is_regex:
        stopped = f"The pattern took longer than {TIME_BUDGET_S:g} s, so the search stopped. Try a simpler pattern or fewer runs."
    else:
        stopped = "The search ran out of time."
    hits = [hit for part in job.read_partials()[1] for hit in msgspec.json.decode(part.data, type=Hits).hits]
    return Found(generation, hits, now.done, now.total or 0, stopped)
