"""The graph of a Keras model: its own JSON, on any back end."""

from __future__ import annotations

from typing import Any

import numpy as np

from runglass.errors import BadArgument
from runglass.schema.summary import DataClass
from runglass.writer.graphs.node import Graph
from runglass.writer.values.summaries import summary_value

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
    # As in Keras, without a data class: TensorBoard converts such a value only then.
    value = summary_value(
        TAG, np.asarray(text, dtype=object), plugin=PLUGIN, data_class=DataClass.UNKNOWN, content=b"1"
    )
    return Graph(values=[value])
