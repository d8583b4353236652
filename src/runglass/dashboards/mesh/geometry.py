"""From the arrays of a logged mesh to numbers that can be drawn: checked, cleaned, and bounded in size. Pure.

Whatever cannot be used is left out, and said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

# What is drawn of a mesh unless all of it is asked for: about 20 MB, and more points than a screen has room for.
MAX_POINTS = 1_000_000
MAX_FACES = 2_000_000


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
    is_full: bool,
) -> Geometry:
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
    if not is_full:
        _reduce(geometry)
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


def _reduce(geometry: Geometry) -> None:
    """Fewer points where there are too many to draw; the same ones every time."""
    points = len(geometry.vertices)
    if geometry.faces is None or not len(geometry.faces):
        if points > MAX_POINTS:
            _keep_points(geometry, _spread_out(points, MAX_POINTS))
            geometry.problems.append(f"{MAX_POINTS:,} of {points:,} points are drawn.")
        return
    faces = len(geometry.faces)
    if points > MAX_POINTS:
        _merge_points(geometry)
    if len(geometry.faces) > MAX_FACES:
        geometry.faces = geometry.faces[_spread_out(len(geometry.faces), MAX_FACES)]
    if len(geometry.faces) < faces or len(geometry.vertices) < points:
        geometry.problems.append(
            f"Drawn with {len(geometry.vertices):,} of {points:,} vertices and {len(geometry.faces):,} of {faces:,} faces."
        )


def _spread_out(count: int, wanted: int) -> NDArray[np.int64]:
    """One of every equal stretch, at a place in it that makes no pattern with how the points were laid out."""
    edges = np.arange(wanted + 1, dtype=np.int64) * count // wanted
    within = np.random.default_rng(0).random(wanted)
    return edges[:-1] + (within * np.diff(edges)).astype(np.int64)


def _merge_points(geometry: Geometry) -> None:
    """Points in one cell of a grid become one of them, and faces that shrink to a line go: the surface stays whole."""
    assert geometry.faces is not None
    low = geometry.vertices.min(axis=0).astype(np.float64)
    extent = float((geometry.vertices.max(axis=0) - low).max()) or 1.0
    # A surface meets about this many cells of a grid; corrected by what it really meets.
    cells = float(np.sqrt(MAX_POINTS))
    while True:
        side = extent / cells
        place = ((geometry.vertices - low) / side).astype(np.int64)
        stride = int(cells) + 2
        _, first, number = np.unique(
            (place[:, 0] * stride + place[:, 1]) * stride + place[:, 2],
            return_index=True,
            return_inverse=True,
        )
        if len(first) <= MAX_POINTS:
            break
        cells *= 0.95 * float(np.sqrt(MAX_POINTS / len(first)))
    faces = number.reshape(-1)[geometry.faces]
    a, b, c = faces.T
    geometry.faces = faces[(a != b) & (b != c) & (c != a)].astype(np.uint32)
    _keep_points(geometry, first)
