"""Meshes and point clouds as the bytes of Summary.Value messages, one for each part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.mesh import MESH_PLUGIN, MeshPart
from runglass.schema.summary import DataClass
from runglass.writer.values.arrays import to_numpy
from runglass.writer.values.summaries import summary_value


def mesh(
    tag: str,
    vertices: object,
    colors: object = None,
    faces: object = None,
    config: Mapping[str, Any] | None = None,
    *,
    description: str = "",
) -> list[bytes]:
    """Vertices (points, 3) or (meshes, points, 3); a colour per vertex; faces as three indices of vertices each.

    Without faces it is a point cloud. `config` holds settings of three.js, stored as JSON.
    """
    what = f"Mesh {tag!r}"
    parts: dict[MeshPart, NDArray[Any]] = {
        MeshPart.VERTEX: triples(vertices, f"{what}: vertices").astype(np.float32)
    }
    batch, points, _ = parts[MeshPart.VERTEX].shape
    if faces is not None:
        parts[MeshPart.FACE] = checked_faces(triples(faces, f"{what}: faces"), points, what)
    if colors is not None:
        parts[MeshPart.COLOR] = checked_colors(triples(colors, f"{what}: colors"), points, what)
    for part, array in parts.items():
        if len(array) != batch:
            raise BadArgument(
                f"{what} has {batch} meshes in vertices and {len(array)} in {part.name.lower()}s."
            )
    if not isinstance(config, Mapping | None):
        raise BadArgument(
            f"{what}: config_dict must be a dict, got {type(config).__name__}.", where="config_dict"
        )
    try:
        json_config = json.dumps({} if config is None else dict(config), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadArgument(
            f"{what}: config_dict cannot be written as JSON: {error}.", where="config_dict"
        ) from error
    components = sum(1 << part for part in parts)
    return [
        summary_value(
            f"{tag}_{part.name}",
            array,
            plugin="mesh",
            data_class=DataClass.TENSOR,
            content=encode(
                MESH_PLUGIN,
                {
                    "name": tag,
                    "content_type": part,
                    "json_config": json_config,
                    "shape": list(array.shape),
                    "components": components,
                },
            ),
            description=description,
        )
        for part, array in parts.items()
    ]


def triples(value: object, what: str) -> NDArray[Any]:
    array = to_numpy(value, what)
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or array.shape[2] != 3 or 0 in array.shape or array.dtype.kind not in "biuf":
        raise BadArgument(
            f"{what} need the shape (n, 3) or (meshes, n, 3) and real numbers, got {array.shape}."
        )
    return array


def checked_faces(faces: NDArray[Any], points: int, what: str) -> NDArray[np.int32]:
    whole = faces.astype(np.int64)
    if (whole != faces).any() or whole.min() < 0 or whole.max() >= points:
        raise BadArgument(
            f"{what}: faces must be indices of vertices from 0 to {points - 1}, got {faces.min()} to {faces.max()}.",
            where="faces",
        )
    return whole.astype(np.int32)


def checked_colors(colors: NDArray[Any], points: int, what: str) -> NDArray[np.uint8]:
    """Integers range from 0 to 255; floats too, unless none is above 1."""
    if colors.shape[1] != points:
        raise BadArgument(
            f"{what} needs one colour per vertex: {points}, got {colors.shape[1]}.", where="colors"
        )
    if not (colors.min() >= 0 and colors.max() <= 255):
        raise BadArgument(
            f"{what}: colors must be in 0…255, or in 0…1 as floats, got {colors.min()} to {colors.max()}.",
            where="colors",
        )
    if colors.dtype.kind == "f":
        colors = np.rint(colors * 255 if colors.max() <= 1 else colors)
    return colors.astype(np.uint8)
