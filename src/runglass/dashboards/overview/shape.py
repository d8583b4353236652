"""What the overview route takes and answers, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.query.goals import Goal

TroubleKind = Literal["nan", "failed", "damaged", "silent", "restarted"]
MAX_METRICS = 8


class MetricChoice(Struct, frozen=True, forbid_unknown_fields=True):
    tag: str
    best: Goal


class OverviewBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    runs: Annotated[list[str] | None, Meta(description="Null: every run.")] = None
    metrics: Annotated[
        list[MetricChoice] | None,
        Meta(description="Null: one that is like an accuracy and one that is like a loss, by their names."),
    ] = None
    baseline: Annotated[str | None, Meta(description="The run that the best ones are compared to.")] = None


class States(Struct, frozen=True):
    # Trainings that log now.
    running: int
    # Trainings that ended as they should.
    finished: int
    # Trainings that have logged nothing for long and did not say that they ended.
    silent: int
    # Trainings that said that they failed.
    failed: int


class Sparkline(Struct, frozen=True):
    """A line reduced to a few pixels: of each, its first, last, lowest and highest point."""

    run: str
    tag: str
    step: list[int]
    value: list[Number]


class RunningAnswer(Struct, frozen=True):
    name: Annotated[str, Meta(description="Of the training.")]
    run: Annotated[str, Meta(description="The part of it that was written to last.")]
    step: int | None
    total_steps: Annotated[
        int | None,
        Meta(description="Of the longest finished run that logs the same metric; null if unknown."),
    ]
    left_s: Annotated[
        float | None,
        Meta(description="Until it has as many steps, at its pace of late; null if unknown."),
    ]
    # A line of its main metric; null without one.
    line: Sparkline | None


class BestAnswer(Struct, frozen=True):
    """The best value of one metric in all runs."""

    tag: str
    best: Goal
    name: Annotated[str, Meta(description="Of the training.")]
    run: str
    value: float
    step: int
    wall_time: Number
    baseline: Annotated[
        float | None, Meta(description="Best value of the baseline; null without one, or if it is the best.")
    ]
    # Whether it is a value of the baseline.
    is_baseline: bool


class TroubleAnswer(Struct, frozen=True):
    kind: TroubleKind
    name: Annotated[str, Meta(description="Of the training.")]
    run: str
    tag: Annotated[str | None, Meta(description="nan: the first series with a value that is not finite.")] = (
        None
    )
    tags: Annotated[int, Meta(description="nan: the number of such series.")] = 0
    step: Annotated[int | None, Meta(description="nan, restarted: where.")] = None
    is_infinite: Annotated[bool, Meta(description="nan: whether that value is an infinity.")] = False
    wall_time: Annotated[Number | None, Meta(description="silent, failed: of the newest value.")] = None
    lost_bytes: Annotated[int, Meta(description="damaged: bytes that could not be read.")] = 0
    skipped_records: int = 0


class NewestAnswer(Struct, frozen=True):
    """The newest value of a series that is an image or a text."""

    run: str
    tag: str
    row: int
    step: int
    wall_time: Number


class OverviewSummary(Struct, frozen=True):
    generation: int
    now: Annotated[float, Meta(description="The server's time, which ages are measured from.")]
    trainings: Annotated[int, Meta(description="A run and its parts, such as `train`, count once.")]
    # How many trainings are in which state.
    states: States
    running: Annotated[list[RunningAnswer], Meta(description="The ones written to last, up to 20.")]
    best: list[BestAnswer]
    trouble: Annotated[list[TroubleAnswer], Meta(description="The worst first, up to 100.")]
    # How many troubles there are, also those that are not listed.
    trouble_count: int
    images: Annotated[list[NewestAnswer], Meta(description="One per series, newest first.")]
    texts: Annotated[list[NewestAnswer], Meta(description="One per series, newest first.")]


class SameTextsBody(Struct, frozen=True, forbid_unknown_fields=True):
    runs: Annotated[list[str] | None, Meta(description="Null: every run.")] = None


class SameText(Struct, frozen=True):
    """Runs whose series of this tag have the same texts at the same steps."""

    tag: str
    runs: list[str]


class SameTexts(Struct, frozen=True):
    generation: int
    texts: Annotated[list[SameText], Meta(description="Of short series only.")]
