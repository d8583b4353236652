"""The steps at which a series has values, of any kind: for the sliders and the cursor of the page.

Knows no dashboard and reads no values.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from runglass.api.answers import Number, little_endian, numbers, pack_columns
from runglass.api.checks import check_count
from runglass.api.route import COLUMNS, JSON, Answer, Later, Reply, Route
from runglass.api.series import SeriesRef, find_series, row_numbers
from runglass.query.source import DataSource, Values
from runglass.store.model import Attempts, Kind

MAX_SERIES = 10_000


class StepsBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    kind: Kind
    series: list[SeriesRef]
    attempts: Annotated[
        Attempts, Meta(description="latest: without values that a restart overwrote. all: every value.")
    ] = "latest"
    format: Literal["json", "columns"] = "json"


class StepsAnswer(Struct, frozen=True):
    run: str
    tag: str
    generation: int
    row: Annotated[list[int], Meta(description="Index of each value among all values of the series.")]
    step: list[int]
    wall_time: list[Number]
    size_bytes: Annotated[
        list[int] | None,
        Meta(description="Size of each stored value; null for scalars, which are kept as columns."),
    ]


class Steps(Struct, frozen=True):
    """Unknown series are left out: a run may vanish between listing and asking."""

    generation: int
    series: list[StepsAnswer]


def read_steps(source: DataSource, body: StepsBody) -> Reply:
    """The steps at which each series has values, and their rows."""
    check_count(len(body.series), MAX_SERIES, what="series", where="series")
    return Later(lambda: _steps_answer(source, body))


def _steps_answer(source: DataSource, body: StepsBody) -> Answer | Struct:
    generation = source.generation
    found = [
        (values, row_numbers(values).astype(np.uint32))
        for ref in body.series
        if (values := find_series(source, ref.key, kind=body.kind, attempts=body.attempts)) is not None
    ]
    if body.format == "columns":
        return _encode_columns(generation, found)
    return Steps(
        generation,
        [
            StepsAnswer(
                run=values.key.run,
                tag=values.key.tag,
                generation=values.generation,
                row=rows.tolist(),
                step=values.step.tolist(),
                wall_time=numbers(values.wall_time),
                size_bytes=None if values.size_bytes is None else values.size_bytes.tolist(),
            )
            for values, rows in found
        ],
    )


def _encode_columns(generation: int, found: list[tuple[Values, NDArray[np.uint32]]]) -> Answer:
    """Three blocks per series: step and wall time as float64, row as uint32."""
    head = {
        "version": 1,
        "generation": generation,
        "series": [
            {
                "run": values.key.run,
                "tag": values.key.tag,
                "generation": values.generation,
                "count": len(rows),
            }
            for values, rows in found
        ],
    }
    blocks: list[NDArray[np.generic]] = []
    for values, rows in found:
        blocks += [
            little_endian(values.step.astype(np.float64)),
            little_endian(values.wall_time),
            little_endian(rows),
        ]
    return Answer(pack_columns(head, blocks), COLUMNS)


ROUTES = (Route("/api/steps", read_steps, Steps, body=StepsBody, media_types=(JSON, COLUMNS)),)
