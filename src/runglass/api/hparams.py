"""The hyperparameters of every run, from the session starts in the logs. Knows no dashboard and no file format."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from runglass.api.answers import number
from runglass.api.route import Answer, Later, NoParameters, Reply, Route, encode_json
from runglass.errors import RunglassError
from runglass.query.source import DataSource
from runglass.store.model import Kind, SeriesKey

HParam = float | str | bool
HParamType = Literal["number", "string", "bool"]
ROOT = "."
# How numbers travel that JSON has no word for. A string hyperparameter of the same letters counts as one too.
NOT_FINITE = ("NaN", "Infinity", "-Infinity")


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
                made = HParams(generation, *_inherit(self._own(), source.list_tag_sets()[0]))
                self._answer = generation, Answer(encode_json(made), encodings={})
            return self._answer[1]

    def _read(self, source: DataSource) -> None:
        known, self._by_series = self._by_series, {}
        for info in source.list_series(kind=Kind.HPARAMS):
            entry = known.get(info.key)
            if entry is None or entry[0] != info.generation:
                entry = info.generation, _load(source, info.key)
            self._by_series[info.key] = entry

    def _own(self) -> dict[str, dict[str, HParam]]:
        own: dict[str, dict[str, HParam]] = {}
        for (run, _), (_, hparams) in self._by_series.items():
            if hparams:
                own.setdefault(run, {}).update(hparams)
        return own


def _load(source: DataSource, key: SeriesKey) -> dict[str, HParam]:
    """The hyperparameters in the newest value of a series; none where it is an experiment, the end of a session or damaged."""
    try:
        values = source.read_values(key, kind=Kind.HPARAMS)
        if not len(values.step):
            return {}
        decoded = source.load_value(values, len(values.step) - 1)
    except RunglassError:
        return {}
    given = decoded.get("session_start_info", {}).get("hparams", {})
    return {name: _plain(value) for name, value in given.items() if value is not None}


def _plain(value: Any) -> HParam:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return number(value)
    return encode_json(value).decode()


def _inherit(
    own: Mapping[str, dict[str, HParam]], runs: Iterable[str]
) -> tuple[list[HParamName], dict[str, dict[str, HParam]]]:
    """Names and values of every run: its own, else those of the nearest directory above it, else those of the only
    run below it that has some, which is how PyTorch writes them."""
    only_below: dict[str, str | None] = {}
    for run in own:
        for above in _above(run):
            only_below[above] = None if above in only_below else run
    found: dict[str, dict[str, HParam]] = {}
    for run in runs:
        giver = next((each for each in (run, *_above(run)) if each in own), only_below.get(run))
        if giver is not None:
            found[run] = own[giver]
    values: dict[str, list[HParam]] = {}
    for hparams in own.values():
        for name, value in hparams.items():
            values.setdefault(name, []).append(value)
    return [_describe(name, listed) for name, listed in values.items()], found


def _above(run: str) -> Iterator[str]:
    """The directories above a run, the nearest first; the log directory itself is the run `.`."""
    if run == ROOT:
        return
    while "/" in run:
        run = run.rpartition("/")[0]
        yield run
    yield ROOT


def _describe(name: str, values: list[HParam]) -> HParamName:
    types = {_type(value) for value in values}
    distinct = {(type(value), value) for value in values}
    return HParamName(name, types.pop() if len(types) == 1 else "string", len(distinct))


def _type(value: HParam) -> HParamType:
    if isinstance(value, bool):
        return "bool"
    return "string" if isinstance(value, str) and value not in NOT_FINITE else "number"


def make_routes() -> tuple[Route, ...]:
    known = _KnownHParams()

    def list_hparams(source: DataSource, query: NoParameters) -> Reply:
        """The hyperparameters of every run; a run without its own has those of the directory above it."""
        return Later(lambda: known.answer(source))

    return (Route("/api/hparams", list_hparams, HParams),)
