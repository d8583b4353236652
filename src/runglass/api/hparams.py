"""The hyperparameters route of the run table. query/hparams/ decides what a run has; here the answer is encoded, once per
generation."""

from __future__ import annotations

import threading
from typing import Literal

from msgspec import Struct

from runglass.api.answers import number
from runglass.api.kept import PerSource, Versioned
from runglass.api.route import Answer, Later, NoParameters, Reply, Route, encode_once
from runglass.query.hparams.columns import make_columns
from runglass.query.hparams.inherit import inherit_hparams
from runglass.query.hparams.model import HParam
from runglass.query.hparams.sessions import SessionReader
from runglass.query.source import DataSource

# Shared by all that ask for sessions. Kept per source, which a route may outlive.
known_sessions: PerSource[SessionReader] = PerSource(SessionReader)


class HParamName(Struct, frozen=True):
    name: str
    # string if the values have several types.
    type: Literal["number", "string", "bool"]
    # The number of distinct values.
    values: int


class HParams(Struct, frozen=True):
    """Runs without hyperparameters are left out."""

    generation: int
    names: list[HParamName]
    runs: dict[str, dict[str, HParam]]


def _answer_value(value: HParam) -> HParam:
    return number(value) if isinstance(value, float) else value


def make_routes() -> tuple[Route, ...]:
    lock = threading.Lock()
    answers: Versioned[None, Answer] = Versioned()

    def make_answer(source: DataSource) -> Answer:
        read = known_sessions.of(source).read(source)
        columns = make_columns(read.sessions, read.experiments)
        inherited = inherit_hparams(read.sessions, source.list_tag_sets()[0])
        runs = {
            run: {name: _answer_value(value) for name, value in hparams.items()}
            for run, hparams in inherited.items()
        }
        names = [
            HParamName(column.name, "string" if column.type == "mixed" else column.type, column.distinct)
            for column in columns
        ]
        return encode_once(HParams(read.generation, names, runs))

    def list_hparams(source: DataSource, query: NoParameters) -> Reply:
        """The hyperparameters of every run; a run without its own inherits those of the directory above it."""

        def work() -> Answer:
            # After a change all pages ask at the same moment; one request does the work.
            with lock:
                return answers.read(None, source.generation, lambda: make_answer(source))

        return Later(work)

    return (Route("/api/hparams", list_hparams, HParams),)
