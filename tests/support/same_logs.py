"""Everything that can be read of a log directory, as plain values: two ways to read the same logs must give equal facts."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from runglass.errors import AssetGone, ValueDamaged
from runglass.query.source import DataSource
from runglass.store.model import Family


def read_facts(source: DataSource) -> dict[str, Any]:
    """Facts by name; places are left out, because they differ."""
    return {
        "runs": {run.name: _plain(run) for run in source.list_runs()},
        "order": [run.name for run in source.list_runs()],
        "files": sorted(
            (
                *(file.run, file.path.rpartition("/")[2], file.state.value, file.reason),
                *(file.size_bytes, file.read_bytes, file.records, file.skipped_records, file.byte),
            )
            for file in source.list_files()
        ),
        "series": {info.key: _read_series(source, info) for info in source.list_series()},
        "assets": {
            family.value: {
                (asset.run, asset.name): (asset.size_bytes, _digest_asset(source, asset))
                for asset in source.list_assets(family=family)
            }
            for family in Family
        },
    }


def _plain(run: Any) -> tuple[Any, ...]:
    return (
        *(run.start_time, run.last_wall_time, run.series, run.points, run.files, run.size_bytes),
        *(run.health.value, run.restarts, run.assets, run.asset_bytes, sorted(run.families)),
    )


def _read_series(source: DataSource, info: Any) -> list[Any]:
    facts: list[Any] = [info.meta, info.count, info.other_kind]
    for kind in filter(None, (info.meta.kind, info.other_kind)):
        for attempts in ("latest", "all"):
            values = source.read_values(info.key, kind=kind, attempts=attempts)
            facts.append(
                [
                    _digest(values.step),
                    _digest(values.wall_time),
                    _digest(values.segment),
                    [_digest(each) for each in source.load_values(values, range(len(values.step)))],
                ]
            )
    return facts


def _digest_asset(source: DataSource, asset: Any) -> str:
    try:
        with source.open_asset(asset) as reader:
            return _digest(reader.read(0, reader.size_bytes))
    except AssetGone:
        return "gone"


def _digest(value: Any) -> str:
    if isinstance(value, ValueDamaged):
        # Its message names the path.
        return "damaged"
    if isinstance(value, np.ndarray):
        value = (
            value.dtype.str,
            value.shape,
            value.tobytes() if value.dtype != object else repr(value.tolist()),
        )
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    return hashlib.sha256(repr(value).encode()).hexdigest()
