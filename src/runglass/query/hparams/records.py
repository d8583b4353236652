"""The records of the hparams plugin as values: what a session started with, how it ended, what an experiment declares.

A record that makes no sense is a message, never an exception.
"""

from __future__ import annotations

import json
from math import isfinite, nan
from typing import Any

from msgspec import Struct

from runglass.errors import RunglassError
from runglass.native.hparams import read_session_start
from runglass.native.wire import WireError
from runglass.query.hparams.model import (
    Domain,
    Experiment,
    HParam,
    HParamInfo,
    HParamType,
    MetricInfo,
    MetricName,
)
from runglass.query.source import DataSource
from runglass.query.states import SessionEnd
from runglass.schema.hparams import HParamType as WireType
from runglass.schema.hparams import SessionOutcome, plain_hparams
from runglass.store.model import Kind, SeriesInfo

HASH_LENGTH = 64
TYPES: dict[int, HParamType] = {
    WireType.STRING: "string",
    WireType.BOOL: "bool",
    WireType.FLOAT64: "number",
}


class Start(Struct, frozen=True, gc=False):
    hparams: dict[str, HParam]
    group: str
    start_time: float | None


class Record(Struct, frozen=True, gc=False):
    """What the newest value of a series says; the others are None."""

    start: Start | None = None
    end: SessionEnd | None = None
    experiment: Experiment | None = None
    problem: str = ""


def load_record(source: DataSource, info: SeriesInfo) -> Record:
    """The newest value of a series. Most series have one, whose bytes are in the metadata: no file has to be opened."""
    try:
        if info.count == 1 and info.meta.content:
            if (read := read_session_start(info.meta.content)) is not None:
                hparams, group, start_time = read
                return Record(start=Start(hparams, _declared(group), _known_time(start_time)))
            return read_record(info.key.run, plain_hparams(info.meta.content), wall_time=nan)
        values = source.read_values(info.key, kind=Kind.HPARAMS)
        if not len(values.step):
            return Record()
        decoded = source.load_value(values, len(values.step) - 1)
        return read_record(info.key.run, decoded, wall_time=float(values.wall_time[-1]))
    except (RunglassError, WireError) as error:
        return Record(problem=f"{info.key.tag} cannot be read: {error}")


def read_record(run: str, decoded: dict[str, Any], *, wall_time: float) -> Record:
    """`wall_time`: when it was logged; NaN if that was not read."""
    if "session_start_info" in decoded:
        start = decoded["session_start_info"]
        hparams = {
            name: value if type(value) in (float, str, bool) else plain_hparam(value)
            for name, value in start.get("hparams", {}).items()
            if value is not None
        }
        return Record(
            start=Start(hparams, _declared(start.get("group_name", "")), _time(start, "start_time_secs"))
        )
    if "session_end_info" in decoded:
        end = decoded["session_end_info"]
        status = end.get("status", 0)
        known = status in SessionOutcome.__members__.values()
        outcome = SessionOutcome(status) if known else SessionOutcome.UNKNOWN
        return Record(end=SessionEnd(outcome, wall_time, _time(end, "end_time_secs")))
    if "experiment" in decoded:
        return Record(experiment=_experiment(run, decoded["experiment"]))
    return Record()


def plain_hparam(value: Any) -> HParam:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _declared(group: str) -> str:
    """The group, unless TensorBoard's API derived it: that is a hash of the values, which says nothing to a reader."""
    is_hash = len(group) == HASH_LENGTH and all(each in "0123456789abcdef" for each in group)
    return "" if is_hash else group


def _time(fields: dict[str, Any], name: str) -> float | None:
    return _known_time(float(fields.get(name, 0.0)))


def _known_time(seconds: float) -> float | None:
    """None for 0: that is what writers without a clock send."""
    return seconds if seconds > 0 and isfinite(seconds) else None


def _experiment(run: str, fields: dict[str, Any]) -> Experiment:
    return Experiment(
        run=run,
        description=fields.get("description", "") or fields.get("name", ""),
        user=fields.get("user", ""),
        time_created=_time(fields, "time_created_secs"),
        hparams=tuple(
            HParamInfo(
                info.get("name", ""),
                info.get("display_name", ""),
                info.get("description", ""),
                TYPES.get(info.get("type", 0)),
                _domain(info),
            )
            for info in fields.get("hparam_infos", [])
        ),
        metrics=tuple(
            MetricInfo(
                MetricName(name.get("group", ""), name.get("tag", "")),
                info.get("display_name", ""),
                info.get("description", ""),
            )
            for info in fields.get("metric_infos", [])
            for name in [info.get("name", {})]
        ),
    )


def _domain(info: dict[str, Any]) -> Domain | None:
    if "domain_discrete" in info:
        values = tuple(plain_hparam(value) for value in info["domain_discrete"] if value is not None)
        return Domain(values=values) if values else None
    if "domain_interval" in info:
        interval = info["domain_interval"]
        return Domain(min=interval.get("min_value", 0.0), max=interval.get("max_value", 0.0))
    return None
