"""The graph routes: which graphs there are, levels of one, and every question about its nodes. The page lays it out."""

from __future__ import annotations

from runglass.api.answers import attachment
from runglass.api.route import CSV, JSON, Answer, Later, NoParameters, Reply, Route, Upload
from runglass.dashboards.graphs.asking import ask, node_table
from runglass.dashboards.graphs.loaded import LoadedGraph, known_graphs, listed_graph
from runglass.dashboards.graphs.painting import families, paint
from runglass.dashboards.graphs.searching import answer_search
from runglass.dashboards.graphs.shape import (
    AttributeBody,
    DifferenceBody,
    FamiliesAnswer,
    FileQuery,
    GraphBody,
    GraphFile,
    GraphList,
    GraphRef,
    LevelsAnswer,
    LevelsBody,
    NodeBody,
    PaintAnswer,
    PaintBody,
    SearchBody,
    TableQuery,
    TraceBody,
    WholeAttribute,
)
from runglass.dashboards.graphs.table_file import encode_table_csv
from runglass.machine import paused_collection
from runglass.query.graphs.difference import DifferenceAnswer
from runglass.query.graphs.node_info import NodeAnswer, find_attribute, read_node
from runglass.query.graphs.node_table import NodeTable
from runglass.query.graphs.read import list_graphs
from runglass.query.graphs.search import SearchAnswer
from runglass.query.graphs.trace import TraceAnswer, trace
from runglass.query.source import DataSource

MAX_FILE_BYTES = 512 << 20


def list_all(source: DataSource, _: NoParameters) -> Reply:
    """Every graph of every run, without reading any."""
    return Later(lambda: GraphList(source.generation, [listed_graph(info) for info in list_graphs(source)]))


def add_file(source: DataSource, upload: Upload) -> Reply:
    """Parse a file that the user chose, and keep it in memory for that page."""

    def work() -> GraphFile:
        assert isinstance(upload.query, FileQuery)
        token, loaded = known_graphs.of(source).add_file(upload.query.name, upload.data)
        return GraphFile(token, loaded.graph.format, len(loaded.graph))

    return Later(work)


def read_levels(source: DataSource, body: LevelsBody) -> Reply:
    """Nodes and edges of groups of a graph, and of groups inside them down to a depth."""
    return ask(
        source,
        body.graph,
        lambda loaded: LevelsAnswer(
            loaded.facts,
            loaded.show(body.view).read_levels(body.groups, depth=body.depth, limit=body.limit),
        ),
    )


def read_one_node(source: DataSource, body: NodeBody) -> Reply:
    """One node or group: attributes, inputs and outputs, costs, where it stands."""
    return ask(source, body.graph, lambda loaded: read_node(loaded.show(body.view), body.id))


def read_attribute(source: DataSource, body: AttributeBody) -> Reply:
    """An attribute of a node as a whole."""
    return ask(
        source,
        body.graph,
        lambda loaded: WholeAttribute(find_attribute(loaded.show(body.view), body.id, body.name)),
    )


def search_nodes(source: DataSource, body: SearchBody) -> Reply:
    """Nodes with a text or pattern in name, op, attributes, shape, dtype or device; all are counted."""
    return answer_search(source, body)


def trace_node(source: DataSource, body: TraceBody) -> Reply:
    """What leads to a node, what it leads to, or the paths to another."""
    return ask(
        source,
        body.graph,
        lambda loaded: trace(loaded.show(body.view), body.id, body.direction, body.to, body.shown),
    )


def paint_nodes(source: DataSource, body: PaintBody) -> Reply:
    """Values of nodes: costs, a family of tags at a step, or values by name."""
    return ask(source, body.graph, lambda loaded: paint(source, loaded, body))


def list_node_families(source: DataSource, body: GraphBody) -> Reply:
    """Families of tags whose names are those of nodes or modules."""
    return ask(source, body.graph, lambda loaded: families(source, loaded, body.graph.run))


def compare(source: DataSource, body: DifferenceBody) -> Reply:
    """What was added, removed and changed between two graphs."""

    def work() -> DifferenceAnswer:
        with paused_collection():
            reader = known_graphs.of(source)
            a, b = reader.load(source, body.a), reader.load(source, body.b)
            found = reader.compare(a, b)
            return found.answer(a.show(body.view), b.show(body.view), body.shown_a, body.shown_b)

    return Later(work)


def read_node_table(source: DataSource, body: GraphBody) -> Reply:
    """All nodes in columns."""
    return ask(source, body.graph, node_table)


def read_table_rows(source: DataSource, query: TableQuery) -> Reply:
    """All nodes, for code: in columns, or as CSV."""
    ref = GraphRef(query.run, query.name, query.step)
    if query.format == "json":
        return ask(source, ref, node_table)

    def work(loaded: LoadedGraph) -> Answer:
        name = f"{query.run}-{query.name or 'graph'}.csv"
        return Answer(encode_table_csv(node_table(loaded)), CSV, (attachment(name),))

    return ask(source, ref, work)


ROUTES = (
    Route("/api/graphs", list_all, GraphList),
    Route("/api/graphs/file", add_file, GraphFile, query=FileQuery, upload_bytes=MAX_FILE_BYTES),
    Route("/api/graphs/levels", read_levels, LevelsAnswer, body=LevelsBody),
    Route("/api/graphs/node", read_one_node, NodeAnswer, body=NodeBody),
    Route("/api/graphs/attribute", read_attribute, WholeAttribute, body=AttributeBody),
    Route("/api/graphs/search", search_nodes, SearchAnswer, body=SearchBody, is_long=True),
    Route("/api/graphs/trace", trace_node, TraceAnswer, body=TraceBody),
    Route("/api/graphs/paint", paint_nodes, PaintAnswer, body=PaintBody),
    Route("/api/graphs/families", list_node_families, FamiliesAnswer, body=GraphBody),
    Route("/api/graphs/difference", compare, DifferenceAnswer, body=DifferenceBody, is_long=True),
    Route("/api/graphs/table", read_node_table, NodeTable, body=GraphBody),
    Route("/api/graphs/table", read_table_rows, NodeTable, query=TableQuery, media_types=(JSON, CSV)),
)
