"""Converts x to positions on a linear, log or symlog axis, and back. Pure; knows no pixels and no series."""

from __future__ import annotations

import numpy as np

from runglass.native import reduce
from runglass.query.source import Float64, XScale


def on_axis(x: Float64, scale: XScale) -> Float64:
    """Positions on the axis, ascending with x. On a log axis, -Inf or NaN for x <= 0."""
    return x if scale == "linear" else reduce.places_on_axis(x, scale)


def from_axis(place: Float64, scale: XScale) -> Float64:
    """The x at positions; the inverse of `on_axis`."""
    if scale == "linear":
        return place
    with np.errstate(all="ignore"):
        if scale == "log":
            return np.exp(place)
        x: Float64 = np.copysign(np.expm1(np.abs(place)), place)
        return x


def range_on_axis(x_range: tuple[float, float], scale: XScale) -> tuple[float, float]:
    """A range of x as positions; on a log axis, x <= 0 is -Inf."""
    if scale == "linear":
        return x_range
    lo, hi = on_axis(
        np.maximum(x_range, 0.0) if scale == "log" else np.array(x_range, np.float64), scale
    ).tolist()
    return lo, hi
