"""Files with graphs: which format a file has, and the graph in it. Of large ones, the weights are not read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from runglass.errors import RunglassError
from runglass.lru import LruCache
from runglass.native.graph import scan_nodes
from runglass.query.graphs.formats.archives import Archive
from runglass.query.graphs.formats.exported_program import parse_archive, parse_program
from runglass.query.graphs.formats.graph_def import Part, parse_parts
from runglass.query.graphs.formats.graph_text import find_kind, parse_graph_text
from runglass.query.graphs.formats.hlo import Module, list_modules, parse_hlo
from runglass.query.graphs.formats.hlo_profile import read_module_profile
from runglass.query.graphs.formats.keras_json import parse_keras
from runglass.query.graphs.formats.onnx import parse_onnx
from runglass.query.graphs.formats.run_metadata import Profile
from runglass.query.graphs.formats.skim import skim
from runglass.query.graphs.model import Graph, GraphDamaged
from runglass.query.source import DataSource
from runglass.store.model import Asset, Family

GRAPH_DEF, KERAS, ONNX, EXPORTED, HLO = "GraphDef", "Keras", "ONNX", "torch.export", "HLO"
# By the ending of the name, the first that fits.
ENDINGS = (
    *((".onnx", ONNX), (".pt2", EXPORTED), (".keras", KERAS), (".json", KERAS)),
    *((".hlo_proto.pb", HLO), (".pbtxt", GRAPH_DEF), (".pb", GRAPH_DEF), (".meta", GRAPH_DEF)),
)
# Files beside models that are no graphs, and profiles of other tools.
NOT_GRAPHS = re.compile(
    r"projector_config\.pbtxt|fingerprint\.pb|keras_metadata\.pb|.*\.xplane\.pb|NO_MODULE\..*|.*_stats\.pb"
)
XSPACE = ".xplane.pb"
# Messages that a name tells for sure.
MESSAGES = (
    ("saved_model.pb", "saved_model"),
    (".onnx", "onnx"),
    (".hlo_proto.pb", "hlo"),
    (".meta", "meta_graph"),
)
# Smaller files are read at once.
SMALL_FILE_BYTES = 4 << 20
# Of a text: it takes seconds for every few megabytes.
TEXT_LIMIT_BYTES = 128 << 20
ZIP = b"PK\x03\x04"
OP = re.compile(r"[A-Za-z_][\w.>:/-]*")
NO_NODE = 1 << 20

Read = Callable[[int, int], bytes]


class Content(NamedTuple):
    """The bytes of a file, wherever they are."""

    name: str
    read: Read
    size: int

    def whole(self, limit: int) -> bytes:
        if self.size > limit:
            raise GraphDamaged(
                f"{self.name} has {self.size:,} bytes; at most {limit:,} are read.", where=self.name
            )
        return self.read(0, self.size)


# Programs in profiles, by run, name and generation of the file.
_modules: LruCache[tuple[tuple[str, ...], str, str, int], list[Module]] = LruCache(4096)


def find_format(name: str) -> str | None:
    """By name alone; None if it is none that holds a graph."""
    base = name.rpartition("/")[2]
    if NOT_GRAPHS.fullmatch(base):
        return None
    return next((format for ending, format in ENDINGS if base.endswith(ending)), None)


def parts_of(source: DataSource, asset: Asset) -> list[tuple[str, str]]:
    """Names and formats of the graphs in a file."""
    if asset.name.endswith(XSPACE):
        return [(f"{asset.name}/{module.name}", HLO) for module in known_modules(source, asset)]
    format = find_format(asset.name)
    if format is None or (asset.family is not Family.GRAPH and format != HLO):
        return []
    return [(asset.name, format)]


def known_modules(source: DataSource, asset: Asset) -> list[Module]:
    key = (tuple(source.locations), asset.run, asset.name, asset.generation)
    found = _modules.get(key)
    if found is None:
        try:
            with source.open_asset(asset) as reader:
                found = list_modules(reader.read, reader.size_bytes)
        except RunglassError:
            # It went away or changed; the next listing sees what is there then.
            return []
        _modules.put(key, found)
    return found


def parse_asset(source: DataSource, asset: Asset, name: str) -> Graph:
    """The graph `name`: the file itself, or a program in it."""
    with source.open_asset(asset) as reader:
        if not asset.name.endswith(XSPACE):
            return parse_content(Content(name, reader.read, reader.size_bytes))
        modules = {f"{asset.name}/{each.name}": each for each in list_modules(reader.read, reader.size_bytes)}
        if name in modules:
            start, end = modules[name].start, modules[name].end
            return parse_hlo(skim(lambda at, count: reader.read(start + at, count), end - start, "hlo").data)
    raise GraphDamaged(f"{asset.name} has no program {name.rpartition('/')[2]!r}.", where=name)


def profile_of(source: DataSource, asset: Asset, name: str) -> Profile | None:
    """What the instructions of a program took, from the profile that it is in."""
    with source.open_asset(asset) as reader:
        for module in list_modules(reader.read, reader.size_bytes):
            if name == f"{asset.name}/{module.name}":
                return read_module_profile(reader.read, reader.size_bytes, module)
    return None


def parse_file(name: str, data: bytes) -> Graph:
    """A file that belongs to no run."""
    return parse_content(Content(name, lambda at, count: data[at : at + count], len(data)))


def parse_content(content: Content) -> Graph:
    """Its first bytes decide what it is; its name only where they do not."""
    head = content.read(0, 4096)
    if not head:
        raise GraphDamaged(f"{content.name} is empty.", where=content.name)
    if head.startswith(ZIP):
        return parse_zip(Archive(content.read, content.size))
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith((b"{", b"[")):
        return parse_json(content.whole(TEXT_LIMIT_BYTES))
    if is_text(head) and find_kind(head.decode("utf-8", "replace")):
        return parse_graph_text(content.whole(TEXT_LIMIT_BYTES).decode("utf-8", "replace"))
    return parse_binary(content)


def is_text(head: bytes) -> bool:
    return not re.search(rb"[\x00-\x08\x0e-\x1f]", head)


def parse_zip(archive: Archive) -> Graph:
    for name in ("config.json", "model/config.json"):
        if name in archive.names:
            return parse_keras(archive.read(name))
    return parse_archive(archive)


def parse_json(data: bytes) -> Graph:
    # Both are one JSON object; a program of torch.export begins with its graph.
    if b'"graph_module"' in data[:4096]:
        return parse_program(data)
    return parse_keras(data)


def parse_binary(content: Content) -> Graph:
    kind = find_message(content)
    if kind is None:
        raise GraphDamaged(
            f"{content.name} is of no known format. Graphs are read from GraphDef (.pb, .pbtxt), saved_model.pb, ONNX (.onnx), "
            "torch.export (.pt2), Keras (.keras, .json) and HLO (.hlo_proto.pb).",
            where=content.name,
        )
    if content.size <= SMALL_FILE_BYTES:
        try:
            return parse_message(content.whole(SMALL_FILE_BYTES), kind)
        except GraphDamaged:
            if kind == "graph":
                raise
    # Without the weights, or without what a file that is cut off has lost.
    data, cut_at = skim(content.read, content.size, kind)
    graph = parse_message(data, kind)
    if cut_at is not None:
        cut = f"The file ends at byte {content.size:,}, in the middle of the field at byte {cut_at:,}. What stands before is shown."
        graph.problems = (cut, *graph.problems)
    return graph


def parse_message(data: bytes, kind: str) -> Graph:
    if kind == "onnx":
        return parse_onnx(data)
    if kind == "hlo":
        return parse_hlo(data)
    return parse_graph_at(data, kind)


def parse_graph_at(data: bytes, kind: str) -> Graph:
    """The graph of a GraphDef, of a MetaGraphDef, or of the first MetaGraphDef in a SavedModel."""
    start, end = 0, len(data)
    for outer in {"saved_model": ("meta_graph", "graph"), "meta_graph": ("graph",)}.get(kind, ()):
        inner = next((each for each in fields_of(data, start, end) if each[0] == 2), None)
        if inner is None:
            raise GraphDamaged(f"This file has no {outer.replace('_', ' ')}. It may be cut off.")
        start, end = inner[1], inner[1] + inner[2]
    return parse_parts(data, [Part(start, end)])


def fields_of(data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
    """Number, start and size of the fields with a length."""
    return scan_nodes(data, start, end, NO_NODE).others


def find_message(content: Content) -> str | None:
    """Which message the bytes are, by their beginning, and by the name where that fits several."""
    head = content.read(0, 1 << 16)
    base = content.name.rpartition("/")[2]
    for ending, kind in MESSAGES:
        if base.endswith(ending):
            return kind
    if looks_like_graph(head):
        return "graph"
    # A version first: of ONNX, followed by the producer or the graph, or of a SavedModel, followed by its graphs.
    if head[:1] == b"\x08":
        numbers = {number for number, _, _ in open_fields(head)}
        return "onnx" if numbers & {3, 4, 6, 7, 8} else "saved_model"
    for number, start, size in open_fields(head):
        if number == 2 and looks_like_graph(head[start : start + size]):
            return "meta_graph"
        # A module of XLA has a name and computations.
        if number == 1 and {each[0] for each in open_fields(head[start : start + size])} >= {1, 2, 3}:
            return "hlo"
    return "graph" if base.endswith(".pb") else None


def open_fields(head: bytes) -> list[tuple[int, int, int]]:
    """As `fields_of`, and the last one even where it goes on past these bytes."""
    scan = scan_nodes(head, 0, len(head), NO_NODE)
    found = list(scan.others)
    if scan.fault_at >= 0:
        at = scan.fault_at
        number = head[at] >> 3
        at += 1
        while at < len(head) and head[at] >= 0x80:
            at += 1
        found.append((number, at + 1, len(head) - at - 1))
    return found


def looks_like_graph(head: bytes) -> bool:
    """Whether these bytes begin with nodes that have a name and an op, or with a library of functions."""
    scan = scan_nodes(head, 0, len(head), 1)
    if scan.names:
        ops = [scan.op_names[code] for code in scan.ops[:8].tolist()]
        return all(OP.fullmatch(op) for op in ops) and not any("\0" in name for name in scan.names[:8])
    return False
