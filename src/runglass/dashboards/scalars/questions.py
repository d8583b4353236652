"""Turns request bodies into queries of a source: which series, on which axis, how smoothed. Rejects invalid requests."""

from __future__ import annotations

import math

from msgspec.structs import asdict

from runglass.api.checks import check_count, check_range
from runglass.api.series import Unknown
from runglass.dashboards.scalars.shape import (
    BandsBody,
    LinesBody,
    Plot,
    Selection,
    SmoothingChoice,
)
from runglass.errors import BadRequest
from runglass.query.expressions import is_expression, needed_tags
from runglass.query.source import AxisQuery, DataSource, LineQuery, Smoothing
from runglass.store.model import Kind, SeriesKey

MAX_SERIES = 100_000
# The cost of gaussian and median smoothing grows with the amount.
MAX_WINDOW_POINTS = 10_000.0


def line_query(source: DataSource, body: LinesBody | BandsBody) -> LineQuery:
    check_range(body.x_range, where="x_range")
    return LineQuery(
        **asdict(axis_query(source, body)),
        x_range=body.x_range,
        x_scale=body.x_scale,
        width=body.width,
    )


def axis_query(source: DataSource, body: Plot | BandsBody) -> AxisQuery:
    needed_tags(body.x, source.list_tag_sets(kind=Kind.SCALAR)[1], where="x")
    return AxisQuery(x=body.x, smoothing=smoothing_of(body.smoothing), attempts=body.attempts)


def smoothing_of(choice: SmoothingChoice) -> Smoothing:
    # With a weight of 1 for the past, an average would never see a value.
    limits = {"ema": math.nextafter(1, 0), "gaussian": MAX_WINDOW_POINTS, "median": MAX_WINDOW_POINTS}
    limit = limits.get(choice.kind)
    if limit is not None and choice.amount > limit:
        allowed = "0 to below 1" if choice.kind == "ema" else f"0 to {limit:g}"
        raise BadRequest(
            f"smoothing.amount is {choice.amount:g}; {choice.kind} takes {allowed}.",
            where="smoothing.amount",
        )
    # An amount of 0 means no smoothing.
    return Smoothing(choice.kind, choice.amount) if choice.amount > 0 else Smoothing()


def select(source: DataSource, body: Selection) -> list[SeriesKey]:
    """The series that a body names, each once. By tags and runs: ordered by tag, existing series only."""
    if body.series is not None:
        if body.runs is not None or body.tags is not None:
            raise BadRequest("Give either `series`, or `tags` with `runs`, not both.", where="series")
        keys = list(dict.fromkeys(each.key for each in body.series))
        for tag in {key.tag for key in keys if is_expression(key.tag)}:
            needed_tags(tag, source.list_tag_sets(kind=Kind.SCALAR)[1])
    elif body.tags is not None:
        tag_set_of, tag_sets = source.list_tag_sets(kind=Kind.SCALAR)
        runs = (
            tag_set_of if body.runs is None else dict.fromkeys(run for run in body.runs if run in tag_set_of)
        )
        keys = []
        for tag in dict.fromkeys(body.tags):
            needed = needed_tags(tag, tag_sets)
            has_tag = [all(each in tags for each in needed) for tags in tag_sets]
            if any(has_tag):
                keys += [SeriesKey(run, tag) for run in runs if has_tag[tag_set_of[run]]]
                check_series_count(len(keys), "series")
    else:
        raise BadRequest(
            "Name the series: `series` as a list of run and tag, or `tags` with or without `runs`.",
            where="series",
        )
    check_series_count(len(keys), "series")
    return keys


def find_unknown(source: DataSource, body: Selection) -> Unknown | None:
    """What a selection names that is not there; None if all is there."""
    tag_set_of, tag_sets = source.list_tag_sets(kind=Kind.SCALAR)

    def has(number: int | None, tag: str) -> bool:
        return number is not None and all(each in tag_sets[number] for each in needed_tags(tag, tag_sets))

    if body.series is not None:
        series = [each for each in body.series if not has(tag_set_of.get(each.run), each.tag)]
        return Unknown(series=series) if series else None
    runs = dict.fromkeys(tag_set_of if body.runs is None else body.runs)
    numbers = {tag_set_of[run] for run in runs if run in tag_set_of}
    missing = [run for run in runs if run not in tag_set_of]
    tags = [tag for tag in dict.fromkeys(body.tags or ()) if not any(has(number, tag) for number in numbers)]
    return Unknown(runs=missing, tags=tags) if missing or tags else None


def check_series_count(count: int, where: str) -> None:
    check_count(count, MAX_SERIES, what="series", where=where)
