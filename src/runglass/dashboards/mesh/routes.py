"""The mesh route: one mesh or point cloud at one moment, from the three series that its parts are logged in."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from runglass.api.answers import Number, attachment, little_endian, number, numbers, pack_columns
from runglass.api.route import COLUMNS, JSON, Answer, Later, Reply, Route
from runglass.api.samples import FOR_EVER, OCTETS, SampleQuery
from runglass.dashboards.mesh.geometry import count_batch, make_geometry
from runglass.dashboards.mesh.parts import Moment, load_moment
from runglass.dashboards.mesh.ply import encode_ply
from runglass.errors import SampleGone
from runglass.query.source import DataSource
from runglass.schema.mesh import MeshPart

# A configuration is a few lines; a longer one is not one.
MAX_CONFIG = 100_000


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


def read_geometry(source: DataSource, query: MeshQuery) -> Reply:
    """One mesh or point cloud: vertices, faces and colours as they were at one step."""
    return Later(lambda: _geometry_answer(source, query))


def _geometry_answer(source: DataSource, query: MeshQuery) -> Answer | Struct:
    moment = load_moment(source, query)
    arrays = {part: value.array for part, value in moment.parts.items()}
    batches = count_batch(arrays.get(MeshPart.VERTEX))
    if query.batch and query.batch >= batches:
        raise SampleGone(
            f"{batches} mesh(es) were logged together; there is no number {query.batch}.", where="batch"
        )
    geometry = make_geometry(
        arrays.get(MeshPart.VERTEX),
        arrays.get(MeshPart.FACE),
        arrays.get(MeshPart.COLOR),
        batch=query.batch,
        max_points=None if query.full else query.points,
    )
    if query.format == "ply":
        name = attachment(f"{query.run}_{query.tag}_{moment.step}.ply")
        return Answer(encode_ply(geometry), OCTETS, (name,))
    config = moment.config
    if len(config) > MAX_CONFIG:
        config = ""
        geometry.problems.append(f"Its configuration of {len(moment.config):,} letters is not used.")
    info = MeshInfo(
        step=moment.step,
        wall_time=number(moment.wall_time),
        batches=batches,
        config=config,
        total_points=geometry.total_points,
        total_faces=geometry.total_faces,
        faces_step=_step_of(moment, MeshPart.FACE),
        colors_step=_step_of(moment, MeshPart.COLOR),
        problems=geometry.problems,
    )
    known = {name: getattr(info, name) for name in MeshInfo.__struct_fields__}
    vertices, faces, colors = geometry.vertices, geometry.faces, geometry.colors
    if query.format == "json":
        return Mesh(
            **known,
            vertices=numbers(vertices.reshape(-1)),
            faces=None if faces is None else faces.reshape(-1).tolist(),
            colors=None if colors is None else colors.reshape(-1).tolist(),
        )
    head = {
        "version": 1,
        **known,
        "points": len(vertices),
        "faces": None if faces is None else len(faces),
        "has_colors": colors is not None,
    }
    blocks = [little_endian(each) for each in (vertices, faces, colors) if each is not None]
    is_exact = query.row is not None and query.wall_time is not None
    return Answer(pack_columns(head, blocks), COLUMNS, (FOR_EVER,) if is_exact and moment.is_settled else ())


def _step_of(moment: Moment, part: MeshPart) -> int | None:
    value = moment.parts.get(part)
    return None if value is None else value.step


ROUTES = (
    Route("/api/mesh/geometry", read_geometry, Mesh, query=MeshQuery, media_types=(COLUMNS, JSON, OCTETS)),
)
