"""The hyperparameters route. query/hparams.py decides what a run has; here the answer is encoded, once per generation."""

from __future__ import annotations

import threading
from functools import partial

from msgspec import Struct

from runglass.api.answers import number
from runglass.api.kept import Versioned
from runglass.api.route import Answer, Later, NoParameters, Reply, Route, encode_once
from runglass.query.hparams import HParam, HParamName, describe_hparams, inherit_hparams, load_hparams
from runglass.query.source import DataSource
from runglass.store.model import Kind, SeriesKey


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
    by_series: Versioned[SeriesKey, dict[str, HParam]] = Versioned()

    def read_own(source: DataSource) -> dict[str, dict[str, HParam]]:
        """What each run logged itself. Loads only series that have changed."""
        own: dict[str, dict[str, HParam]] = {}
        listed = source.list_series(kind=Kind.HPARAMS)
        for info in listed:
            hparams = by_series.read(info.key, info.generation, partial(load_hparams, source, info.key))
            if hparams:
                own.setdefault(info.key.run, {}).update(hparams)
        by_series.forget_all_but({info.key for info in listed})
        return own

    def make_answer(source: DataSource, generation: int) -> Answer:
        own = read_own(source)
        inherited = inherit_hparams(own, source.list_tag_sets()[0])
        runs = {
            run: {name: _answer_value(value) for name, value in hparams.items()}
            for run, hparams in inherited.items()
        }
        return encode_once(HParams(generation, describe_hparams(own), runs))

    def list_hparams(source: DataSource, query: NoParameters) -> Reply:
        """The hyperparameters of every run; a run without its own inherits those of the directory above it."""

        def work() -> Answer:
            # After a change all pages ask at the same moment; one request does the work.
            with lock:
                generation = source.generation
                return answers.read(None, generation, lambda: make_answer(source, generation))

        return Later(work)

    return (Route("/api/hparams", list_hparams, HParams),)
