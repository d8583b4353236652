"""The hyperparameters of every run, from the session starts in the logs. Knows no file format and no HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from runglass.errors import RunglassError
from runglass.query.source import DataSource
from runglass.store.model import Kind, SeriesKey

HParam = float | str | bool
HParamType = Literal["number", "string", "bool"]
ROOT = "."
# A string with one of these names counts as a number, because JSON sends both alike.
NOT_FINITE = ("NaN", "Infinity", "-Infinity")


class HParamName(Struct, frozen=True):
    name: str
    # string if the values have several types.
    type: HParamType
    # The number of distinct values.
    values: int


def load_hparams(source: DataSource, key: SeriesKey) -> dict[str, HParam]:
    """The hyperparameters in the newest value of a series; empty if that is an experiment, the end of a session or damaged."""
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
        return float(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def inherit_hparams(
    own: Mapping[str, dict[str, HParam]], runs: Iterable[str]
) -> dict[str, dict[str, HParam]]:
    """The values of every run: its own, else those of the nearest directory above it, else those of the only
    run below it that has any, which is how PyTorch writes them."""
    only_below: dict[str, str | None] = {}
    for run in own:
        for above in _above(run):
            only_below[above] = None if above in only_below else run
    found: dict[str, dict[str, HParam]] = {}
    for run in runs:
        giver = next((each for each in (run, *_above(run)) if each in own), only_below.get(run))
        if giver is not None:
            found[run] = own[giver]
    return found


def describe_hparams(own: Mapping[str, dict[str, HParam]]) -> list[HParamName]:
    """Every name with its type, in the order of first use."""
    values: dict[str, list[HParam]] = {}
    for hparams in own.values():
        for name, value in hparams.items():
            values.setdefault(name, []).append(value)
    return [_describe(name, listed) for name, listed in values.items()]


def _above(run: str) -> Iterator[str]:
    """The directories above a run, nearest first; the log directory itself is the run `.`."""
    if run == ROOT:
        return
    while "/" in run:
        run = run.rpartition("/")[0]
        yield run
    yield ROOT


def _describe(name: str, values: list[HParam]) -> HParamName:
    types = {_type(value) for value in values}
    # NaN counts as one value, though it differs from itself.
    distinct = {(type(value), value if value == value else "NaN") for value in values}
    return HParamName(name, types.pop() if len(types) == 1 else "string", len(distinct))


def _type(value: HParam) -> HParamType:
    if isinstance(value, bool):
        return "bool"
    return "string" if isinstance(value, str) and value not in NOT_FINITE else "number"
