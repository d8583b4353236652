"""Turns the arrays of a logged mesh into geometry to draw: checked, cleaned, and limited in size. Pure.

Leaves out what cannot be used, and says so in `problems`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

# A surface has about twice as many faces as vertices.
FACES_PER_POINT = 2
# Size of the hash table that counts cells, in bits: far more entries than cells.
COUNTED_BITS = 24


class Geometry(Struct):
    """`vertices` (n, 3); `faces` (m, 3) as indices of vertices, None for a point cloud; `colors` (n, 3) or None."""

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
    """One mesh of a batch. `max_points` None keeps every point."""
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
    """The rows of one mesh, three numbers each. A part with one entry applies to every mesh of the batch."""
    if array is None:
        return None
    if array.ndim not in (2, 3) or array.shape[-1] != 3 or array.dtype.kind not in "biuf":
        problems.append(
            f"{what} have the shape {_shape(array)} of {array.dtype}, expected (meshes, n, 3). "
            "They are not shown."
        )
        return None
    if array.ndim == 2:
        array = array[np.newaxis]
    if batch < len(array) or len(array) == 1:
        chosen: NDArray[Any] = array[min(batch, len(array) - 1)]
        return chosen
    problems.append(f"{what} are given for {len(array)} meshes; there are none for mesh {batch}.")
    return None


def _shape(array: NDArray[Any]) -> str:
    return "×".join(map(str, array.shape)) or "of one number"


def _usable_faces(faces: NDArray[Any], points: int, problems: list[str]) -> NDArray[np.uint32]:
    """Compare before converting to integers: some writers log floats, which may be any number."""
    is_good: NDArray[np.bool_] = np.all((faces >= 0) & (faces < points), axis=1)
    if faces.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            is_good &= np.all(np.floor(faces) == faces, axis=1)
    bad = len(faces) - int(is_good.sum())
    if bad:
        problems.append(
            f"{bad:,} of {len(faces):,} faces have a vertex index outside 0 to {points - 1:,}; left out."
        )
    return faces[is_good].astype(np.uint32)


def _usable_colors(colors: NDArray[Any], points: int, problems: list[str]) -> NDArray[np.uint8] | None:
    """Colours from 0 to 255. Floats up to 1 are scaled from 0 to 1."""
    if len(colors) != points:
        problems.append(f"{len(colors):,} colours for {points:,} vertices; shown without colours.")
        return None
    if colors.dtype == np.uint8:
        return colors
    numbers = colors.astype(np.float64)
    is_good = (numbers >= 0) & (numbers <= 255)
    if bad := numbers.size - int(is_good.sum()):
        problems.append(f"{bad:,} colour values are outside 0 to 255; shown as the nearest value inside.")
        numbers = np.clip(np.nan_to_num(numbers, nan=0.0), 0, 255)
    if colors.dtype.kind == "f" and numbers.size and numbers.max() <= 1:
        numbers = numbers * 255
    return np.rint(numbers).astype(np.uint8)


def _drop_unplaced(geometry: Geometry) -> None:
    """Leave out vertices at NaN or infinity, and the faces that use them."""
    is_placed: NDArray[np.bool_] = np.all(np.isfinite(geometry.vertices), axis=1)
    bad = len(is_placed) - int(is_placed.sum())
    if not bad:
        return
    said = f"{bad:,} of {len(is_placed):,} vertices are at NaN or infinity; left out"
    if geometry.faces is not None:
        keeps: NDArray[np.bool_] = np.all(is_placed[geometry.faces], axis=1)
        said += f", with {len(keeps) - int(keeps.sum()):,} of their faces"
        number = np.cumsum(is_placed) - 1
        geometry.faces = number[geometry.faces[keeps]].astype(np.uint32)
    geometry.problems.append(said + ".")
    _keep_points(geometry, is_placed)


def _keep_points(geometry: Geometry, kept: NDArray[Any]) -> None:
    geometry.vertices = geometry.vertices[kept]
    if geometry.colors is not None:
        geometry.colors = geometry.colors[kept]


def _reduce(geometry: Geometry, max_points: int) -> None:
    """Reduce the number of points if there are too many to draw. Deterministic."""
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
    """One random index of every equal stretch, so that no pattern in the order of points shows. Deterministic."""
    edges = np.arange(wanted + 1, dtype=np.int64) * count // wanted
    within = np.random.default_rng(0).random(wanted) * np.diff(edges)
    return edges[:-1] + within.astype(np.int64)


def _merge_points(geometry: Geometry, max_points: int) -> None:
    """Merge the points of each cell of a grid and drop faces that shrink to a line, so that the surface stays closed."""
    assert geometry.faces is not None
    low = geometry.vertices.min(axis=0).astype(np.float64)
    place = geometry.vertices - low
    extent = float(place.max()) or 1.0
    # A surface crosses about the square of this many cells; corrected by the real number.
    cells = float(np.sqrt(max_points))
    while (met := _count_cells(cell := _cells(place, extent / cells))) > max_points:
        cells *= 0.97 * float(np.sqrt(max_points / met))
    _, first, number = np.unique(cell, return_index=True, return_inverse=True)
    faces = number.reshape(-1)[geometry.faces]
    a, b, c = faces.T
    geometry.faces = faces[(a != b) & (b != c) & (c != a)].astype(np.uint32)
    _keep_points(geometry, first)


def _cells(place: NDArray[np.float64], side: float) -> NDArray[np.uint64]:
    """The cell of every point in a grid, as one number."""
    x, y, z = (place / side).astype(np.uint64).T
    number: NDArray[np.uint64] = (x << np.uint64(42)) | (y << np.uint64(21)) | z
    return number


def _count_cells(cell: NDArray[np.uint64]) -> int:
    """About how many distinct cells there are; sorting would take ten times as long."""
    is_met = np.zeros(1 << COUNTED_BITS, bool)
    # Multiplicative hashing; the product wraps around.
    is_met[(cell * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - COUNTED_BITS)] = True
    return int(is_met.sum())
