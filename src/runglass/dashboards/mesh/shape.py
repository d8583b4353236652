"""What the mesh route takes and answers, as types. Holds no logic."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number
from runglass.api.samples import SampleQuery


class MeshQuery(SampleQuery, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One mesh. `tag` is that of its vertices; that of another part means the mesh it belongs to."""

    batch: Annotated[int, Meta(ge=0, le=2**31, description="Its number among those logged together.")] = 0
    points: Annotated[
        int, Meta(ge=100, le=2_000_000, description="A mesh of more points is simplified to about as many.")
    ] = 1_000_000
    full: Annotated[Literal[0, 1], Meta(description="1: every point and face, whatever `points` says.")] = 0
    format: Annotated[
        Literal["json", "columns", "ply"], Meta(description="ply: a file for 3-D programs.")
    ] = "json"


class MeshInfo(Struct, frozen=True, kw_only=True):
    """All about a mesh but its numbers."""

    step: int
    wall_time: Number
    batches: Annotated[int, Meta(description="How many meshes were logged together.")]
    config: Annotated[str, Meta(description="JSON as logged: camera, lights and material of three.js.")]
    total_points: Annotated[int, Meta(description="As logged; the answer may have fewer.")]
    total_faces: int
    faces_step: Annotated[int | None, Meta(description="When the faces were logged.")]
    colors_step: int | None
    problems: Annotated[list[str], Meta(description="What could not be used or was left out, in words.")]


class Mesh(MeshInfo, frozen=True, kw_only=True):
    """A mesh in numbers."""

    vertices: list[Number]
    faces: Annotated[list[int] | None, Meta(description="Three vertices each; null for a cloud of points.")]
    colors: Annotated[list[int] | None, Meta(description="Red, green and blue of every vertex, 0 to 255.")]
