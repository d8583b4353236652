"""The mesh route: one mesh or point cloud at one moment, from the series of its parts."""

from __future__ import annotations

from runglass.api.route import COLUMNS, JSON, Later, Reply, Route
from runglass.api.samples import OCTETS
from runglass.dashboards.mesh.answers import load_answer
from runglass.dashboards.mesh.shape import Mesh, MeshQuery
from runglass.query.source import DataSource


def read_geometry(source: DataSource, query: MeshQuery) -> Reply:
    """One mesh or point cloud: vertices, faces and colours as they were at one step."""
    return Later(lambda: load_answer(source, query))


ROUTES = (
    Route("/api/mesh/geometry", read_geometry, Mesh, query=MeshQuery, media_types=(COLUMNS, JSON, OCTETS)),
)
