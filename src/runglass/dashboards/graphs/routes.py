"""The graph routes: which graphs there are, and levels of one. The page lays them out."""

from __future__ import annotations

from runglass.api.route import Later, NoParameters, Reply, Route
from runglass.dashboards.graphs.loaded import known_graphs, listed_graph
from runglass.dashboards.graphs.shape import GraphList, LevelsAnswer, LevelsBody
from runglass.machine import paused_collection
from runglass.query.graphs.read import list_graphs
from runglass.query.source import DataSource


def list_all(source: DataSource, _: NoParameters) -> Reply:
    """Every graph of every run, without reading any."""
    return Later(lambda: GraphList(source.generation, [listed_graph(info) for info in list_graphs(source)]))


def read_levels(source: DataSource, body: LevelsBody) -> Reply:
    """Nodes and edges of groups of a graph, and of groups inside them down to a depth."""

    def work() -> LevelsAnswer:
        with paused_collection():
            loaded = known_graphs.of(source).load(source, body.graph)
            levels = loaded.show(body.view).read_levels(body.groups, depth=body.depth, limit=body.limit)
            return LevelsAnswer(loaded.facts, levels)

    return Later(work)


ROUTES = (
    Route("/api/graphs", list_all, GraphList),
    Route("/api/graphs/levels", read_levels, LevelsAnswer, body=LevelsBody),
)
