"""Files with graphs: which format a file has, and the graph in it."""

from __future__ import annotations

from collections.abc import Callable

from runglass.query.graphs.graph_def import parse_graph_def
from runglass.query.graphs.keras_json import parse_keras
from runglass.query.graphs.model import Graph, GraphDamaged
from runglass.query.source import DataSource
from runglass.store.model import Asset, Family

# By the ending of the name.
ENDINGS = {".onnx": "ONNX", ".pt2": "torch.export", ".pbtxt": "GraphDef", ".pb": "GraphDef", ".json": "Keras"}
FORMATS: dict[str, Callable[[bytes], Graph]] = {"GraphDef": parse_graph_def, "Keras": parse_keras}
# Configurations and fingerprints beside models.
NOT_GRAPHS = frozenset({"projector_config.pbtxt", "fingerprint.pb", "keras_metadata.pb"})


def find_format(name: str) -> str | None:
    """By name alone; None if it is none that holds a graph."""
    for ending, format in ENDINGS.items():
        if name.endswith(ending):
            return format
    return None


def parts_of(source: DataSource, asset: Asset) -> list[tuple[str, str]]:
    """Names and formats of the graphs in a file."""
    if asset.family is not Family.GRAPH or asset.name.rpartition("/")[2] in NOT_GRAPHS:
        return []
    format = find_format(asset.name)
    return [] if format is None else [(asset.name, format)]


def parse_asset(source: DataSource, asset: Asset, name: str) -> Graph:
    with source.open_asset(asset) as reader:
        return parse_file(name, reader.read(0, reader.size_bytes))


def parse_file(name: str, data: bytes) -> Graph:
    format = find_format(name)
    if format is None or format not in FORMATS:
        raise GraphDamaged(f"{name}: no format of graphs that is known.", where=name)
    return FORMATS[format](data)
