"""From a request about one graph to its answer: the graph is loaded, and what is computed of it is encoded, in a thread."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from runglass.api.route import Answer, Later, encode_json
from runglass.dashboards.graphs.loaded import LoadedGraph, known_graphs
from runglass.dashboards.graphs.shape import GraphRef
from runglass.machine import paused_collection
from runglass.query.graphs.node_table import NodeTable, read_table
from runglass.query.graphs.structure import StructureView
from runglass.query.source import DataSource


def ask(source: DataSource, ref: GraphRef, answer: Callable[[LoadedGraph], Struct]) -> Later:
    def work() -> Answer:
        # Graphs and answers are many objects without cycles.
        with paused_collection():
            made = answer(known_graphs.of(source).load(source, ref))
            return made if isinstance(made, Answer) else Answer(encode_json(made))

    return Later(work)


def node_table(loaded: LoadedGraph) -> NodeTable:
    return read_table(loaded.show(StructureView()))
