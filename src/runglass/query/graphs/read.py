"""Which graphs there are, and one of them: from event files, from files beside them, or from bytes that a user dropped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from runglass.query.graphs.formats.files import parse_asset, parse_file, parts_of, profile_of
from runglass.query.graphs.formats.graph_def import parse_graph_def
from runglass.query.graphs.formats.keras_json import parse_keras
from runglass.query.graphs.formats.run_metadata import Profile, parse_profile, parse_run_metadata
from runglass.query.graphs.model import Graph, GraphDamaged, GraphUnknown
from runglass.query.graphs.rows import LogGraph
from runglass.query.source import DataSource, Values
from runglass.store.model import Asset, Family, Kind, SeriesKey

RUN_GRAPH = "__run_graph__"
# By plugin: the format, and how its bytes become a graph.
PARSERS = {
    "graphs": ("GraphDef", parse_graph_def),
    "meta_graphs": ("GraphDef", parse_graph_def),
    "graph_run_metadata": ("GraphDef", parse_run_metadata),
    "graph_run_metadata_graph": ("GraphDef", parse_run_metadata),
    "graph_keras_model": ("Keras", parse_keras),
}
# Profiles of the run's graph have tags of their own; of a trace, the profile is in the same value.
PROFILE_PLUGIN = "graph_tagged_run_metadata"
TRACE_PLUGIN = "graph_run_metadata"
# PyTorch's writer adds a profile of no node to every graph. It is smaller than any with a node.
EMPTY_PROFILE_BYTES = 128


class GraphInfo(Struct, frozen=True):
    """One graph in a listing, for which no graph is parsed."""

    run: str
    # The tag, or the path of the file below the run's directory.
    name: str
    # "GraphDef", "Keras", "ONNX", "torch.export" or "HLO".
    format: str
    # At which steps it was logged, each once; empty for a file.
    steps: tuple[int, ...]
    # Equal numbers mean an unchanged graph.
    generation: int
    is_asset: bool = False
    # Names of its profiles, the newest last.
    profiles: tuple[str, ...] = ()


def list_graphs(source: DataSource, run: str | None = None) -> list[GraphInfo]:
    """In the order of runs; the run's own graph first, then traces and models as they were logged, then files."""
    found: list[GraphInfo] = []
    profiles: dict[str, list[str]] = {}
    for info in source.list_series(run=run, kind=Kind.GRAPH):
        plugin = info.meta.plugin
        if plugin == PROFILE_PLUGIN:
            if _has_nodes(_values(source, info.key)):
                profiles.setdefault(info.key.run, []).append(info.key.tag)
        elif plugin in PARSERS:
            values = _values(source, info.key)
            own = (info.key.tag,) if plugin == TRACE_PLUGIN and _has_nodes(values) else ()
            steps = tuple(dict.fromkeys(values.step.tolist()))
            name = PARSERS[plugin][0]
            found.append(GraphInfo(info.key.run, info.key.tag, name, steps, info.generation, profiles=own))
    found += _list_files(source, run)
    order = {each.name: number for number, each in enumerate(source.list_runs())}
    found.sort(key=lambda each: (order.get(each.run, len(order)), each.is_asset, each.name != RUN_GRAPH))
    return [
        _with_profiles(each, profiles.get(each.run, ())) if each.name == RUN_GRAPH else each for each in found
    ]


def _with_profiles(info: GraphInfo, names: list[str] | tuple[str, ...]) -> GraphInfo:
    return GraphInfo(
        info.run, info.name, info.format, info.steps, info.generation, info.is_asset, tuple(names)
    )


def _list_files(source: DataSource, run: str | None) -> Iterator[GraphInfo]:
    for family in (Family.GRAPH, Family.PROFILE):
        for asset in source.list_assets(run=run, family=family):
            for name, format in parts_of(source, asset):
                # A program stands in the profile that tells what it took.
                profiles = (asset.name,) if name != asset.name else ()
                yield GraphInfo(
                    asset.run, name, format, (), asset.generation, is_asset=True, profiles=profiles
                )


def read_graph(source: DataSource, run: str, name: str | None = None, *, step: int | None = None) -> Graph:
    """The newest graph of this name, or the newest at a step; without a name, the first of the run."""
    return read_found(source, find_graph(source, run, name), step)


def read_log_graph(
    source: DataSource, run: str, name: str | None = None, *, step: int | None = None
) -> LogGraph:
    """As `read_graph`, for code."""
    info = find_graph(source, run, name)
    return LogGraph(read_found(source, info, step), info.name)


def read_found(source: DataSource, info: GraphInfo, step: int | None) -> Graph:
    """As `read_graph`, of one that was listed."""
    if info.is_asset:
        return parse_asset(source, find_asset(source, info), info.name)
    values = _values(source, SeriesKey(info.run, info.name))
    data = _load(source, values, step, info.name)
    return PARSERS[values.meta.plugin][1](data)


def read_file(name: str, data: bytes) -> Graph:
    """A file that belongs to no run. Its content decides what it is; its name only where that does not."""
    return parse_file(name, data)


def read_profile(
    source: DataSource, run: str, name: str | None = None, profile: str | None = None
) -> Profile | None:
    """What the nodes of a graph took, from one of its profiles, by default the newest; None if it has none."""
    info = find_graph(source, run, name)
    chosen = profile or (info.profiles[-1] if info.profiles else None)
    if chosen is None:
        return None
    if chosen not in info.profiles:
        raise GraphUnknown(f"Graph {info.name!r} of run {run!r} has no profile {chosen!r}.", where=chosen)
    if info.is_asset:
        return profile_of(source, find_asset(source, info), info.name)
    return parse_profile(_load(source, _values(source, SeriesKey(run, chosen)), None, chosen))


def find_graph(source: DataSource, run: str, name: str | None) -> GraphInfo:
    """Without a name, the first of the run."""
    graphs = list_graphs(source, run)
    for info in graphs:
        if name is None or info.name == name:
            return info
    if not graphs:
        raise GraphUnknown(f"Run {run!r} has no graph.", where=run)
    known = ", ".join(repr(info.name) for info in graphs[:10])
    raise GraphUnknown(f"Run {run!r} has no graph {name!r}, only {known}.", where=name)


def find_asset(source: DataSource, info: GraphInfo) -> Asset:
    """The file that a graph is, or is in."""
    for family in (Family.GRAPH, Family.PROFILE):
        for asset in source.list_assets(run=info.run, family=family):
            if info.name == asset.name or info.name.startswith(f"{asset.name}/"):
                return asset
    raise GraphUnknown(f"Run {info.run!r} has no file {info.name!r} any more.", where=info.name)


def _values(source: DataSource, key: SeriesKey) -> Values:
    return source.read_values(key, kind=Kind.GRAPH, attempts="all")


def _has_nodes(values: Values) -> bool:
    return values.size_bytes is None or bool(np.any(values.size_bytes > EMPTY_PROFILE_BYTES))


def _load(source: DataSource, values: Values, step: int | None, name: str) -> bytes:
    rows = np.arange(len(values.step)) if step is None else np.flatnonzero(values.step == step)
    if not len(rows):
        raise GraphUnknown(f"Graph {name!r} was not logged at step {step}.", where=name)
    data = source.load_value(values, int(rows[-1]))
    if not isinstance(data, bytes):
        raise GraphDamaged(f"Graph {name!r}: expected bytes, found {type(data).__name__}.", where=name)
    return data
