"""Everything that a DataSource answers as plain values, arrays bit for bit, so that two sources can be compared.

Generations are left out, which each source counts by itself, and when a file was modified: a copy elsewhere is younger.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from runglass.errors import ValueDamaged
from runglass.query.source import (
    AxisQuery,
    BandQuery,
    DataSource,
    LineQuery,
    RunColumn,
    Smoothing,
    Values,
)
from runglass.store.model import Attempts, Family, Kind, SeriesKey

OWN = frozenset({"generation", "snapshot", "modified_time"})
LINES = {
    "all": LineQuery(attempts="all"),
    "steps": LineQuery(width=3),
    "time": LineQuery(x="relative", width=4, smoothing=Smoothing("ema", 0.6)),
    "wall": LineQuery(x="wall", width=2, attempts="all"),
    "log": LineQuery(x_scale="log", width=2, x_range=(1.0, 40.0)),
    "symlog": LineQuery(x_scale="symlog", width=2),
    "range": LineQuery(x_range=(1.5, 3.5), width=1),
    "median": LineQuery(smoothing=Smoothing("median", 3), attempts="all"),
}


def list_everything(source: DataSource) -> dict[str, Any]:
    """The answers without values: cheap."""

    def files(run: str | None = None) -> list[Any]:
        """By run and name: the folder of the run may be elsewhere."""
        found = source.list_files(run=run)
        return [plain(replace(each, path=each.path.rpartition("/")[2])) for each in found]

    return {
        "runs": [plain(each) for each in source.list_runs()],
        # The order of runs in a list of series is nobody's business; that of tags in a run is.
        "series": [plain(each) for each in sorted(source.list_series(), key=lambda each: each.key.run)],
        "scalar series": [
            plain(each)
            for each in sorted(source.list_series(kind=Kind.SCALAR), key=lambda each: each.key.run)
        ],
        "series by run": {
            run.name: [plain(each) for each in source.list_series(run=run.name)] for run in source.list_runs()
        },
        "tags": by_run(*source.list_tag_sets()),
        "image tags": by_run(*source.list_tag_sets(kind=Kind.IMAGE)),
        "files": files(),
        "files by run": {run.name: files(run.name) for run in source.list_runs()},
        "assets": [plain(each) for each in source.list_assets()],
        "named assets": [
            plain(each)
            for family in (Family.VECTORS, Family.CHECKPOINT)
            for each in source.list_assets(family=family)
        ],
        "is loaded": source.progress().is_loaded,
    }


def read_everything(source: DataSource) -> dict[str, Any]:
    """The answers with values: every series whole, and reduced in several ways."""
    runs = [run.name for run in source.list_runs()]
    listed = sorted(source.list_series(), key=lambda each: each.key.run)
    scalars = [each.key for each in listed if Kind.SCALAR in (each.meta.kind, each.other_kind)]
    tags = sorted({key.tag for key in scalars})
    missing = SeriesKey("no such run", "no such tag")
    many = [*scalars, missing, missing]
    return {
        "columns": [plain(each) for each in source.read_columns(many)],
        "every attempt": [plain(each) for each in source.read_columns(many, attempts="all")],
        "lines": {
            name: [plain(each) for each in source.read_lines(many, query)] for name, query in LINES.items()
        },
        "over another scalar": [
            plain(each) for tag in tags[:2] for each in source.read_lines(many, LineQuery(x=tag, width=5))
        ],
        "earlier lines": [plain(each) for each in source.read_earlier_lines(many, LineQuery())],
        "summaries": [plain(each) for each in source.read_summaries(many)],
        "all summaries": [plain(each) for each in source.read_summaries(many, attempts="all")],
        "bands": {
            tag: plain(source.read_band([key for key in many if key.tag == tag], BandQuery())) for tag in tags
        },
        "band of few": [
            plain(source.read_band([SeriesKey(run, tag) for run in [*runs, "none"]], BandQuery()))
            for tag in tags[:1]
        ],
        "nearest": [plain(each) for each in source.read_nearest(many, AxisQuery(), at=2.2)],
        "ranges": [
            plain(each) for each in source.read_range_summaries(many, AxisQuery(), x_range=(0.5, 3.0))
        ],
        "run columns": [
            plain(each)
            for each in source.read_run_columns(
                [*runs, "none"], [column for tag in tags for column in columns_of(tag)]
            )
        ],
        "last values": {tag: plain(source.read_last_values([*runs, "none"], tag)) for tag in tags},
        "steps": plain(source.read_steps(runs)),
        "image steps": plain(source.read_steps(runs, kinds={Kind.IMAGE, Kind.HISTOGRAM})),
        "tag steps": plain(source.read_steps([*runs, "none"], tags=set(tags[:2]))),
        "expressions": [
            plain(each)
            for tag in [tag for tag in tags if tag.isidentifier()][:3]
            for each in source.read_columns([SeriesKey(run, f"={{{tag}}} * 2") for run in runs])
        ],
        "values": {
            f"{each.key.run}\0{each.key.tag}\0{kind}\0{attempts}": read_values(source, values)
            for each in listed
            for kind in filter(None, (each.meta.kind, each.other_kind))
            for attempts, values in read_attempts(source, each.key, kind)
        },
    }


def columns_of(tag: str) -> list[RunColumn]:
    return [
        *(RunColumn(tag, stat) for stat in ("last", "first", "min", "max", "mean", "count")),
        RunColumn(tag, "at_step", step=2),
        RunColumn(tag, "at_best", best_tag=tag, best="max"),
    ]


def read_attempts(source: DataSource, key: SeriesKey, kind: Kind) -> Iterator[tuple[Attempts, Values]]:
    """All attempts, and the latest one of a series that has several: each question to a database takes ten milliseconds."""
    values = source.read_values(key, kind=kind, attempts="all")
    yield "all", values
    if len(np.unique(values.segment)) > 1:
        yield "latest", source.read_values(key, kind=kind, attempts="latest")


def read_values(source: DataSource, values: Values) -> dict[str, Any]:
    loaded = source.load_values(values, range(len(values.step)))
    return {
        "index": plain(values),
        "values": [
            f"damaged: {each.message.rpartition('/')[2]}" if isinstance(each, ValueDamaged) else plain(each)
            for each in loaded
        ],
    }


def by_run(runs: dict[str, int], sets: list[dict[str, str]]) -> dict[str, list[tuple[str, str]]]:
    return {run: list(sets[number].items()) for run, number in sorted(runs.items())}


@cache
def names_in(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(field.name for field in msgspec.structs.fields(kind) if field.name not in OWN)


def plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        kind = Values if isinstance(value, Values) else type(value)
        return {name: plain(getattr(value, name)) for name in names_in(kind)}
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype}{list(value.shape)}", value.tobytes()
    if isinstance(value, float):
        return np.float64(value).tobytes()
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (str, bytes, int, frozenset, type(None))):
        return value
    # Decoded values of the kinds that have classes of their own.
    fields = getattr(value, "__slots__", None) or getattr(value, "__dict__", {})
    return {name: plain(getattr(value, name)) for name in fields} or repr(value)


def differences(expected: Any, found: Any, where: str = "") -> list[str]:
    """Where two answers differ, in words; the first twenty."""
    if isinstance(expected, dict) and isinstance(found, dict):
        told = [f"{where}: only expected: {key!r}" for key in expected if key not in found]
        told += [f"{where}: not expected: {key!r}" for key in found if key not in expected]
        if list(expected) != list(found) and not told:
            told.append(f"{where}: in another order: {list(found)[:5]} for {list(expected)[:5]}")
        for key in expected:
            if key in found and len(told) < 20:
                told += differences(expected[key], found[key], f"{where}/{key}")
        return told[:20]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        told = []
        for number, pair in enumerate(zip(expected, found, strict=True)):
            if len(told) < 20:
                told += differences(*pair, f"{where}/{number}")
        return told
    return [] if expected == found else [f"{where}: {str(found)[:300]} for {str(expected)[:300]}"]
