"""The route of hyperparameters: answers are encoded once per generation. What a run has is decided in query/hparams.py."""

from __future__ import annotations

import threading

from msgspec import Struct

from runglass.api.answers import number
from runglass.api.route import Answer, Later, NoParameters, Reply, Route, encode_json
from runglass.query.hparams import HParam, HParamName, describe_hparams, inherit_hparams, load_hparams
from runglass.query.source import DataSource
from runglass.store.model import Kind, SeriesKey


class HParams(Struct, frozen=True):
    """Runs without any are left out."""

    generation: int
    names: list[HParamName]
    runs: dict[str, dict[str, HParam]]


class _KnownHParams:
    """What the session starts say, read again only where a series changed; the answer holds for one generation."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_series: dict[SeriesKey, tuple[int, dict[str, HParam]]] = {}
        self._answer: tuple[int, Answer] | None = None

    def answer(self, source: DataSource) -> Answer:
        with self._lock:
            generation = source.generation
            if self._answer is None or self._answer[0] != generation:
                self._read(source)
                own = self._own()
                found = inherit_hparams(own, source.list_tag_sets()[0])
                made = HParams(
                    generation,
                    describe_hparams(own),
                    {
                        run: {name: _answer_value(value) for name, value in hparams.items()}
                        for run, hparams in found.items()
                    },
                )
                self._answer = generation, Answer(encode_json(made), encodings={})
            return self._answer[1]

    def _read(self, source: DataSource) -> None:
        known, self._by_series = self._by_series, {}
        for info in source.list_series(kind=Kind.HPARAMS):
            entry = known.get(info.key)
            if entry is None or entry[0] != info.generation:
                entry = info.generation, load_hparams(source, info.key)
            self._by_series[info.key] = entry

    def _own(self) -> dict[str, dict[str, HParam]]:
        own: dict[str, dict[str, HParam]] = {}
        for (run, _), (_, hparams) in self._by_series.items():
            if hparams:
                own.setdefault(run, {}).update(hparams)
        return own


def _answer_value(value: HParam) -> HParam:
    return number(value) if isinstance(value, float) else value


def make_routes() -> tuple[Route, ...]:
    known = _KnownHParams()

    def list_hparams(source: DataSource, query: NoParameters) -> Reply:
        """The hyperparameters of every run; a run without its own has those of the directory above it."""
        return Later(lambda: known.answer(source))

    return (Route("/api/hparams", list_hparams, HParams),)
