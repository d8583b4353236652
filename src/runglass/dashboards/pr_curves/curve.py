"""One PR curve: parses a logged value, computes rates and scores from its counts, and finds problems. Pure.

A value has six rows (TP, FP, TN, FN, precision, recall) with one column per threshold, evenly spaced from 0 to 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

LOGGED = ("tp", "fp", "tn", "fn", "precision", "recall")
DERIVED = ("tpr", "fpr", "f1")
COLUMNS = ("threshold", *LOGGED, *DERIVED)

# Counts are float32 in the files, so sums of weights are off by about this fraction.
ROUNDING = 1e-4
# Writers divide by at least 1e-7 and round to float32.
AGREEMENT = 1e-3


class Scores(Struct, frozen=True):
    average_precision: float | None = None
    auc: float | None = None
    best_f1: float | None = None
    best_f1_threshold: float | None = None


class Curve(Struct, frozen=True):
    # By the names in COLUMNS; empty if the value is not a curve.
    columns: dict[str, Float64]
    scores: Scores
    problems: list[str]


def parse_curve(value: Any) -> Curve:
    if problem := _misfit(value):
        return no_curve(problem)
    rows = np.asarray(value, np.float64)
    columns = dict(zip(LOGGED, rows, strict=True))
    columns["threshold"] = np.linspace(0.0, 1.0, rows.shape[1])
    columns |= _rates(columns)
    faults = find_faults(columns)
    notes = [] if faults else find_notes(columns)
    return Curve(columns, Scores() if faults else make_scores(columns), [*faults, *notes])


def no_curve(problem: str) -> Curve:
    return Curve({name: np.empty(0) for name in COLUMNS}, Scores(), [problem])


def _misfit(value: Any) -> str:
    """Why the value is not a curve; "" if it is."""
    wanted = "a PR curve has 6 rows (TP, FP, TN, FN, precision, recall) of one number per threshold"
    if not isinstance(value, np.ndarray):
        return f"The value is a {type(value).__name__}; {wanted}."
    if value.dtype.kind not in "fiub":
        return f"The value holds {value.dtype.name}, not numbers; {wanted}."
    if value.ndim != 2 or value.shape[0] != 6 or value.shape[1] == 0:
        return f"The value has shape {value.shape}; {wanted}."
    return ""


def _rates(columns: dict[str, Float64]) -> dict[str, Float64]:
    tp, fp, tn, fn = (columns[name] for name in LOGGED[:4])
    # Undefined rates are NaN; problems explain them where it matters.
    with np.errstate(all="ignore"):
        return {"tpr": tp / (tp + fn), "fpr": fp / (fp + tn), "f1": 2 * tp / (2 * tp + fp + fn)}


def find_faults(columns: dict[str, Float64]) -> list[str]:
    """Problems that make the counts unusable: no scores are computed, and the curve is shown as logged."""
    threshold = columns["threshold"]
    faults = []
    for name in LOGGED:
        odd = np.flatnonzero(~np.isfinite(columns[name]))
        if odd.size:
            faults.append(
                f"{_label(name)} is not a finite number at {_places(odd, threshold)}; the curve has gaps there."
            )
    counts = {name: columns[name] for name in LOGGED[:4]}
    if any(not np.isfinite(each).all() for each in counts.values()):
        return faults
    total = float(max(each.max(initial=0.0) for each in counts.values()))
    for name, each in counts.items():
        below = np.flatnonzero(each < -ROUNDING * total)
        if below.size:
            faults.append(
                f"{_label(name)} is negative at {_places(below, threshold)}; counts cannot be negative."
            )
    for name in ("tp", "fp"):
        rises = np.flatnonzero(np.diff(counts[name]) > ROUNDING * total)
        if rises.size:
            faults.append(
                f"{_label(name)} grows with the threshold after {_places(rises, threshold)}; a higher threshold must not"
                " have more positive predictions."
            )
    for name, sums in (("TP + FN", counts["tp"] + counts["fn"]), ("FP + TN", counts["fp"] + counts["tn"])):
        if np.ptp(sums) > 10 * ROUNDING * total:
            faults.append(
                f"{name} goes from {sums.min():g} to {sums.max():g}; it must be the same at every threshold."
            )
    return faults


def find_notes(columns: dict[str, Float64]) -> list[str]:
    """What a reader of the curve must know, though the counts are valid."""
    tp, fp, tn, fn = (columns[name] for name in LOGGED[:4])
    if not (tp.any() or fp.any() or tn.any() or fn.any()):
        return ["All counts are zero, so there is no curve."]
    notes = []
    if not (tp[0] + fn[0]) > 0:
        notes.append("There are no positive labels: recall, average precision and ROC are undefined.")
    elif not (fp[0] + tn[0]) > 0:
        notes.append("There are no negative labels: precision is always 1 and ROC is undefined.")
    with np.errstate(all="ignore"):
        expected = {"precision": tp / (tp + fp), "recall": tp / (tp + fn)}
    for name, each in expected.items():
        # Writers log 0 where it is undefined.
        differs = np.flatnonzero(np.isfinite(each) & (np.abs(each - columns[name]) > AGREEMENT))
        if differs.size:
            notes.append(
                f"The logged {name} is not what the counts give at {_places(differs, columns['threshold'])}. The chart"
                " shows it as logged; AP, AUC and F1 are computed from the counts."
            )
    return notes


def make_scores(columns: dict[str, Float64]) -> Scores:
    """The counts must have no faults."""
    tp, fp, tn, fn = (columns[name] for name in LOGGED[:4])
    f1 = columns["f1"]
    if not tp[0] + fn[0] > 0:
        return Scores()
    predicted = tp + fp
    precision = np.divide(tp, predicted, out=np.zeros_like(tp), where=predicted > 0)
    recall = np.append(columns["tpr"], 0.0)
    auc = None
    if fp[0] + tn[0] > 0:
        # Above all predictions nothing is positive: the curve ends at the origin.
        x, y = np.append(columns["fpr"], 0.0), recall
        auc = float(np.sum((x[:-1] - x[1:]) * (y[:-1] + y[1:])) / 2)
    best = int(np.nanargmax(f1))
    return Scores(
        average_precision=float(np.sum((recall[:-1] - recall[1:]) * precision)),
        auc=auc,
        best_f1=float(f1[best]),
        best_f1_threshold=float(columns["threshold"][best]),
    )


def _label(name: str) -> str:
    return name.upper() if len(name) == 2 else name.capitalize()


def _places(indices: NDArray[np.intp], threshold: Float64) -> str:
    first = f"threshold {threshold[indices[0]]:.4g}"
    return first if len(indices) == 1 else f"{len(indices)} thresholds, the first {first.split()[1]}"
