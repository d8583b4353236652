"""Rejects invalid histogram requests. Reads no data."""

from __future__ import annotations

from runglass.dashboards.histograms.shape import SeriesBody
from runglass.errors import BadRequest


def check_body(body: SeriesBody) -> None:
    if body.edges is not None and body.bins is not None:
        raise BadRequest("Give `bins` or `edges`, not both.", where="edges")
    if body.edges is not None and any(a > b for a, b in zip(body.edges, body.edges[1:], strict=False)):
        raise BadRequest("`edges` must ascend.", where="edges")
    if body.x_range is not None:
        low, high = body.x_range
        if not low < high or (body.x_scale == "log" and low <= 0):
            raise BadRequest(
                f"`x_range` is {[low, high]}; it must ascend, and be above 0 on a log axis.", where="x_range"
            )
