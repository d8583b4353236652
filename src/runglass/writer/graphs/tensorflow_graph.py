"""The graph of a tf.Graph, a tf.function or a GraphDef message, without large constants."""

from __future__ import annotations

from typing import Any

from runglass.errors import BadArgument
from runglass.native.wire import WireError, decode, encode
from runglass.schema.graph import GRAPH
from runglass.writer.graphs.arguments import call_arguments
from runglass.writer.graphs.node import Graph, without_large


def is_tensorflow(model: object) -> bool:
    return (
        hasattr(model, "as_graph_def")
        or hasattr(model, "get_concrete_function")
        or type(model).__name__ == "GraphDef"
    )


def tensorflow_graph(model: Any, inputs: object) -> Graph:
    if hasattr(model, "get_concrete_function"):
        args, kwargs = call_arguments(model, () if inputs is None else inputs)
        try:
            model = model.get_concrete_function(*args, **kwargs).graph
        except Exception as error:
            raise BadArgument(
                f"add_graph cannot trace this tf.function: {error} Pass its arguments as "
                "input_to_model, several in a tuple."
            ) from error
    message = model.as_graph_def() if hasattr(model, "as_graph_def") else model
    return Graph(events=[{"graph_def": trimmed(message.SerializeToString())}])


def trimmed(graph_def: bytes) -> bytes:
    try:
        graph = decode(GRAPH, graph_def)
    except WireError as error:
        raise BadArgument(f"add_graph cannot read this GraphDef: {error}") from error
    functions = graph.get("library", {}).get("function", [])
    nodes = [
        *graph.get("node", []),
        *(node for function in functions for node in function.get("node_def", [])),
    ]
    for node in nodes:
        if "attr" in node:
            node["attr"] = without_large(node["attr"])
    return encode(GRAPH, graph)
