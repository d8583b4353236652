"""Finds the series of the parts of one mesh, and the value of each at one moment. Does not look at the numbers.

Metadata identifies parts, not tags: writers append different suffixes to the name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.api.samples import SampleQuery, find_sample
from runglass.query.source import DataSource, Values
from runglass.schema.mesh import MeshPart, parse_mesh_plugin
from runglass.store.model import Kind, SeriesKey, SeriesMeta


class PartSeries(Struct, frozen=True):
    key: SeriesKey
    part: MeshPart
    name: str
    config: str
    # Bit mask of the parts that the writer logged; 0 if the file does not say.
    components: int

    def has(self, part: MeshPart) -> bool:
        return self.components == 0 or bool(self.components & 1 << part)


class PartValue(Struct, frozen=True):
    """One logged value of one part."""

    array: NDArray[Any]
    step: int


class Moment(Struct, frozen=True):
    """One mesh as it was at one time. A part that was not logged is missing."""

    config: str
    step: int
    wall_time: float
    parts: dict[MeshPart, PartValue]
    # Every part is from this step, or there are later values: nothing logged from now on changes the mesh.
    is_settled: bool


def describe_part(key: SeriesKey, meta: SeriesMeta) -> PartSeries:
    data = parse_mesh_plugin(meta.content)
    number = data.get("content_type", 0)
    known = number in (MeshPart.VERTEX, MeshPart.FACE, MeshPart.COLOR)
    # A series that does not say which part it is can only be shown as points.
    part = MeshPart(number) if known else MeshPart.VERTEX
    return PartSeries(key, part, data.get("name", ""), data.get("json_config", ""), data.get("components", 0))


def load_moment(source: DataSource, query: SampleQuery) -> Moment:
    """The requested value, and the last values of the other parts up to that step."""
    values, row = find_sample(source, Kind.MESH, query)
    asked = describe_part(values.key, values.meta)
    step, wall_time = int(values.step[row]), float(values.wall_time[row])
    latest = source.read_values(values.key, kind=Kind.MESH)
    is_overwritten = latest.rows is not None and row not in latest.rows
    parts = {asked.part: PartValue(_array(source, values, row), step)}
    is_settled = row < len(values.step) - 1
    is_complete = asked.components != 0
    for part in (MeshPart.VERTEX, MeshPart.FACE, MeshPart.COLOR):
        if part in parts or not asked.has(part):
            continue
        key = _sibling(source, asked, part)
        if key is None:
            is_complete = False
            continue
        other = source.read_values(key, kind=Kind.MESH, attempts="all" if is_overwritten else "latest")
        index = _last_until(other, step, wall_time)
        if index is not None:
            parts[part] = PartValue(_array(source, other, index), int(other.step[index]))
            is_complete &= parts[part].step == step
    return Moment(asked.config, step, wall_time, parts, is_settled or is_complete)


def _array(source: DataSource, values: Values, index: int) -> NDArray[Any]:
    return np.asarray(source.load_value(values, index))


def _sibling(source: DataSource, asked: PartSeries, part: MeshPart) -> SeriesKey | None:
    """If several meshes have the same name (in different scopes), the one with the most similar tag."""
    series = [
        describe_part(info.key, info.meta) for info in source.list_series(run=asked.key.run, kind=Kind.MESH)
    ]
    keys = [each.key for each in series if each.name == asked.name and each.part == part]
    return max(keys, key=lambda key: _shared_letters(key.tag, asked.key.tag), default=None)


def _shared_letters(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _last_until(values: Values, step: int, wall_time: float) -> int | None:
    """The last value at or before a step, else the first one after it. Of several at one step, the nearest in time."""
    if not len(values.step):
        return None
    until = values.step[values.step <= step]
    nearest = until.max() if len(until) else values.step.min()
    there = np.flatnonzero(values.step == nearest)
    apart_s = np.abs(values.wall_time[there] - wall_time)
    return int(there[-1] if np.isnan(apart_s).all() else there[np.nanargmin(apart_s)])
