"""Graphs that were read, with what was computed of them, kept as long as they are the newest and somebody asks."""

from __future__ import annotations

import threading
from functools import cached_property
from secrets import token_urlsafe

import numpy as np
from numpy.typing import NDArray

from runglass.api.kept import PerSource
from runglass.dashboards.graphs.shape import GraphFacts, GraphRef, ListedGraph, NameCount
from runglass.errors import BadRequest
from runglass.lru import LruCache
from runglass.query.graphs.alignment import Side
from runglass.query.graphs.difference import Difference
from runglass.query.graphs.matching import Names
from runglass.query.graphs.measures import Measures
from runglass.query.graphs.model import Graph, GraphUnknown
from runglass.query.graphs.read import GraphInfo, find_graph, read_file, read_found, read_profile
from runglass.query.graphs.searchable import Searchable
from runglass.query.graphs.shown import Shown
from runglass.query.graphs.structure import Known, StructureView
from runglass.query.source import DataSource

MAX_GRAPHS = 4
MAX_FILES = 4
MAX_VIEWS = 4
MAX_DIFFERENCES = 2
MAX_LISTED = 500


class LoadedGraph:
    def __init__(self, graph: Graph, measures: Measures) -> None:
        self.graph = graph
        self.measures = measures
        self._lock = threading.RLock()
        # By identity: functions live as long as their graph.
        self._texts: dict[int, Searchable] = {}
        self._shown: LruCache[StructureView, Shown] = LruCache(MAX_VIEWS)

    @cached_property
    def known(self) -> Known:
        return Known(self.graph)

    @cached_property
    def names(self) -> Names:
        return Names(self.known)

    @cached_property
    def side(self) -> Side:
        return Side(self.known)

    def texts_of(self, graph: Graph) -> Searchable:
        """Of the graph or of one of its functions."""
        with self._lock:
            texts = self._texts.get(id(graph))
            if texts is None:
                texts = self._texts[id(graph)] = Searchable(graph)
            return texts

    def show(self, view: StructureView) -> Shown:
        with self._lock:
            shown = self._shown.get(view)
            if shown is None:
                shown = Shown(self.known, view, self.measures)
                self._shown.put(view, shown)
            return shown

    @cached_property
    def facts(self) -> GraphFacts:
        graph = self.graph
        parameters = int(graph.parameters.sum())
        flops = float(np.nansum(graph.flops)) or None
        tree = self.show(StructureView()).root.structure.tree
        depth = int(tree.depth[tree.size > 1].max(initial=0)) + 1
        measures = [
            name
            for name, is_there in (
                ("time", bool(self.measures.times)),
                ("memory", bool(self.measures.memories)),
                ("parameters", parameters > 0),
                ("flops", flops is not None),
                ("tpu", self.measures.has_tpu(graph)),
            )
            if is_there
        ]
        return GraphFacts(
            nodes=len(graph),
            edges=len(graph.edge_from),
            parameters=parameters or None,
            flops=flops,
            functions=len(graph.functions),
            depth=depth,
            format=graph.format,
            problems=list(graph.problems),
            ops=count_names(graph.ops, graph.op_names),
            devices=count_names(graph.devices, graph.device_names),
            dtypes=count_names(graph.first_dtypes, graph.dtype_names),
            clusters=count_names(graph.clusters, graph.cluster_names),
            measures=measures,
        )


class GraphReader:
    """The graphs of one source, and the files that pages sent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._graphs: LruCache[tuple[str, str, int | None], tuple[object, LoadedGraph]] = LruCache(MAX_GRAPHS)
        self._files: LruCache[str, LoadedGraph] = LruCache(MAX_FILES)
        self._differences: LruCache[tuple[int, int], tuple[LoadedGraph, LoadedGraph, Difference]] = LruCache(
            MAX_DIFFERENCES
        )

    def load(self, source: DataSource, ref: GraphRef) -> LoadedGraph:
        """Raises RunUnknown, GraphUnknown, GraphDamaged."""
        if ref.file is not None:
            file = self._files.get(ref.file)
            if file is None:
                raise GraphUnknown("This file is no longer kept. Choose it again.", where="file")
            return file
        if ref.run is None:
            raise BadRequest("A graph needs a `run`, or a `file`.", where="graph")
        info = find_graph(source, ref.run, ref.name)
        key = info.run, info.name, ref.step
        # One request parses; the others wait for it.
        with self._lock:
            version = info.generation, info.profiles
            kept = self._graphs.get(key)
            if kept is None or kept[0] != version:
                graph = read_found(source, info, ref.step)
                kept = version, LoadedGraph(graph, read_measures(source, info, graph))
                self._graphs.put(key, kept)
            return kept[1]

    def identify(self, source: DataSource, ref: GraphRef) -> object:
        """What a job about this graph depends on."""
        if ref.file is not None or ref.run is None:
            self.load(source, ref)
            return ref.file
        info = find_graph(source, ref.run, ref.name)
        return [info.run, info.name, info.generation]

    def compare(self, a: LoadedGraph, b: LoadedGraph) -> Difference:
        key = id(a), id(b)
        kept = self._differences.get(key)
        if kept is None or kept[0] is not a or kept[1] is not b:
            kept = a, b, Difference(a.side, b.side)
            self._differences.put(key, kept)
        return kept[2]

    def add_file(self, name: str, data: bytes) -> tuple[str, LoadedGraph]:
        graph = read_file(name, data)
        loaded = LoadedGraph(graph, Measures(graph))
        token = token_urlsafe(12)
        self._files.put(token, loaded)
        return token, loaded


known_graphs: PerSource[GraphReader] = PerSource(GraphReader)


def read_measures(source: DataSource, info: GraphInfo, graph: Graph) -> Measures:
    profile = read_profile(source, info.run, info.name) if info.profiles else None
    return Measures(graph) if profile is None else Measures(graph, profile.time(), profile.memory())


def listed_graph(info: GraphInfo) -> ListedGraph:
    return ListedGraph(info.run, info.name, info.format, list(info.steps), info.is_asset, bool(info.profiles))


def count_names(codes: NDArray[np.int32], names: list[str]) -> list[NameCount]:
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    order = np.argsort(-counts, kind="stable")[:MAX_LISTED].tolist()
    return [NameCount(names[code], int(counts[code])) for code in order if counts[code]]
