"""Encodes one mesh at one moment as JSON, columns or a PLY file. Knows no routes."""

from __future__ import annotations

from msgspec import Struct

from runglass.api.answers import attachment, little_endian, number, numbers, pack_columns
from runglass.api.route import COLUMNS, Answer
from runglass.api.samples import CACHE_FOREVER, OCTETS
from runglass.dashboards.mesh.geometry import count_batch, make_geometry
from runglass.dashboards.mesh.parts import Moment, load_moment
from runglass.dashboards.mesh.ply import encode_ply
from runglass.dashboards.mesh.shape import Mesh, MeshInfo, MeshQuery
from runglass.errors import SampleGone
from runglass.query.source import DataSource
from runglass.schema.mesh import MeshPart

# A real configuration has a few lines.
MAX_CONFIG = 100_000


def load_answer(source: DataSource, query: MeshQuery) -> Answer | Struct:
    moment = load_moment(source, query)
    arrays = {part: value.array for part, value in moment.parts.items()}
    batches = count_batch(arrays.get(MeshPart.VERTEX))
    if query.batch and query.batch >= batches:
        raise SampleGone(
            f"This value has no mesh {query.batch}. Meshes are numbered from 0; it has {batches}.",
            where="batch",
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
        geometry.problems.append(
            f"The configuration has {len(moment.config):,} characters; the limit is {MAX_CONFIG:,}, so it is not used."
        )
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
    is_final = query.is_exact and moment.is_settled
    return Answer(pack_columns(head, blocks), COLUMNS, (CACHE_FOREVER,) if is_final else ())


def _step_of(moment: Moment, part: MeshPart) -> int | None:
    value = moment.parts.get(part)
    return None if value is None else value.step
