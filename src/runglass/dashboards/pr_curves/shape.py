"""What the PR curve route is asked and what it answers, as types; the OpenAPI document is made from these."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.samples import SampleQuery


class CurvesBody(Struct, frozen=True, forbid_unknown_fields=True):
    series: Annotated[
        list[SampleQuery],
        Meta(description="One value each. What is not there (any more) is left out of the answer."),
    ]
    format: Annotated[
        Literal["json", "columns", "csv"],
        Meta(
            description="columns: for each curve its columns as float64 blocks in the order of the JSON form."
        ),
    ] = "json"


class CurveScores(Struct, frozen=True):
    """What one number says about a whole curve; null where the counts allow none."""

    average_precision: Annotated[
        Number | None,
        Meta(description="Sum of precision times the recall that is lost at the next threshold."),
    ]
    auc: Annotated[Number | None, Meta(description="Area below the ROC curve, by trapezoids.")]
    best_f1: Number | None
    best_f1_threshold: Number | None


class CurveAnswer(Struct, frozen=True):
    """One column each for every threshold, from 0 to 1. Precision and recall as logged, the rest from the counts."""

    run: str
    tag: str
    row: int
    step: int
    wall_time: Number
    problems: Annotated[
        list[str],
        Meta(
            description="What is wrong with the logged value, in words. Without columns it could not be read."
        ),
    ]
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
    f1: Annotated[list[Number], Meta(description="2 TP / (2 TP + FP + FN); NaN where all are 0.")]


class Curves(Struct, frozen=True):
    curves: list[CurveAnswer]
