"""The graph of a model of any framework, as fields of an event file. Recognises models by their methods; imports no framework."""

from __future__ import annotations

import sys
from typing import Any

from runglass.errors import BadArgument
from runglass.writer.graphs.jax_graph import jax_graph
from runglass.writer.graphs.keras_graph import is_keras, keras_graph
from runglass.writer.graphs.node import Graph
from runglass.writer.graphs.onnx_graph import is_onnx, onnx_graph
from runglass.writer.graphs.tensorflow_graph import is_tensorflow, tensorflow_graph
from runglass.writer.graphs.torch_graph import is_torch, torch_graph

__all__ = ["Graph", "model_graph", "onnx_graph"]


def model_graph(
    model: Any, inputs: object = None, *, is_verbose: bool = False, uses_strict_trace: bool = True
) -> Graph:
    """For a Keras model its JSON as a value, for all others whole events.

    `inputs`: example arguments for the model, several in a tuple.

    `is_verbose` prints what the framework traced. `uses_strict_trace` is for PyTorch: False lets a model return or
    change dicts and lists.
    """
    # Keras first: on its PyTorch back end a model is a torch module as well.
    if is_keras(model):
        return keras_graph(model)
    if is_torch(model, inputs):
        return torch_graph(model, inputs, is_verbose=is_verbose, uses_strict_trace=uses_strict_trace)
    if is_tensorflow(model):
        return tensorflow_graph(model, inputs)
    if is_onnx(model):
        return onnx_graph(model)
    if callable(model) and "jax" in sys.modules:
        return jax_graph(model, inputs, is_verbose=is_verbose)
    raise BadArgument(
        f"add_graph cannot make a graph of {type(model).__name__}. It takes a torch.nn.Module with example inputs, a "
        "Keras model, a function of JAX arrays with example inputs (import jax first), a tf.Graph or tf.function, or "
        "the path of an ONNX file."
    )
