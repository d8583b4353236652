"""Searches texts of many steps and runs within limits of time and bytes. The answer is what was found by then."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from runglass.api.answers import number
from runglass.api.series import find_series
from runglass.dashboards.text import pattern_process
from runglass.dashboards.text.pattern_process import MAX_COUNT, find_places
from runglass.dashboards.text.reading import load_cells, row_of
from runglass.dashboards.text.shape import Found, Hit, SearchBody
from runglass.errors import BadRequest, ValueDamaged
from runglass.query.source import DataSource, Values
from runglass.store.model import Kind, SeriesKey

TIME_BUDGET_S = 4.0
READ_BUDGET_BYTES = 512 * 2**20
# Texts sent to the process at once: enough to keep the overhead low, few enough to get hits early.
BATCH_VALUES = 200
BATCH_CHARACTERS = 1_000_000
BEFORE_CHARACTERS = 24
EXCERPT_CHARACTERS = 220

Places = tuple[int, list[tuple[int, int]]]


class _Loaded(Struct):
    """One loaded cell of one value."""

    values: Values
    index: int
    cell: int
    text: str


class OutOfTime(Exception):
    """The pattern was still running at the deadline."""


def search(source: DataSource, body: SearchBody, *, time_budget_s: float = TIME_BUDGET_S) -> Found:
    pattern = compile_query(body)
    # Taken before reading, so that the client asks again for what changes meanwhile.
    generation = source.generation
    series = list_series(source, body)
    total = sum(len(values.step) for values in series)
    deadline = monotonic() + time_budget_s
    hits: dict[tuple[SeriesKey, int], Hit] = {}
    searched = 0
    stopped = None
    with Matcher(pattern, is_risky=body.is_regex, deadline=deadline) as matcher:
        for batch, values_read, stop in _batches(source, series, deadline):
            try:
                found = matcher.find([loaded.text for loaded in batch])
            except OutOfTime:
                stopped = f"The pattern took longer than {time_budget_s:g} s, so the search stopped. Try a simpler pattern or fewer runs."
                break
            searched += values_read
            stopped = stop
            _note(hits, batch, found)
            if len(hits) >= body.limit:
                if searched < total or len(hits) > body.limit:
                    stopped = f"More than {body.limit:,} values match; these are the first."
                break
    return Found(generation, list(hits.values())[: body.limit], searched, total, stopped)


def compile_query(body: SearchBody) -> re.Pattern[str]:
    flags = re.MULTILINE | (0 if body.is_case_sensitive else re.IGNORECASE)
    try:
        return re.compile(body.query if body.is_regex else re.escape(body.query), flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadRequest(f"This is not a regular expression: {error}.", where="query") from None


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


def _batches(
    source: DataSource, series: list[Values], deadline: float
) -> Iterator[tuple[list[_Loaded], int, str | None]]:
    """Cells in the order of the answer, the number of their values, and why the search stops after them, if it does."""
    batch: list[_Loaded] = []
    values_read = characters = bytes_read = 0
    for values in series:
        for index in range(len(values.step) - 1, -1, -1):
            # A damaged value cannot match; its card shows the problem.
            with suppress(ValueDamaged):
                _, cells = load_cells(source, values, index)
                batch += [_Loaded(values, index, at, cell) for at, cell in enumerate(cells) if cell]
                size = sum(map(len, cells))
                characters += size
                bytes_read += size
            values_read += 1
            if monotonic() > deadline:
                yield batch, values_read, "The search ran out of time."
                return
            if bytes_read > READ_BUDGET_BYTES:
                yield batch, values_read, f"The search stopped after {READ_BUDGET_BYTES >> 20} MiB."
                return
            if values_read >= BATCH_VALUES or characters >= BATCH_CHARACTERS:
                yield batch, values_read, None
                batch, values_read, characters = [], 0, 0
    yield batch, values_read, None


def _note(hits: dict[tuple[SeriesKey, int], Hit], batch: list[_Loaded], found: list[Places]) -> None:
    for loaded, (count, places) in zip(batch, found, strict=True):
        if not count:
            continue
        values, index = loaded.values, loaded.index
        key = values.key, index
        if before := hits.get(key):
            hits[key] = replace(before, count=min(before.count + count, MAX_COUNT))
            continue
        excerpt, matches = make_excerpt(loaded.text, places)
        hits[key] = Hit(
            run=values.key.run,
            tag=values.key.tag,
            row=row_of(values, index),
            step=int(values.step[index]),
            wall_time=number(values.wall_time[index]),
            cell=loaded.cell,
            excerpt=excerpt,
            matches=matches,
            count=count,
        )


def make_excerpt(text: str, places: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text around the first match on one line, and the spans of the matches in it."""
    start = max(0, places[0][0] - BEFORE_CHARACTERS)
    end = min(len(text), start + EXCERPT_CHARACTERS)
    # One character for one, so that spans stay valid.
    excerpt = re.sub(r"\s", " ", text[start:end])
    matches = [(max(at, start) - start, min(to, end) - start) for at, to in places if at < end]
    return excerpt, matches


class Matcher:
    """Matches texts until the deadline; a pattern from the user runs in a process that can be killed."""

    def __init__(self, pattern: re.Pattern[str], *, is_risky: bool, deadline: float) -> None:
        self._pattern = pattern
        self._process: subprocess.Popen[str] | None = None
        if not is_risky:
            return
        program = Path(pattern_process.__file__)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise BadRequest(
                f"Regular expressions need a process, which cannot be started: {error.strerror}. Search for plain text.",
                where="is_regex",
            ) from None
        self._timer = threading.Timer(max(0.0, deadline - monotonic()), self._process.kill)
        self._timer.start()
        with suppress(OSError):
            self._send([pattern.pattern, pattern.flags & (re.IGNORECASE | re.MULTILINE)])

    def __enter__(self) -> Matcher:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None:
            return
        self._timer.cancel()
        self._process.kill()
        # Closing the pipe fails if the process had not read everything.
        with suppress(OSError), self._process:
            pass

    def find(self, texts: list[str]) -> list[Places]:
        if self._process is None:
            return [find_places(self._pattern, text) for text in texts]
        try:
            self._send(texts)
            assert self._process.stdout is not None
            answer = self._process.stdout.readline()
        except OSError:
            answer = ""
        if not answer:
            raise OutOfTime
        return [(count, [(at, to) for at, to in places]) for count, places in json.loads(answer)]

    def _send(self, message: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
