"""The graph of a Keras model: its own JSON, on any back end."""

from __future__ import annotations

from typing import Any

from runglass.errors import BadArgument
from runglass.writer.graphs.node import Graph
from runglass.writer.values import summaries

TAG = "keras"
PLUGIN = "graph_keras_model"
PACKAGES = {"keras", "tf_keras"}


def is_keras(model: object) -> bool:
    # By class name, because a Keras model on the PyTorch back end is a torch module too.
    return any(
        kind.__name__ == "Model" and kind.__module__.partition(".")[0] in PACKAGES
        for kind in type(model).__mro__
    )


def keras_graph(model: Any) -> Graph:
    try:
        text = model.to_json()
    except Exception as error:
        raise BadArgument(
            f"add_graph cannot write {type(model).__name__}, because its to_json() fails: {error}. A subclassed model "
            "needs a get_config() that returns the arguments of its __init__."
        ) from error
    return Graph(values=[summaries.graph(TAG, text, plugin=PLUGIN)])
