"""MemorySource: a DataSource built in code, for tests and notebooks. It may grow while it is being read.

Calls chain: `MemorySource().add_scalars("train", "loss", step=[0, 1], value=[2.0, 1.5])`. Its assets are bytes, and it opens
no file.
"""

from __future__ import annotations

import posixpath
import threading
from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import Any, Self

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from runglass.errors import AssetChanged, AssetGone, AssetRefused, BadArgument
from runglass.query.derived import DerivedReads
from runglass.query.named_assets import choose_assets
from runglass.query.source import AssetReader, Capability, Columns, Int64, Values
from runglass.query.unknown import run_unknown, series_unknown
from runglass.store.assets import is_named
from runglass.store.model import (
    SEVERITY,
    Asset,
    Attempts,
    Family,
    FileHealth,
    FileState,
    Kind,
    Progress,
    RunInfo,
    SeriesInfo,
    SeriesKey,
    SeriesMeta,
)

# Default wall time of step 0; steps are a second apart then, so that tests have fixed answers.
DEFAULT_START_S = 1_700_000_000.0
NO_STEPS = np.empty(0, np.int64)


class _Series(Struct):
    """Points in the order they were added. Arrays are replaced, never written to, so readers may keep them."""

    meta: SeriesMeta
    step: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    wall_time: NDArray[np.float64] = field(default_factory=lambda: np.empty(0, np.float64))
    # One number per point when this is a scalar series; else None, and `objects` has one decoded value per point.
    value: NDArray[Any] | None = None
    objects: list[Any] = field(default_factory=list)
    segment: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    # Smallest and largest wall time that is not NaN; None before the first.
    times: tuple[float, float] | None = None
    generation: int = 0
    # Every (generation, count) since the last change that was not an append, ascending.
    grown: list[tuple[int, int]] = field(default_factory=list)

    def is_shown(self) -> NDArray[np.bool_] | None:
        """Mask of the points that were not overwritten; None for all."""
        if not len(self.segment) or self.segment[0] == self.segment[-1]:
            return None
        shown = np.ones(len(self.step), bool)
        for number in np.unique(self.segment)[1:]:
            start = int(np.argmax(self.segment == number))
            shown[:start] &= self.step[:start] < self.step[start]
        return None if shown.all() else shown

    def count_at(self, generation: int) -> int | None:
        at = bisect_left(self.grown, generation, key=lambda entry: entry[0])
        if at < len(self.grown) and self.grown[at][0] == generation:
            return self.grown[at][1]
        return None


class _MemoryValues(Values, frozen=True):
    objects: list[Any]


class _BytesReader:
    """Reads an asset of a MemorySource. As with a file, it raises once the asset was replaced or removed."""

    def __init__(self, source: MemorySource, asset: Asset, data: bytes) -> None:
        self._source = source
        self._asset = asset
        self._data: bytes | None = data
        self.size_bytes = len(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._data = None

    def read(self, offset: int, size: int) -> bytes:
        if offset < 0 or size < 0:
            raise BadArgument(f"read({offset}, {size}): expected an offset and a size of 0 or more.")
        if self._data is None:
            raise BadArgument(f"read() of {self._asset.run}/{self._asset.name} after close(). Open it again.")
        self._source.check_asset(self._asset)
        return self._data[offset : offset + size]

    def map(self) -> memoryview | None:
        return memoryview(self.read(0, self.size_bytes))


class MemorySource(DerivedReads):
    capabilities = frozenset({Capability.LIVE, Capability.ASSETS})

    def __init__(self, *, locations: Sequence[str] = ("memory",), missing: Sequence[str] = ()) -> None:
        self._changed = threading.Condition()
        self._locations = list(locations)
        self._missing = list(missing)
        self._generation = 0
        # Run → tag → series, both in order of first appearance.
        self._runs: dict[str, dict[str, _Series]] = {}
        # When each run last changed. Removed runs stay, so that listeners learn of the removal.
        self._run_changed: dict[str, int] = {}
        self._files: dict[tuple[str, str], FileHealth] = {}
        # By run and name.
        self._assets: dict[tuple[str, str], tuple[Asset, bytes]] = {}
        self._progress: Progress | None = None

    # Building

    def add_run(self, run: str) -> Self:
        """Add a run without series. The other calls add their run themselves."""
        with self._changed:
            self._runs.setdefault(run, {})
            self._touch(run)
        return self

    def add_scalars(
        self,
        run: str,
        tag: str,
        *,
        step: ArrayLike,
        value: ArrayLike,
        wall_time: ArrayLike | None = None,
        restart: bool = False,
        display_name: str = "",
        description: str = "",
    ) -> Self:
        """Append points; `restart` starts a new segment. Values stay float32 if all of them are."""
        numbers = np.atleast_1d(np.asarray(value))
        if numbers.dtype != np.float32:
            numbers = numbers.astype(np.float64)
        meta = SeriesMeta(Kind.SCALAR, "scalars", display_name, description)
        with self._changed:
            series = self._append(run, tag, meta, step, wall_time, restart, len(numbers))
            old = series.value
            series.value = numbers.copy() if old is None or not len(old) else np.concatenate([old, numbers])
            series.value.flags.writeable = False
            self._touch(run)
        return self

    def add_values(
        self,
        run: str,
        tag: str,
        kind: Kind,
        *,
        step: ArrayLike,
        values: Sequence[Any],
        wall_time: ArrayLike | None = None,
        restart: bool = False,
        plugin: str = "",
        display_name: str = "",
        description: str = "",
        content: bytes = b"",
    ) -> Self:
        """Append values of any other kind, as `load_value` should return them."""
        meta = SeriesMeta(kind, plugin, display_name, description, content)
        with self._changed:
            series = self._append(run, tag, meta, step, wall_time, restart, len(values))
            series.objects = [*series.objects, *values]
            self._touch(run)
        return self

    def set_file(self, run: str, path: str, state: FileState = FileState.OK, **known: Any) -> Self:
        """Add a file to a run, or change its state; `known` are more fields of FileHealth."""
        empty = FileHealth(run, path, state, 0, 0, 0, 0, None, "", "")
        with self._changed:
            self._files[run, path] = replace(empty, **known)
            self._runs.setdefault(run, {})
            self._touch(run)
        return self

    def add_asset(
        self,
        run: str,
        family: Family | str,
        name: str,
        data: bytes,
        *,
        modified_time: float = DEFAULT_START_S,
    ) -> Self:
        """Add an asset, or replace the one of this name."""
        with self._changed:
            generation = self._generation + 1
            asset = Asset(run, Family(family), name, len(data), modified_time, generation)
            self._assets[run, name] = asset, data
            self._runs.setdefault(run, {})
            self._touch(run)
        return self

    def remove_asset(self, run: str, name: str) -> Self:
        with self._changed:
            del self._assets[run, name]
            self._touch(run)
        return self

    def set_progress(self, progress: Progress) -> Self:
        with self._changed:
            self._progress = progress
            self._touch(None)
        return self

    def remove_run(self, run: str) -> Self:
        with self._changed:
            del self._runs[run]
            for path in [path for path in self._files if path[0] == run]:
                del self._files[path]
            for key in [key for key in self._assets if key[0] == run]:
                del self._assets[key]
            self._touch(run)
        return self

    def _append(
        self,
        run: str,
        tag: str,
        meta: SeriesMeta,
        step: ArrayLike,
        wall_time: ArrayLike | None,
        restart: bool,
        values: int,
    ) -> _Series:
        steps = np.atleast_1d(np.asarray(step, np.int64))
        times = (
            DEFAULT_START_S + steps.astype(np.float64)
            if wall_time is None
            else np.atleast_1d(np.asarray(wall_time, np.float64))
        )
        if not len(times) == len(steps) == values:
            raise ValueError(
                f"{tag}: {len(steps)} steps, {len(times)} wall times and {values} values must be equally many"
            )
        series = self._runs.setdefault(run, {}).setdefault(tag, _Series(meta))
        if series.meta.kind != meta.kind:
            raise ValueError(f"{tag} holds {series.meta.kind}, not {meta.kind}")
        last = int(series.segment[-1]) if len(series.segment) else 0
        restarts = restart and len(series.segment) > 0
        segments = np.full(len(steps), last + restarts, np.int32)
        series.step = np.concatenate([series.step, steps])
        series.wall_time = np.concatenate([series.wall_time, times])
        series.segment = np.concatenate([series.segment, segments])
        for column in (series.step, series.wall_time, series.segment):
            column.flags.writeable = False
        known = times[~np.isnan(times)].tolist() + list(series.times or ())
        series.times = (min(known), max(known)) if known else None
        if restarts:
            series.grown.clear()
        series.generation = self._generation + 1
        series.grown.append((series.generation, len(series.step)))
        return series

    def _touch(self, run: str | None) -> None:
        self._generation += 1
        if run is not None:
            self._run_changed[run] = self._generation
        self._changed.notify_all()

    # Listing

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def locations(self) -> list[str]:
        return list(self._locations)

    def list_missing(self) -> list[str]:
        return list(self._missing)

    def list_runs(self) -> list[RunInfo]:
        with self._changed:
            files: dict[str, list[FileHealth]] = {}
            for file in self._files.values():
                files.setdefault(file.run, []).append(file)
            assets: dict[str, list[Asset]] = {}
            for asset, _ in self._assets.values():
                assets.setdefault(asset.run, []).append(asset)
            runs = [
                _run_info(run, series, files.get(run, []), assets.get(run, []))
                for run, series in self._runs.items()
            ]
        return sorted(runs, key=lambda run: (run.start_time is None, run.start_time or 0.0, run.name))

    def list_series(self, *, run: str | None = None, kind: Kind | None = None) -> list[SeriesInfo]:
        with self._changed:
            if run is not None and run not in self._runs:
                raise run_unknown(run, self._runs)
            names = self._runs if run is None else [run]
            return [
                SeriesInfo(SeriesKey(name, tag), series.meta, len(series.step), series.generation)
                for name in names
                for tag, series in self._runs[name].items()
                if kind is None or series.meta.kind == kind
            ]

    def list_tag_sets(self, *, kind: Kind | None = None) -> tuple[dict[str, int], list[dict[str, str]]]:
        runs: dict[str, int] = {}
        sets: dict[tuple[tuple[str, str], ...], int] = {}
        with self._changed:
            for run, series in self._runs.items():
                tags = tuple(
                    (tag, each.meta.kind.value)
                    for tag, each in series.items()
                    if kind is None or each.meta.kind == kind
                )
                runs[run] = sets.setdefault(tags, len(sets))
        return runs, [dict(tags) for tags in sets]

    def list_files(self, *, run: str | None = None) -> list[FileHealth]:
        with self._changed:
            if run is not None and run not in self._runs:
                raise run_unknown(run, self._runs)
            return [file for file in self._files.values() if run is None or file.run == run]

    def list_assets(self, *, run: str | None = None, family: Family | None = None) -> list[Asset]:
        with self._changed:
            if run is not None and run not in self._runs:
                raise run_unknown(run, self._runs)
            assets = [asset for asset, _ in self._assets.values() if run in (None, asset.run)]
        return choose_assets(self, assets, family=family)

    def find_assets(self, asset: Asset, path: str, *, family: Family) -> list[Asset]:
        where = f"{asset.run}/{asset.name} names {path!r}"
        self.check_asset(asset)
        folder, wanted = posixpath.split(
            posixpath.normpath(posixpath.join(posixpath.dirname(asset.name), path))
        )
        if folder.startswith("/") or folder.split("/")[0] == ".." or wanted == "..":
            raise AssetRefused(f"{where}: a file outside the run. Add it to the run.", where=where)
        with self._changed:
            found = [
                replace(each, family=family)
                for each, _ in self._assets.values()
                if each.run == asset.run
                and posixpath.dirname(each.name) == folder
                and is_named(posixpath.basename(each.name), wanted, family)
            ]
        if not found:
            raise AssetGone(f"{where}: there is no such file.", where=where)
        return sorted(found, key=lambda each: each.name)

    def open_asset(self, asset: Asset) -> AssetReader:
        return _BytesReader(self, asset, self.check_asset(asset))

    def check_asset(self, asset: Asset) -> bytes:
        """The bytes of an asset as it was listed; raises AssetGone or AssetChanged if it was removed or replaced."""
        where = f"{asset.run}/{asset.name}"
        with self._changed:
            now, data = self._assets.get((asset.run, asset.name), (None, b""))
        if now is None:
            raise AssetGone(f"{where}: this asset was removed. List the assets again.", where=where)
        if now.generation != asset.generation:
            raise AssetChanged(f"{where}: this asset was replaced. List the assets again.", where=where)
        return data

    def list_changes(self, *, since: int) -> tuple[int, list[str] | None]:
        with self._changed:
            if since > self._generation:
                return self._generation, None
            return self._generation, [run for run, at in self._run_changed.items() if at > since]

    def progress(self) -> Progress:
        with self._changed:
            if self._progress is not None:
                return self._progress
            size_bytes = sum(file.size_bytes for file in self._files.values())
            return Progress(True, len(self._runs), len(self._runs), size_bytes, size_bytes)

    # Reading

    def _read_stored(
        self, keys: Sequence[SeriesKey], *, attempts: Attempts = "latest", since: Sequence[int] | None = None
    ) -> list[Columns]:
        if len(keys) == 1:
            # One key asks for that series, so an unknown one is an error. Many come from a page that may be out of date.
            self._find(SeriesKey(*keys[0]), Kind.SCALAR)
        answers: list[Columns] = []
        with self._changed:
            for index, key in enumerate(keys):
                series = self._runs.get(key[0], {}).get(key[1])
                if series is not None and series.value is not None:
                    wanted = since[index] if since is not None else None
                    answers.append(_columns(SeriesKey(*key), series, attempts, wanted))
        return answers

    def read_values(
        self, key: SeriesKey, *, kind: Kind | None = None, attempts: Attempts = "latest"
    ) -> Values:
        series = self._find(key, kind)
        shown = series.is_shown() if attempts == "latest" else None
        kept: slice | NDArray[np.bool_] = slice(None) if shown is None else shown
        given = series.objects if series.value is None else series.value.tolist()
        return _MemoryValues(
            key=SeriesKey(*key),
            meta=series.meta,
            generation=series.generation,
            step=series.step[kept],
            wall_time=series.wall_time[kept],
            segment=series.segment[kept],
            size_bytes=None,
            rows=None if shown is None else np.flatnonzero(shown),
            objects=given
            if shown is None
            else [each for each, is_kept in zip(given, shown, strict=True) if is_kept],
        )

    def read_steps(
        self,
        runs: Sequence[str],
        *,
        kinds: Collection[Kind] | None = None,
        tags: Collection[str] | None = None,
    ) -> Int64:
        with self._changed:
            wanted = [
                series
                for run in runs
                for tag, series in self._runs.get(run, {}).items()
                if (kinds is None or series.meta.kind in kinds) and (tags is None or tag in tags)
            ]
        shown = [(series.step, series.is_shown()) for series in wanted]
        return np.unique(
            np.concatenate([NO_STEPS, *(step if mask is None else step[mask] for step, mask in shown)])
        )

    def load_value(self, values: Values, index: int) -> Any:
        """The value as it was added."""
        assert isinstance(values, _MemoryValues)
        return values.objects[index]

    def load_values(self, values: Values, indices: Sequence[int]) -> list[Any]:
        return [self.load_value(values, index) for index in indices]

    def _find(self, key: SeriesKey, kind: Kind | None) -> _Series:
        with self._changed:
            run = self._runs.get(key.run)
            if run is None:
                raise run_unknown(key.run, self._runs)
            series = run.get(key.tag)
            if series is None or (kind is not None and series.meta.kind != kind):
                tags = [tag for tag, each in run.items() if kind is None or each.meta.kind == kind]
                raise series_unknown(key, tags, wanted=f"{kind} series" if kind else "series")
            return series

    def wait_for_change(self, generation: int, *, timeout_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._generation != generation, timeout_s)
            return self._generation


def _run_info(run: str, series: dict[str, _Series], files: list[FileHealth], assets: list[Asset]) -> RunInfo:
    times = [time for each in series.values() for time in each.times or ()]
    return RunInfo(
        name=run,
        start_time=min(times, default=None),
        last_wall_time=max(times, default=None),
        series=len(series),
        points=sum(len(each.step) for each in series.values()),
        files=len(files),
        size_bytes=sum(file.size_bytes for file in files),
        health=max((file.state for file in files), key=SEVERITY.__getitem__, default=FileState.OK),
        restarts=max((int(each.segment[-1]) for each in series.values() if len(each.segment)), default=0),
        assets=len(assets),
        asset_bytes=sum(asset.size_bytes for asset in assets),
        families=frozenset(asset.family for asset in assets),
    )


def _columns(key: SeriesKey, series: _Series, attempts: Attempts, since: int | None) -> Columns:
    step, wall_time, value, segment = series.step, series.wall_time, series.value, series.segment
    assert value is not None
    count = len(step)
    shown = series.is_shown()
    overwritten = None
    if shown is not None and attempts == "all":
        overwritten = ~shown
    elif shown is not None:
        step, wall_time, value, segment = step[shown], wall_time[shown], value[shown], segment[shown]
    known = series.count_at(since) if since is not None else None
    # A restart drops all earlier counts, so points after a known count are never overwritten.
    offset = 0 if known is None else len(step) - (count - known)
    if offset:
        step, wall_time, value, segment = step[offset:], wall_time[offset:], value[offset:], segment[offset:]
        overwritten = None
    return Columns(key, series.generation, offset, step, wall_time, value, segment, overwritten)
