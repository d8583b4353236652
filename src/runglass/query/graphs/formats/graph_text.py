"""Graphs in protobuf's text format (`.pbtxt`), as TensorBoard takes and gives them."""

from __future__ import annotations

import re

from runglass.native.wire import Field, Message, encode
from runglass.query.graphs.formats.graph_def import parse_graph_def
from runglass.query.graphs.model import Graph, GraphDamaged
from runglass.schema.graph import GRAPH
from runglass.schema.tensor import REFERENCE, DataType
from runglass.schema.text_proto import TextProtoError, parse_items, parse_text

# Names of data types as a text has them.
ENUMS = {
    **{f"DT_{kind.name}": kind.value for kind in DataType},
    **{f"DT_{kind.name}_REF": kind.value + REFERENCE for kind in DataType},
}
META_GRAPH = Message("MetaGraphDef", Field(2, "graph_def", GRAPH))
SAVED_MODEL = Message("SavedModel", Field(2, "meta_graphs", META_GRAPH, repeated=True))
FIRST_FIELD = re.compile(r"(?:\s|#[^\n]*)*([a-z_]+)\s*[:{<]")
FIELDS = {
    **dict.fromkeys(("node", "library", "versions", "version", "debug_info"), "graph"),
    **dict.fromkeys(("meta_info_def", "graph_def", "saver_def", "collection_def"), "meta_graph"),
    **dict.fromkeys(("saved_model_schema_version", "meta_graphs"), "saved_model"),
}


def find_kind(text: str) -> str | None:
    """Which message a text is, by its first field; None if it is none of a graph."""
    match = FIRST_FIELD.match(text)
    return FIELDS.get(match[1]) if match else None


def parse_graph_text(text: str) -> Graph:
    kind = find_kind(text)
    try:
        if kind == "meta_graph":
            data = encode(GRAPH, parse_text(META_GRAPH, text, ENUMS).get("graph_def", {}))
        elif kind == "saved_model":
            graphs = parse_text(SAVED_MODEL, text, ENUMS).get("meta_graphs", [{}])
            data = encode(GRAPH, graphs[0].get("graph_def", {}))
        else:
            # Node by node, because a large graph in Python objects is many times its text. Fields that repeat are merged.
            data = b"".join(
                encode(GRAPH, {field.name: [value] if field.repeated else value})
                for field, value in parse_items(GRAPH, text, ENUMS)
            )
    except TextProtoError as error:
        raise GraphDamaged(f"This is not a GraphDef as text: {error}") from None
    except (ValueError, OverflowError) as error:
        raise GraphDamaged(f"This is not a GraphDef as text: {error}.") from None
    return parse_graph_def(data)
