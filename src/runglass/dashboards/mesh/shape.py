"""What the mesh route takes and answers, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.samples import SampleQuery


class MeshQuery(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One mesh. `tag` is the tag of any of its parts."""

    batch: Annotated[int, Meta(ge=0, le=2**31, description="Index of the mesh within the value.")] = 0
    points: Annotated[
        int,
        Meta(ge=100, le=2_000_000, description="A mesh with more points is simplified to about this many."),
    ] = 1_000_000
    full: Annotated[Literal[0, 1], Meta(description="1: every point and face; ignores `points`.")] = 0
    format: Annotated[
        Literal["json", "columns", "ply"], Meta(description="ply: a file for 3-D programs.")
    ] = "json"


class MeshInfo(Struct, frozen=True, kw_only=True):
    """Everything about a mesh except its arrays."""

    step: int
    wall_time: Number
    batches: Annotated[int, Meta(description="Number of meshes in the value.")]
    config: Annotated[str, Meta(description="JSON as logged: camera, lights and material of three.js.")]
    total_points: Annotated[int, Meta(description="As logged; the answer may have fewer.")]
    # Faces of the whole mesh.
    total_faces: int
    faces_step: Annotated[int | None, Meta(description="The step at which the faces were logged.")]
    # Step that the colours are from; null without any.
    colors_step: int | None
    problems: Annotated[list[str], Meta(description="What could not be used or was left out.")]


class Mesh(MeshInfo, frozen=True, kw_only=True):
    """A mesh with its arrays."""

    # Positions, three numbers for each vertex.
    vertices: list[Number]
    faces: Annotated[list[int] | None, Meta(description="Three vertex indices each; null for a point cloud.")]
    colors: Annotated[list[int] | None, Meta(description="Red, green and blue of every vertex, 0 to 255.")]
