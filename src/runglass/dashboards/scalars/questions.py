"""From what a body says to what the seam is asked: which series, over which axis, how smoothed. Refuses what makes no sense."""

from __future__ import annotations

from runglass.dashboards.scalars.shape import BandsBody, LinesBody, Selection, SmoothingChoice
from runglass.errors import BadRequest
from runglass.query.source import DataSource, LineQuery, Smoothing
from runglass.store.model import Kind, SeriesKey

MAX_SERIES = 100_000
# The cost of these smoothings grows with their amount.
MAX_WINDOW_POINTS = 10_000.0


def line_query(body: LinesBody | BandsBody) -> LineQuery:
    check_range(body.x_range, "x_range")
    return LineQuery(
        x=body.x,
        smoothing=smoothing_of(body.smoothing),
        attempts=body.attempts,
        x_range=body.x_range,
        x_scale=body.x_scale,
        width=body.width,
    )


def smoothing_of(choice: SmoothingChoice) -> Smoothing:
    limit = {"ema": 1.0, "gaussian": MAX_WINDOW_POINTS, "median": MAX_WINDOW_POINTS}.get(choice.kind)
    if limit is not None and choice.amount > limit:
        raise BadRequest(
            f"smoothing.amount is {choice.amount:g}; {choice.kind} takes 0 to {limit:g}.",
            where="smoothing.amount",
        )
    # An amount of 0 smooths nothing, whatever the kind.
    return Smoothing(choice.kind, choice.amount) if choice.amount > 0 else Smoothing()


def check_range(given: tuple[float, float] | None, name: str) -> None:
    if given is not None and given[0] > given[1]:
        raise BadRequest(
            f"{name} is {list(given)}; its first number must not be above its second.", where=name
        )


def select(source: DataSource, body: Selection) -> list[SeriesKey]:
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
    check_count(len(keys), "series")
    return keys


def check_count(series: int, where: str) -> None:
    if series > MAX_SERIES:
        raise BadRequest(f"{series:,} series at once; at most {MAX_SERIES:,} are answered.", where=where)
