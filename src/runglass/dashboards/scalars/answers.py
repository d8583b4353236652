"""Encodes what was read of scalars: points, lines, summaries, bands and table rows. Knows no routes."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from runglass.api.answers import attachment, encode_csv, json_pieces, number, number_or_none, numbers
from runglass.api.route import COLUMNS, CSV, Answer
from runglass.dashboards.scalars.columns import encode_lines
from runglass.dashboards.scalars.questions import find_unknown
from runglass.dashboards.scalars.shape import (
    BandAnswer,
    Bands,
    LineAnswer,
    Lines,
    LinesBody,
    NearestRow,
    PointsQuery,
    RangeRow,
    RangeStatisticsAnswer,
    Role,
    Selection,
    SummaryAnswer,
    Table,
    TableBody,
)
from runglass.query.source import (
    AxisQuery,
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


def points_answer(columns: Columns, query: PointsQuery) -> Answer:
    if query.format == "csv":
        header = ["wall_time", "step", "value"]
        table: list[NDArray[Any]] = [columns.wall_time, columns.step, columns.value]
        if query.attempts == "all":
            header.append("segment")
            table.append(columns.segment)
        return Answer(encode_csv(header, table), CSV, (attachment(f"{query.run}_{query.tag}.csv"),))
    head = {"run": query.run, "tag": query.tag, "generation": columns.generation, "offset": columns.offset}
    listed = {name: getattr(columns, name) for name in ("step", "wall_time", "value", "segment")}
    return Answer(b"".join(json_pieces(head, listed)))


def read_answer_lines(
    source: DataSource, keys: list[SeriesKey], query: LineQuery, body: LinesBody
) -> tuple[int, list[tuple[Role, Line]]]:
    """The generation of an answer, and its lines."""
    # Taken before reading, so that the client asks again for what changes meanwhile.
    generation = source.generation
    raw: dict[SeriesKey, Line] = {}
    if body.raw and query.smoothing.kind != "none":
        unsmoothed = replace(query, smoothing=Smoothing())
        raw = {line.key: line for line in source.read_lines(keys, unsmoothed)}
    sparing = body.raw_suffices and _is_smoothed_from_points(query)
    wanted = [key for key in keys if not (sparing and key in raw and not raw[key].is_reduced)]
    smoothed = {line.key: line for line in source.read_lines(wanted, query)}
    earlier: dict[SeriesKey, list[Line]] = {}
    # A line of all attempts includes the earlier ones.
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
    return generation, lines


def lines_answer(source: DataSource, keys: list[SeriesKey], query: LineQuery, body: LinesBody) -> Lines:
    generation, lines = read_answer_lines(source, keys, query, body)
    return Lines(generation, [_line_answer(role, line) for role, line in lines], find_unknown(source, body))


def _is_smoothed_from_points(query: LineQuery) -> bool:
    """Whether a smoothed line can be computed from the points of the unsmoothed line alone."""
    is_uncut = query.x == "step" and query.x_range is None and query.x_scale != "log"
    return query.smoothing.kind == "ema" and is_uncut


def _line_answer(role: Role, line: Line) -> LineAnswer:
    return LineAnswer(
        run=line.key.run,
        tag=line.key.tag,
        role=role,
        generation=line.generation,
        total=line.total,
        x=numbers(line.kept_x),
        y=numbers(line.y),
    )


_SUMMARY_FIELDS = [name for name in Summary.__struct_fields__ if name != "key"]

_SUMMARY_FLOATS = {"first", "last", "last_wall_time", "min", "max", "mean"}


def summary_answer(summary: Summary) -> SummaryAnswer:
    values = {name: getattr(summary, name) for name in _SUMMARY_FIELDS}
    for name in _SUMMARY_FLOATS:
        values[name] = number_or_none(values[name])
    return SummaryAnswer(run=summary.key.run, tag=summary.key.tag, **values)


def read_bands_answer(
    source: DataSource,
    wanted: list[tuple[SeriesKey, list[SeriesKey]]],
    query: BandQuery,
    *,
    asked: Selection | None,
) -> Answer | Struct:
    """`wanted`: group and tag as a key, and the series of the group. `asked`: None for columns, which do not say what is unknown."""
    generation = source.generation
    bands = [(key, len(keys), source.read_band(keys, query)) for key, keys in wanted if keys]
    if asked is None:
        lines = [line for key, n, band in bands for line in _band_lines(key, n, band)]
        return Answer(encode_lines(generation, lines), COLUMNS)
    answers = [_band_answer(key, n, band) for key, n, band in bands]
    return Bands(generation, answers, find_unknown(source, asked))


def _band_lines(key: SeriesKey, n: int, band: Band) -> list[tuple[Role, Line]]:
    """Lines with the group's name in place of a run's; `total` is the number of runs."""
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


def read_table_answer(source: DataSource, keys: list[SeriesKey], query: AxisQuery, body: TableBody) -> Table:
    generation = source.generation
    if body.at is not None:
        nearest = source.read_nearest(keys, query, at=body.at)
        return Table(
            generation, [_nearest_row(each, body.at) for each in nearest], find_unknown(source, body)
        )
    assert body.range is not None
    summaries = source.read_range_summaries(keys, query, x_range=body.range)
    return Table(generation, [_range_row(each) for each in summaries], find_unknown(source, body))


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
