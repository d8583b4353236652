"""Rejects invalid distribution requests. Reads no data."""

from __future__ import annotations

from math import isfinite

from runglass.api.checks import check_count, check_range
from runglass.dashboards.distributions.shape import DistributionsBody
from runglass.errors import BadRequest

MAX_SERIES = 1_000

MAX_PERCENTILES = 101


def check_body(body: DistributionsBody) -> None:
    check_count(len(body.series), MAX_SERIES, what="series", where="series")
    if body.format == "csv" and len(body.series) != 1:
        raise BadRequest(
            f"csv needs exactly one series; this request has {len(body.series)}.", where="series"
        )
    given = body.percentiles
    if not 1 <= len(given) <= MAX_PERCENTILES:
        raise BadRequest(f"Give 1 to {MAX_PERCENTILES} percentiles.", where="percentiles")
    if not all(isfinite(q) and 0 <= q <= 100 for q in given) or list(given) != sorted(set(given)):
        raise BadRequest(
            "percentiles must be numbers from 0 to 100 in ascending order, each once.",
            where="percentiles",
        )
    check_range(body.x_range, where="x_range")
