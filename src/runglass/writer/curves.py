"""Data reduced before it is logged: histograms and precision-recall curves. Pure NumPy; knows no file format."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runglass.errors import BadArgument

BUCKETS = 30
THRESHOLDS = 201


def histogram_buckets(values: ArrayLike, buckets: int = BUCKETS) -> NDArray[np.float64]:
    """Rows of left edge, right edge and count, all of one width from the smallest to the largest value.

    A bucket holds its left edge and not its right one; the last holds both. NaN and infinities have no place between
    two edges and are left out. Without data every row is zero; a single distinct value stands in the last row.
    """
    if buckets < 1:
        raise BadArgument(f"A histogram needs at least one bucket, got {buckets}.")
    data = np.asarray(values, dtype=np.float64).ravel()
    data = data[np.isfinite(data)]
    rows = np.zeros((buckets, 3))
    if not data.size:
        return rows
    low, high = data.min(), data.max()
    # The width of the widest ranges overflows, so those are halved on the way.
    with np.errstate(over="ignore"):
        scale = 1.0 if np.isfinite(high - low) else 0.5
    width = (high * scale - low * scale) / buckets
    if width == 0:
        rows[:, :2] = low
        rows[-1, 1:] = high, data.size
        return rows
    index = np.minimum(((data * scale - low * scale) / width).astype(np.int64), buckets - 1)
    edges = np.linspace(low * scale, high * scale, buckets + 1) / scale
    edges[-1] = high
    rows[:, 0] = edges[:-1]
    rows[:, 1] = edges[1:]
    rows[:, 2] = np.bincount(index, minlength=buckets)
    return rows


def pr_curve_rows(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    thresholds: int = THRESHOLDS,
    weights: ArrayLike | None = None,
) -> NDArray[np.float32]:
    """Six rows over evenly spaced thresholds: TP, FP, TN, FN, precision, recall. Predictions lie in [0, 1]."""
    truth = np.asarray(labels, dtype=bool).ravel()
    scores = np.asarray(predictions, dtype=np.float64).ravel()
    weight = np.ones(scores.size) if weights is None else np.asarray(weights, dtype=np.float64).ravel()
    if not truth.size == scores.size == weight.size:
        raise BadArgument(
            f"A PR curve needs as many labels ({truth.size}) and weights ({weight.size}) as predictions ({scores.size})."
        )
    if thresholds < 2 or not ((scores >= 0) & (scores <= 1)).all():
        raise BadArgument("A PR curve needs at least two thresholds and predictions from 0 to 1.")
    index = np.floor(scores * (thresholds - 1)).astype(np.int64)
    tp = from_threshold_up(index, weight * truth, thresholds)
    fp = from_threshold_up(index, weight * ~truth, thresholds)
    tn = fp[0] - fp
    fn = tp[0] - tp
    precision = tp / np.maximum(1e-7, tp + fp)
    recall = tp / np.maximum(1e-7, tp + fn)
    return np.stack([tp, fp, tn, fn, precision, recall]).astype(np.float32)


def from_threshold_up(index: NDArray[Any], weight: NDArray[Any], thresholds: int) -> NDArray[np.float64]:
    return np.bincount(index, weights=weight, minlength=thresholds)[::-1].cumsum()[::-1]
