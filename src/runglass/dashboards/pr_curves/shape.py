"""What the PR curves route takes and answers, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.samples import SampleQuery
from runglass.api.series import Missed


class CurvesBody(Struct, frozen=True, forbid_unknown_fields=True):
    series: Annotated[
        list[SampleQuery],
        Meta(description="One value each. The answer leaves out values that do not exist (any more)."),
    ]
    format: Annotated[
        Literal["json", "columns", "csv"],
        Meta(description="columns: float64 blocks per curve, in the order of the JSON form."),
    ] = "json"


class CurveScores(Struct, frozen=True):
    """Scores of a whole curve; null where they are undefined."""

    average_precision: Annotated[
        Number | None,
        Meta(description="Sum of precision times the drop in recall at the next threshold."),
    ]
    auc: Annotated[Number | None, Meta(description="Area under the ROC curve, by the trapezoidal rule.")]
    # The largest F1 of all thresholds.
    best_f1: Number | None
    # The threshold that has it.
    best_f1_threshold: Number | None


class CurveAnswer(Struct, frozen=True):
    """One entry per threshold, from 0 to 1. Precision and recall are as logged, the rest is computed from the counts."""

    run: str
    tag: str
    row: int
    step: int
    wall_time: Number
    problems: Annotated[
        list[str],
        Meta(description="Problems of the logged value. Without columns, the value could not be read."),
    ]
    # Scores of the whole curve.
    scores: CurveScores
    threshold: list[Number]
    tp: list[Number]
    fp: list[Number]
    tn: list[Number]
    fn: list[Number]
    precision: list[Number]
    recall: list[Number]
    tpr: Annotated[list[Number], Meta(description="TP / (TP + FN); NaN without positives.")]
    fpr: Annotated[list[Number], Meta(description="FP / (FP + TN); NaN without negatives.")]
    f1: Annotated[list[Number], Meta(description="2 TP / (2 TP + FP + FN); NaN if all are 0.")]


class Curves(Struct, frozen=True, omit_defaults=True):
    curves: list[CurveAnswer]
    unknown: Missed = None
