"""Encodes a mesh as a binary, little-endian PLY file for 3-D programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from runglass.dashboards.mesh.geometry import Geometry


def encode_ply(geometry: Geometry) -> bytes:
    vertices, faces, colors = geometry.vertices, geometry.faces, geometry.colors
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}"]
    head += [f"property float {axis}" for axis in "xyz"]
    fields: list[tuple[str, Any, int]] = [("place", "<f4", 3)]
    if colors is not None:
        head += [f"property uchar {part}" for part in ("red", "green", "blue")]
        fields.append(("color", "u1", 3))
    points = np.empty(len(vertices), fields)
    points["place"] = vertices
    if colors is not None:
        points["color"] = colors
    parts = [points.tobytes()]
    if faces is not None:
        head += [f"element face {len(faces)}", "property list uchar int vertex_indices"]
        rows = np.empty(len(faces), [("count", "u1"), ("vertices", "<i4", 3)])
        rows["count"] = 3
        rows["vertices"] = faces
        parts.append(rows.tobytes())
    return "\n".join([*head, "end_header", ""]).encode("ascii") + b"".join(parts)
