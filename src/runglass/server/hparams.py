"""The hyperparameters of every run, from the session starts in the logs. Knows no dashboard and no file format."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from runglass.dashboards.route import NoParameters, Reply, Route
from runglass.query.source import DataSource

HParamType = Literal["number", "string", "bool"]


class HParamName(Struct, frozen=True):
    name: str
    # string where values of several types were logged under one name.
    type: HParamType
    # How many distinct values there are.
    values: int


class HParams(Struct, frozen=True):
    """Runs without any are left out."""

    generation: int
    names: list[HParamName]
    runs: dict[str, dict[str, float | str | bool]]


def list_hparams(source: DataSource, query: NoParameters) -> Reply:
    """The hyperparameters of every run; a run without its own has those of the directory above it."""
    raise NotImplementedError


ROUTES = (Route("/api/hparams", list_hparams, HParams),)
