"""Everything a Log shows, as plain values that can be compared: what must not depend on how the bytes arrived."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from runglass.errors import ValueDamaged
from runglass.query.local import LocalSource
from runglass.store.model import Kind, SeriesKey


def picture(source: LocalSource, *, values: bool = True) -> dict[str, Any]:
    """Runs with their tags, points, values, files and numbers, arrays as bytes. All NaNs are one."""
    return {info.name: picture_of_run(source, info.name, values=values) for info in source.list_runs()}


def differences(found: Any, expected: Any, where: str = "") -> list[str]:
    """Where two pictures differ, one line each."""
    if isinstance(found, dict) and isinstance(expected, dict):
        return [
            line
            for key in [*found, *(key for key in expected if key not in found)]
            for line in differences(found.get(key), expected.get(key), f"{where}/{key}")
        ]
    return [] if found == expected else [f"{where}: found {found!r}, expected {expected!r}"]


def picture_of_run(source: LocalSource, run: str, *, values: bool = True) -> dict[str, Any]:
    info = next(each for each in source.list_runs() if each.name == run)
    series = {}
    for each in source.list_series(run=run):
        kinds = [each.meta.kind, *([each.other_kind] if each.other_kind is not None else [])]
        meta = each.meta
        series[each.key.tag] = {
            "meta": (meta.kind.value, meta.plugin, meta.display_name, meta.description, meta.content),
            "count": each.count,
            **{kind.value: picture_of_series(source, each.key, kind, values=values) for kind in kinds},
        }
    return {
        "series": series,
        "files": [
            (
                os.path.basename(file.path),
                file.state.value,
                file.size_bytes,
                file.read_bytes,
                file.records,
                file.skipped_records,
                file.byte,
                file.reason,
            )
            for file in source.list_files(run=run)
        ],
        "numbers": (
            info.start_time,
            info.last_wall_time,
            info.series,
            info.points,
            info.restarts,
            info.health.value,
        ),
    }


def picture_of_series(
    source: LocalSource, key: SeriesKey, kind: Kind, *, values: bool = True
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for attempts in ("latest", "all"):
        if kind is Kind.SCALAR:
            (columns,) = source.read_columns([key], attempts=attempts)
            value = columns.value.astype(np.float64)
            value[np.isnan(value)] = np.nan
            found[attempts] = [
                array.tobytes() for array in (columns.step, columns.wall_time, value, columns.segment)
            ]
        else:
            read = source.read_values(key, kind=kind, attempts=attempts)
            found[attempts] = [read.step.tobytes(), read.wall_time.tobytes(), read.segment.tobytes()]
            if values:
                found[attempts].append([value_of(source, read, index) for index in range(len(read.step))])
    return found


def value_of(source: LocalSource, read: Any, index: int) -> Any:
    try:
        return plain(source.load_value(read, index))
    except ValueDamaged as error:
        return f"damaged: {error.message.rpartition('/')[2]}"


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tolist() if value.dtype == object else value.tobytes())
    if isinstance(value, float):
        return np.float64(value).tobytes()
    return repr(value)
