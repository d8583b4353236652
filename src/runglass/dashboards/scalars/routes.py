"""The scalars routes: points exactly, lines as drawn, summaries and bands over many runs.

Each is a plain function from a source and its parameters to an answer; HTTP is the server's business.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from runglass.dashboards.answers import attachment, encode_csv, number_or_none, numbers
from runglass.dashboards.route import COLUMNS, CSV, JSON, PARQUET, Answer, Later, Reply, Route
from runglass.dashboards.scalars.columns import encode_lines
from runglass.dashboards.scalars.shape import (
    BandAnswer,
    Bands,
    BandsBody,
    Export,
    ExportBody,
    LineAnswer,
    Lines,
    LinesBody,
    Plot,
    Points,
    PointsQuery,
    Role,
    Selection,
    Summaries,
    SummaryAnswer,
    SummaryBody,
    Table,
    TableBody,
)
from runglass.errors import BadRequest
from runglass.query.source import BandQuery, Columns, DataSource, Line, LineQuery, Smoothing, Summary
from runglass.store.model import Kind, SeriesKey

# Encoding this many points takes about a millisecond, which is what the event loop can spare.
INLINE_POINTS = 4_000
MAX_SERIES = 100_000
# The cost of these smoothings grows with their amount.
MAX_WINDOW_POINTS = 10_000.0


def read_points(source: DataSource, query: PointsQuery) -> Reply:
    """All points of one series, exactly as logged."""
    key = SeriesKey(query.run, query.tag)
    since = None if query.since is None else [query.since]
    (columns,) = source.read_columns([key], attempts=query.attempts, since=since)
    if len(columns.step) > INLINE_POINTS or query.format == "csv":
        return Later(lambda: _points_answer(columns, query))
    return _points_answer(columns, query)


def _points_answer(columns: Columns, query: PointsQuery) -> Answer | Struct:
    if query.format == "csv":
        header = ["wall_time", "step", "value"]
        table: list[NDArray[Any]] = [columns.wall_time, columns.step, columns.value]
        if query.attempts == "all":
            header.append("segment")
            table.append(columns.segment)
        return Answer(encode_csv(header, table), CSV, (attachment(f"{query.run}_{query.tag}.csv"),))
    return Points(
        run=query.run,
        tag=query.tag,
        generation=columns.generation,
        offset=columns.offset,
        step=columns.step.tolist(),
        wall_time=numbers(columns.wall_time),
        value=numbers(columns.value),
        segment=columns.segment.tolist(),
    )


def read_lines(source: DataSource, body: LinesBody) -> Reply:
    """Lines for one chart: smoothed over all points, then reduced to the pixels of the plot."""
    query = _line_query(body)
    keys = _select(source, body)
    return Later(lambda: _lines_answer(source, keys, query, body))


def _lines_answer(
    source: DataSource, keys: list[SeriesKey], query: LineQuery, body: LinesBody
) -> Answer | Struct:
    # Taken before reading: what changes meanwhile is then asked for again rather than missed.
    generation = source.generation
    smoothed = source.read_lines(keys, query)
    raw: dict[SeriesKey, Line] = {}
    if body.raw and query.smoothing.kind != "none" and query.smoothing.amount > 0:
        unsmoothed = replace(query, smoothing=Smoothing())
        raw = {line.key: line for line in source.read_lines(keys, unsmoothed)}
    earlier: dict[SeriesKey, list[Line]] = {}
    # With all attempts in the line itself there is nothing left to add.
    if body.earlier and body.attempts == "latest":
        for line in source.read_earlier_lines(keys, query):
            earlier.setdefault(line.key, []).append(line)
    lines: list[tuple[Role, Line]] = []
    for line in smoothed:
        lines.append(("smoothed", line))
        if line.key in raw:
            lines.append(("raw", raw[line.key]))
        lines += [("earlier", each) for each in earlier.get(line.key, ())]
    if body.format == "columns":
        return Answer(encode_lines(generation, lines), COLUMNS)
    return Lines(generation, [_line_answer(role, line) for role, line in lines])


def _line_answer(role: Role, line: Line) -> LineAnswer:
    return LineAnswer(
        run=line.key.run,
        tag=line.key.tag,
        role=role,
        generation=line.generation,
        total=line.total,
        x=numbers(line.x if line.kept is None else line.x[line.kept]),
        y=numbers(line.y),
    )


def read_summaries(source: DataSource, body: SummaryBody) -> Reply:
    """Exact statistics over all points of every series."""
    keys = _select(source, body)
    return Later(
        lambda: Summaries(
            [_summary_answer(each) for each in source.read_summaries(keys, attempts=body.attempts)]
        )
    )


_SUMMARY_FIELDS = [name for name in Summary.__struct_fields__ if name != "key"]
_SUMMARY_FLOATS = {"first", "last", "last_wall_time", "min", "max", "mean"}


def _summary_answer(summary: Summary) -> SummaryAnswer:
    values = {name: getattr(summary, name) for name in _SUMMARY_FIELDS}
    for name in _SUMMARY_FLOATS:
        values[name] = number_or_none(values[name])
    return SummaryAnswer(run=summary.key.run, tag=summary.key.tag, **values)


def read_bands(source: DataSource, body: BandsBody) -> Reply:
    """For every tag and group of runs, a center line with a spread around it."""
    raise NotImplementedError


def _line_query(body: LinesBody | BandsBody) -> LineQuery:
    smoothing = Smoothing(body.smoothing.kind, body.smoothing.amount)
    limit = {"ema": 1.0, "gaussian": MAX_WINDOW_POINTS, "median": MAX_WINDOW_POINTS}.get(smoothing.kind)
    if limit is not None and smoothing.amount > limit:
        raise BadRequest(
            f"smoothing.amount is {smoothing.amount:g}; {smoothing.kind} takes 0 to {limit:g}.",
            where="smoothing.amount",
        )
    if body.x_range is not None and body.x_range[0] > body.x_range[1]:
        raise BadRequest(
            f"x_range is {list(body.x_range)}; its first number must not be above its second.",
            where="x_range",
        )
    return LineQuery(
        x=body.x,
        smoothing=smoothing,
        attempts=body.attempts,
        x_range=body.x_range,
        x_scale=body.x_scale,
        width=body.width,
    )


def _select(source: DataSource, body: Selection) -> list[SeriesKey]:
    """The series that a body names, each once. By tags and runs: tag by tag, and only those that exist."""
    if body.series is not None:
        if body.runs is not None or body.tags is not None:
            raise BadRequest("Give either `series`, or `tags` with `runs`, not both.", where="series")
        keys = list(dict.fromkeys(SeriesKey(each.run, each.tag) for each in body.series))
    elif body.tags is not None:
        tag_set_of, tag_sets = source.list_tag_sets(kind=Kind.SCALAR)
        runs = (
            tag_set_of if body.runs is None else dict.fromkeys(run for run in body.runs if run in tag_set_of)
        )
        keys = [
            SeriesKey(run, tag)
            for tag in dict.fromkeys(body.tags)
            for run in runs
            if tag in tag_sets[tag_set_of[run]]
        ]
    else:
        raise BadRequest(
            "Name the series: `series` as a list of run and tag, or `tags` with or without `runs`.",
            where="series",
        )
    if len(keys) > MAX_SERIES:
        raise BadRequest(
            f"{len(keys):,} series at once; at most {MAX_SERIES:,} are answered.", where="series"
        )
    return keys


def read_table(source: DataSource, body: TableBody) -> Reply:
    """Values at one x or statistics over a range of x, a row for every series, over all points."""
    raise NotImplementedError


def export(source: DataSource, body: ExportBody) -> Reply:
    """All points of many series as a file."""
    raise NotImplementedError


ROUTES = (
    Route("/api/scalars/points", read_points, Points, query=PointsQuery, media_types=(JSON, CSV)),
    Route("/api/scalars/lines", read_lines, Lines, body=LinesBody, media_types=(COLUMNS, JSON)),
    Route("/api/scalars/summary", read_summaries, Summaries, body=SummaryBody),
    Route("/api/scalars/bands", read_bands, Bands, body=BandsBody, media_types=(COLUMNS, JSON)),
    Route("/api/scalars/table", read_table, Table, body=TableBody),
    Route("/api/scalars/export", export, Export, body=ExportBody, media_types=(CSV, JSON, PARQUET)),
)
