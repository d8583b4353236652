"""The words of hyperparameters: sessions, experiments, and what is wrong with them. Holds no logic."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from runglass.query.states import SessionEnd

HParam = float | str | bool
HParamType = Literal["number", "string", "bool", "mixed"]
# A string with one of these names counts as a number, because JSON sends both alike.
NOT_FINITE = ("NaN", "Infinity", "-Infinity")
# The source of values that were logged, as opposed to those in a file.
RECORD = "record"


class TooMuch(ValueError):
    """Well-formed, but more than any configuration needs. The text is for users."""


class MetricName(Struct, frozen=True, order=True):
    """A scalar of a session. `group` is the path from the session to the run that has it, "" for the session's own run."""

    group: str
    tag: str


class MetricInfo(Struct, frozen=True):
    name: MetricName
    display_name: str = ""
    description: str = ""


class Domain(Struct, frozen=True):
    """What an experiment says that a hyperparameter can be: one of these values, or a number in this interval."""

    values: tuple[HParam, ...] | None = None
    min: float | None = None
    max: float | None = None


class HParamInfo(Struct, frozen=True):
    name: str
    display_name: str = ""
    description: str = ""
    type: HParamType | None = None
    domain: Domain | None = None


class Experiment(Struct, frozen=True):
    run: str
    description: str = ""
    user: str = ""
    time_created: float | None = None
    hparams: tuple[HParamInfo, ...] = ()
    metrics: tuple[MetricInfo, ...] = ()


class Problem(Struct, frozen=True):
    """What could not be read."""

    run: str
    # "" for a record.
    file: str
    message: str


class Session(Struct, frozen=True, gc=False):
    """One training with its hyperparameters: a run, and the runs that belong to it."""

    run: str
    # The run itself, then those below it that are no session of their own.
    members: tuple[str, ...]
    # The members that only hold this session's records and results: what add_hparams of PyTorch writes.
    merged: tuple[str, ...]
    hparams: dict[str, HParam]
    # The files that values come from, by name of the hyperparameter; the others were logged.
    files: dict[str, str]
    # As declared; "" if none was given.
    group: str
    start_time: float | None
    ends: tuple[SessionEnd, ...]
    # Whether its start was logged: then its end is too, unless it was cut off.
    has_start: bool = False


class Sessions(Struct, frozen=True):
    generation: int
    # In the order of their start.
    sessions: list[Session]
    experiments: list[Experiment]
    problems: list[Problem]
