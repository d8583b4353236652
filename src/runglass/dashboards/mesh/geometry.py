"""From the arrays of a logged mesh to numbers that can be drawn: checked, cleaned, and bounded in size. Pure.

Whatever cannot be used is left out, and said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

# A surface has about twice as many faces as vertices.
FACES_PER_POINT = 2
# Bits of a cell's number that tell it from others when they are counted: room for many more than are wanted.
COUNTED_BITS = 24


class Geometry(Struct):
    """`vertices` (n, 3); `faces` (m, 3) numbers of vertices, None for a point cloud; `colors` (n, 3) or None."""

    vertices: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    faces: NDArray[np.uint32] | None = None
    colors: NDArray[np.uint8] | None = None
    # As logged, before anything was left out.
    total_points: int = 0
    total_faces: int = 0
    problems: list[str] = field(default_factory=list)


def make_geometry(
    vertices: NDArray[Any] | None,
    faces: NDArray[Any] | None,
    colors: NDArray[Any] | None,
    *,
    batch: int,
    max_points: int | None,
) -> Geometry:
    """One mesh of a batch; None for every point of it."""
    geometry = Geometry()
    problems = geometry.problems
    points = _triples(vertices, "Vertices", batch, problems)
    if points is None:
        if vertices is None:
            problems.append("This mesh has no vertices.")
        return geometry
    with np.errstate(over="ignore"):
        geometry.vertices = points.astype(np.float32)
    geometry.total_points = len(points)
    triangles = _triples(faces, "Faces", batch, problems)
    if triangles is not None:
        geometry.total_faces = len(triangles)
        geometry.faces = _usable_faces(triangles, len(points), problems)
    painted = _triples(colors, "Colours", batch, problems)
    if painted is not None:
        geometry.colors = _usable_colors(painted, len(points), problems)
    _drop_unplaced(geometry)
    if max_points is not None:
        _reduce(geometry, max_points)
    return geometry


def count_batch(vertices: NDArray[Any] | None) -> int:
    """How many meshes a value holds."""
    return len(vertices) if vertices is not None and vertices.ndim == 3 else 1


def _triples(array: NDArray[Any] | None, what: str, batch: int, problems: list[str]) -> NDArray[Any] | None:
    """One mesh's rows of three numbers. A part that was given once is that of every mesh of the batch."""
    if array is None:
        return None
    if array.ndim not in (2, 3) or array.shape[-1] != 3 or array.dtype.kind not in "biuf":
        problems.append(
            f"{what} have the shape {_shape(array)} of {array.dtype}; three numbers each, (meshes, n, 3), are needed. "
            "They are not shown."
        )
        return None
    if array.ndim == 2:
        array = array[np.newaxis]
    if batch < len(array) or len(array) == 1:
        chosen: NDArray[Any] = array[min(batch, len(array) - 1)]
        return chosen
    problems.append(f"{what} are given for {len(array)} meshes; there are none for number {batch}.")
    return None


def _shape(array: NDArray[Any]) -> str:
    return "×".join(map(str, array.shape)) or "of one number"


def _usable_faces(faces: NDArray[Any], points: int, problems: list[str]) -> NDArray[np.uint32]:
    """Compared before they are made whole numbers: some writers keep them as floats, which may be anything."""
    is_good: NDArray[np.bool_] = np.all((faces >= 0) & (faces < points), axis=1)
    if faces.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            is_good &= np.all(np.floor(faces) == faces, axis=1)
    bad = len(faces) - int(is_good.sum())
    if bad:
        problems.append(
            f"{bad:,} of {len(faces):,} faces name a vertex that is not there (0 to {points - 1:,} are); left out."
        )
    return faces[is_good].astype(np.uint32)


def _usable_colors(colors: NDArray[Any], points: int, problems: list[str]) -> NDArray[np.uint8] | None:
    """0 to 255; floats of which none is above 1 count from 0 to 1."""
    if len(colors) != points:
        problems.append(f"{len(colors):,} colours for {points:,} vertices; shown without colours.")
        return None
    if colors.dtype == np.uint8:
        return colors
    numbers = colors.astype(np.float64)
    is_good = (numbers >= 0) & (numbers <= 255)
    if bad := numbers.size - int(is_good.sum()):
        problems.append(f"{bad:,} parts of colours are not in 0 to 255; shown as the nearest that is.")
        numbers = np.clip(np.nan_to_num(numbers, nan=0.0), 0, 255)
    if colors.dtype.kind == "f" and numbers.size and numbers.max() <= 1:
        numbers = numbers * 255
    return np.rint(numbers).astype(np.uint8)


def _drop_unplaced(geometry: Geometry) -> None:
    """Vertices at NaN or infinity have no place, and neither have faces at them."""
    is_placed: NDArray[np.bool_] = np.all(np.isfinite(geometry.vertices), axis=1)
    bad = len(is_placed) - int(is_placed.sum())
    if not bad:
        return
    said = f"{bad:,} of {len(is_placed):,} vertices are at NaN or infinity; left out"
    if geometry.faces is not None:
        keeps: NDArray[np.bool_] = np.all(is_placed[geometry.faces], axis=1)
        said += f", with {len(keeps) - int(keeps.sum()):,} faces at them"
        number = np.cumsum(is_placed) - 1
        geometry.faces = number[geometry.faces[keeps]].astype(np.uint32)
    geometry.problems.append(said + ".")
    _keep_points(geometry, is_placed)


def _keep_points(geometry: Geometry, kept: NDArray[Any]) -> None:
    geometry.vertices = geometry.vertices[kept]
    if geometry.colors is not None:
        geometry.colors = geometry.colors[kept]


def _reduce(geometry: Geometry, max_points: int) -> None:
    """Fewer points where there are too many to draw; the same ones every time."""
    points = len(geometry.vertices)
    if geometry.faces is None or not len(geometry.faces):
        if points > max_points:
            _keep_points(geometry, _sample(points, max_points))
            geometry.problems.append(f"{max_points:,} of {points:,} points are drawn.")
        return
    faces = len(geometry.faces)
    if points > max_points:
        _merge_points(geometry, max_points)
    max_faces = FACES_PER_POINT * max_points
    if len(geometry.faces) > max_faces:
        geometry.faces = geometry.faces[_sample(len(geometry.faces), max_faces)]
    if len(geometry.faces) < faces or len(geometry.vertices) < points:
        geometry.problems.append(
            f"Drawn with {len(geometry.vertices):,} of {points:,} vertices and {len(geometry.faces):,} of {faces:,} faces."
        )


def _sample(count: int, wanted: int) -> NDArray[np.int64]:
    """One of every equal stretch, at any place in it, so that no pattern of how points were laid out shows."""
    edges = np.arange(wanted + 1, dtype=np.int64) * count // wanted
    within = np.random.default_rng(0).random(wanted) * np.diff(edges)
    return edges[:-1] + within.astype(np.int64)


def _merge_points(geometry: Geometry, max_points: int) -> None:
    """Points in one cell of a grid become one of them, and faces that shrink to a line go: the surface stays whole."""
    assert geometry.faces is not None
    low = geometry.vertices.min(axis=0).astype(np.float64)
    place = geometry.vertices - low
    extent = float(place.max()) or 1.0
    # A surface meets about this many cells of a grid; corrected by what it really meets.
    cells = float(np.sqrt(max_points))
    while (met := _count_cells(cell := _cells(place, extent / cells))) > max_points:
        cells *= 0.97 * float(np.sqrt(max_points / met))
    _, first, number = np.unique(cell, return_index=True, return_inverse=True)
    faces = number.reshape(-1)[geometry.faces]
    a, b, c = faces.T
    geometry.faces = faces[(a != b) & (b != c) & (c != a)].astype(np.uint32)
    _keep_points(geometry, first)


def _cells(place: NDArray[np.float64], side: float) -> NDArray[np.uint64]:
    """The number of every point's cell in a grid."""
    x, y, z = (place / side).astype(np.uint64).T
    number: NDArray[np.uint64] = (x << np.uint64(42)) | (y << np.uint64(21)) | z
    return number


def _count_cells(cell: NDArray[np.uint64]) -> int:
    """About how many different ones there are; sorting them would take ten times as long."""
    is_met = np.zeros(1 << COUNTED_BITS, bool)
    # Neighbours are spread over the table by a multiplication that wraps around.
    is_met[(cell * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - COUNTED_BITS)] = True
    return int(is_met.sum())
