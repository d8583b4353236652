"""The scalars routes: points exactly, lines as drawn, summaries and bands over many runs.

Each is a plain function from a source and its parameters to an answer; HTTP is the server's business.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from runglass.api.answers import attachment, encode_csv, number, number_or_none, numbers
from runglass.api.route import COLUMNS, CSV, JSON, PARQUET, Answer, Download, Later, Reply, Route
from runglass.dashboards.scalars.columns import encode_lines
from runglass.dashboards.scalars.export import ExportQuery, check_format, write_series
from runglass.dashboards.scalars.questions import (
    axis_query,
    check_count,
    check_range,
    line_query,
    select,
    smoothing_of,
)
from runglass.dashboards.scalars.shape import (
    BandAnswer,
    Bands,
    BandsBody,
    Export,
    ExportBody,
    LineAnswer,
    Lines,
    LinesBody,
    NearestRow,
    Points,
    PointsQuery,
    RangeRow,
    RangeStatisticsAnswer,
    Role,
    Selection,
    Summaries,
    SummaryAnswer,
    SummaryBody,
    Table,
    TableBody,
)
from runglass.errors import BadRequest
from runglass.query.source import (
    Band,
    BandQuery,
    Columns,
    DataSource,
    Floats,
    Line,
    LineQuery,
    Nearest,
    RangeStatistics,
    RangeSummary,
    Smoothing,
    Summary,
)
from runglass.store.model import SeriesKey

# Encoding this many points takes about a millisecond, which is what the event loop can spare.
INLINE_POINTS = 4_000


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
    query = line_query(source, body)
    keys = select(source, body)
    return Later(lambda: _lines_answer(source, keys, query, body))


def _lines_answer(
    source: DataSource, keys: list[SeriesKey], query: LineQuery, body: LinesBody
) -> Answer | Struct:
    # Taken before reading: what changes meanwhile is then asked for again rather than missed.
    generation = source.generation
    raw: dict[SeriesKey, Line] = {}
    if body.raw and query.smoothing.kind != "none":
        unsmoothed = replace(query, smoothing=Smoothing())
        raw = {line.key: line for line in source.read_lines(keys, unsmoothed)}
    sparing = body.raw_suffices and _is_smoothed_from_points(query)
    wanted = [key for key in keys if not (sparing and key in raw and raw[key].kept is None)]
    smoothed = {line.key: line for line in source.read_lines(wanted, query)}
    earlier: dict[SeriesKey, list[Line]] = {}
    # With all attempts in the line itself there is nothing left to add.
    if body.earlier and body.attempts == "latest":
        for line in source.read_earlier_lines(keys, query):
            earlier.setdefault(line.key, []).append(line)
    lines: list[tuple[Role, Line]] = []
    for key in keys:
        if key in smoothed:
            lines.append(("smoothed", smoothed[key]))
        if key in raw:
            lines.append(("raw", raw[key]))
        lines += [("earlier", each) for each in earlier.get(key, ())]
    if body.format == "columns":
        return Answer(encode_lines(generation, lines), COLUMNS)
    return Lines(generation, [_line_answer(role, line) for role, line in lines])


def _is_smoothed_from_points(query: LineQuery) -> bool:
    """Whether the points of a whole line are all that its smoothed line is made of."""
    is_uncut = query.x == "step" and query.x_range is None and query.x_scale != "log"
    return query.smoothing.kind == "ema" and is_uncut


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
    keys = select(source, body)
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
    query = BandQuery(
        **asdict(line_query(source, body)),
        center=body.center,
        spread=body.spread,
        quantile=body.quantile,
        confidence=body.confidence,
    )
    groups: dict[str, list[str]] = {group.name: group.runs for group in body.groups}
    if len(groups) < len(body.groups):
        raise BadRequest("Two groups have the same name.", where="groups")
    check_count(len(body.tags) * len(groups), "groups")
    wanted = [
        (name, tag, select(source, Selection(tags=[tag], runs=runs)))
        for tag in dict.fromkeys(body.tags)
        for name, runs in groups.items()
    ]
    check_count(sum(len(keys) for _, _, keys in wanted), "groups")

    def work() -> Answer | Struct:
        generation = source.generation
        bands = [
            (SeriesKey(name, tag), len(keys), source.read_band(keys, query))
            for name, tag, keys in wanted
            if keys
        ]
        if body.format == "columns":
            lines = [line for key, n, band in bands for line in _band_lines(key, n, band)]
            return Answer(encode_lines(generation, lines), COLUMNS)
        return Bands(generation, [_band_answer(key, n, band) for key, n, band in bands])

    return Later(work)


def _band_lines(key: SeriesKey, n: int, band: Band) -> list[tuple[Role, Line]]:
    """Under the group's name instead of a run's; `total` says how many runs there are."""
    values: list[tuple[Role, Floats]] = [
        ("center", band.center),
        ("low", band.low),
        ("high", band.high),
        ("count", band.count.astype(np.float32)),
    ]
    return [(role, Line(key, 0, n, band.x, None, y)) for role, y in values]


def _band_answer(key: SeriesKey, n: int, band: Band) -> BandAnswer:
    return BandAnswer(
        group=key.run,
        tag=key.tag,
        n=n,
        x=numbers(band.x),
        count=band.count.tolist(),
        center=numbers(band.center),
        low=numbers(band.low),
        high=numbers(band.high),
    )


def read_table(source: DataSource, body: TableBody) -> Reply:
    """Values at one x or statistics over a range of x, a row for every series, over all points."""
    keys = select(source, body)
    if (body.at is None) == (body.range is None):
        raise BadRequest("Give exactly one of `at` and `range`.", where="at")
    check_range(body.range, "range")
    query = axis_query(source, body)

    def work() -> Table:
        generation = source.generation
        if body.at is not None:
            nearest = source.read_nearest(keys, query, at=body.at)
            return Table(generation, [_nearest_row(each, body.at) for each in nearest])
        assert body.range is not None
        summaries = source.read_range_summaries(keys, query, x_range=body.range)
        return Table(generation, [_range_row(each) for each in summaries])

    return Later(work)


def _nearest_row(nearest: Nearest, at: float) -> NearestRow:
    return NearestRow(
        run=nearest.key.run,
        tag=nearest.key.tag,
        x=number(nearest.x),
        step=nearest.step,
        wall_time=number(nearest.wall_time),
        relative=number(nearest.relative),
        value=number(nearest.value),
        smoothed=number(nearest.smoothed),
        is_exact=nearest.x == at,
    )


def _range_row(summary: RangeSummary) -> RangeRow:
    return RangeRow(
        run=summary.key.run,
        tag=summary.key.tag,
        count=summary.count,
        start_step=summary.start_step,
        end_step=summary.end_step,
        smoothed=None
        if summary.smoothed is None
        else RangeStatisticsAnswer(**_range_statistics(summary.smoothed)),
        **_range_statistics(summary.value),
    )


def _range_statistics(known: RangeStatistics) -> dict[str, Any]:
    start, end = known.start, known.end
    delta = end - start if start is not None and end is not None else None
    return {
        "start": number_or_none(start),
        "end": number_or_none(end),
        "delta": number_or_none(delta),
        "delta_ratio": number(delta / abs(start)) if delta is not None and start else None,
        "min": number_or_none(known.min),
        "min_step": known.min_step,
        "max": number_or_none(known.max),
        "max_step": known.max_step,
        "mean": number_or_none(known.mean),
    }


def export(source: DataSource, body: ExportBody) -> Reply:
    """All points of many series as a file."""
    check_format(body.format)
    smoothing = None if body.smoothing is None else smoothing_of(body.smoothing)
    keys = select(source, body)
    if len(keys) == 1:
        # One that is not there is told now, while there is still an answer to tell it in.
        source.read_columns(keys)
    media_type, pieces = write_series(source, keys, ExportQuery(smoothing, body.attempts), body.format)
    tags = {key.tag for key in keys}
    name = tags.pop() if len(tags) == 1 else "scalars"
    return Download(pieces, media_type, (attachment(f"{name}.{body.format}"),))


ROUTES = (
    Route("/api/scalars/points", read_points, Points, query=PointsQuery, media_types=(JSON, CSV)),
    Route("/api/scalars/lines", read_lines, Lines, body=LinesBody, media_types=(COLUMNS, JSON)),
    Route("/api/scalars/summary", read_summaries, Summaries, body=SummaryBody),
    Route("/api/scalars/bands", read_bands, Bands, body=BandsBody, media_types=(COLUMNS, JSON)),
    Route("/api/scalars/table", read_table, Table, body=TableBody),
    Route("/api/scalars/export", export, Export, body=ExportBody, media_types=(CSV, JSON, PARQUET)),
)
