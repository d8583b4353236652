"""Sessions that belong together, and their metrics aggregated. Pure; the page does the same on its own columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, sqrt
from typing import TypeVar

import numpy as np
from msgspec import Struct

from runglass.query.hparams.columns import describe_value, is_seed
from runglass.query.hparams.model import HParam

SETTINGS = "settings"
NOTHING = "no hyperparameters"
OTHER = "other"

T = TypeVar("T")


class Aggregate(Struct, frozen=True):
    """Of the finite values; None without any, and no standard error of one."""

    n: int
    mean: float | None = None
    median: float | None = None
    min: float | None = None
    max: float | None = None
    standard_error: float | None = None


def aggregate(values: Iterable[float | None]) -> Aggregate:
    finite = np.array([value for value in values if value is not None and isfinite(value)], np.float64)
    n = len(finite)
    if not n:
        return Aggregate(0)
    # Around the first, so that large numbers that differ little keep their digits; within bounds, whatever rounding does.
    low, high = float(finite.min()), float(finite.max())
    mean = min(max(float(finite[0] + (finite - finite[0]).mean()), low), high)
    error = float(np.std(finite - finite[0], ddof=1)) / sqrt(n) if n > 1 else None
    return Aggregate(n, mean, float(np.median(finite)), low, high, error)


def settings_label(hparams: Mapping[str, HParam]) -> str:
    """All settings but those named like a seed."""
    kept = sorted(f"{name}={describe_value(value)}" for name, value in hparams.items() if not is_seed(name))
    return ", ".join(kept) or NOTHING


def group_rows(
    rows: Sequence[T],
    by: str,
    *,
    hparams: Callable[[T], Mapping[str, HParam]],
    facts: Callable[[T], Mapping[str, HParam]],
) -> list[tuple[str, list[T]]]:
    """Groups with their labels, in the order of their first row.

    `by` is "settings" (equal but for the seed), the name of a hyperparameter, or one of the facts of a row: "group" as declared,
    "status", "host". An empty fact is a missing one.
    """
    is_fact = not any(by in hparams(row) for row in rows)
    groups: dict[object, tuple[str, list[T]]] = {}
    for row in rows:
        values = hparams(row)
        key: object
        if by == SETTINGS:
            label = settings_label(values)
            # Long texts are cut in the label, not in the key.
            key = frozenset((name, _exact(value)) for name, value in values.items() if not is_seed(name))
        else:
            value = (facts(row).get(by) or None) if is_fact else values.get(by)
            label = OTHER if value is None else f"{by}={describe_value(value)}"
            key = None if value is None else _exact(value)
        groups.setdefault(key, (label, []))[1].append(row)
    return list(groups.values())


def _exact(value: HParam) -> tuple[str, str]:
    # True is not 1.0, and NaN equals itself.
    return type(value).__name__, repr(value)
