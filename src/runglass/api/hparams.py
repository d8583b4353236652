"""The hyperparameters route of the run table. query/hparams/ decides what a run has; here the answer is encoded, once per
generation."""

from __future__ import annotations

import threading
from math import isfinite
from typing import Literal

from msgspec import Struct

from runglass.api.answers import number
from runglass.api.kept import PerSource, Versioned
from runglass.api.route import Answer, Later, NoParameters, Reply, Route, encode_once
from runglass.query.hparams.columns import HParamColumn
from runglass.query.hparams.inherit import inherit_hparams
from runglass.query.hparams.model import HParam
from runglass.query.hparams.sessions import SessionReader
from runglass.query.source import DataSource

# Shared by all that ask for sessions. Kept per source, which a route may outlive.
known_sessions: PerSource[SessionReader] = PerSource(SessionReader)


class HParamName(Struct, frozen=True):
    # Of the hyperparameter.
    name: str
    # string if the values have several types.
    type: Literal["number", "string", "bool"]
    # The number of distinct values.
    values: int


class HParams(Struct, frozen=True):
    """Runs without hyperparameters are left out."""

    generation: int
    # Every hyperparameter that some run has.
    names: list[HParamName]
    # The hyperparameters of each run by name; runs without any are left out.
    runs: dict[str, dict[str, HParam]]
    # Runs that only hold the records of another one, which add_hparams wrote there.
    merged: dict[str, str]


def _has_odd(column: HParamColumn) -> bool:
    """Whether it has numbers that are not finite, which JSON does not know."""
    return any(type(value) is float and not isfinite(value) for value in column.values)


def _answer_values(hparams: dict[str, HParam], odd: list[str]) -> dict[str, HParam]:
    changed = {name: number(value) for name in odd if isinstance(value := hparams.get(name), float)}
    return {**hparams, **changed} if changed else hparams


def make_routes() -> tuple[Route, ...]:
    lock = threading.Lock()
    answers: Versioned[None, Answer] = Versioned()

    def make_answer(source: DataSource) -> Answer:
        read, columns = known_sessions.of(source).read_columns(source)
        runs = inherit_hparams(read.sessions, source.list_tag_sets()[0])
        odd = [column.name for column in columns if _has_odd(column)]
        if odd:
            runs = {run: _answer_values(hparams, odd) for run, hparams in runs.items()}
        names = [
            HParamName(column.name, "string" if column.type == "mixed" else column.type, column.distinct)
            for column in columns
        ]
        merged = {run: session.run for session in read.sessions for run in session.merged}
        return encode_once(HParams(read.generation, names, dict(runs), merged))

    def list_hparams(source: DataSource, query: NoParameters) -> Reply:
        """The hyperparameters of every run; a run without its own inherits those of the directory above it."""

        def work() -> Answer:
            # After a change all pages ask at the same moment; one request does the work.
            with lock:
                return answers.read(None, source.generation, lambda: make_answer(source))

        # Here and not in a thread: all pages ask after each change.
        return answers.find(None, source.generation) or Later(work)

    return (Route("/api/hparams", list_hparams, HParams),)
