"""Labels and predictions counted into precision-recall curves before they are logged. Knows no file format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from runglass.errors import BadArgument
from runglass.writer.values.arrays import to_count, to_numpy, to_real

THRESHOLDS = 201
# Far more than anyone can draw, and still only some megabytes.
MOST_THRESHOLDS = 100_000
# How far float32 sums of probabilities stray past 0 and 1.
ROUNDING = 1e-5


def pr_curve_rows(
    labels: ArrayLike,
    predictions: ArrayLike,
    *,
    thresholds: int = THRESHOLDS,
    weights: ArrayLike | None = None,
    what: str = "A PR curve",
) -> NDArray[np.float32]:
    """Six rows over evenly spaced thresholds: TP, FP, TN, FN, precision, recall. Predictions range from 0 to 1."""
    truth = to_real(labels, f"{what}: labels").ravel()
    scores = to_real(predictions, f"{what}: predictions").ravel().astype(np.float64)
    weight = (
        np.ones(scores.size)
        if weights is None
        else to_real(weights, f"{what}: weights").ravel().astype(np.float64)
    )
    if weight.size == 1:
        weight = np.full(scores.size, weight[0])
    if not truth.size == scores.size == weight.size:
        beside = "" if weights is None else f" and weights ({weight.size})"
        raise BadArgument(
            f"{what} needs as many labels ({truth.size}){beside} as predictions ({scores.size})."
        )
    thresholds = to_count(thresholds, f"{what}: num_thresholds", least=2, most=MOST_THRESHOLDS)
    if not np.isin(truth, (0, 1)).all():
        raise BadArgument(f"{what} needs labels that are 0 or 1, or true or false.", where="labels")
    if not ((weight >= 0) & (weight < np.inf)).all():
        raise BadArgument(f"{what} needs weights that are finite and not negative.", where="weights")
    if not ((scores >= -ROUNDING) & (scores <= 1 + ROUNDING)).all():
        raise BadArgument(
            f"{what} needs predictions from 0 to 1. Pass them through a sigmoid or softmax first.",
            where="predictions",
        )
    truth = truth.astype(bool)
    index = np.floor(scores.clip(0, 1) * (thresholds - 1)).astype(np.int64)
    tp = from_threshold_up(index, weight * truth, thresholds)
    fp = from_threshold_up(index, weight * ~truth, thresholds)
    tn = fp[0] - fp
    fn = tp[0] - tp
    precision = tp / np.maximum(1e-7, tp + fp)
    recall = tp / np.maximum(1e-7, tp + fn)
    return np.stack([tp, fp, tn, fn, precision, recall]).astype(np.float32)


def check_not_empty(predictions: object, what: str) -> None:
    if to_numpy(predictions, f"{what}: predictions").size == 0:
        raise BadArgument(f"{what}: there are no predictions.", where="predictions")


def counted_rows(named_rows: Mapping[str, object], what: str) -> NDArray[np.float32]:
    """The same six rows from counts of the caller, one per threshold."""
    rows = {name: to_real(value, f"{what}: {name}").ravel() for name, value in named_rows.items()}
    sizes = {name: row.size for name, row in rows.items()}
    if len(set(sizes.values())) != 1 or 0 in sizes.values():
        raise BadArgument(f"{what} needs one value per threshold in each, got {sizes}.")
    return np.stack(list(rows.values())).astype(np.float32)


def from_threshold_up(index: NDArray[Any], weight: NDArray[Any], thresholds: int) -> NDArray[np.float64]:
    return np.bincount(index, weights=weight, minlength=thresholds)[::-1].cumsum()[::-1]
