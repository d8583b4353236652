"""Keras models as JSON (`model.to_json()`), Keras 2 and 3: one node per layer, nested models as groups.

Names are those that TensorBoard gives: the names of the models around a layer and its own, joined by "/".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from runglass.query.graphs.formats.build import GraphBuilder
from runglass.query.graphs.formats.keras_shapes import infer_layer
from runglass.query.graphs.formats.words import of_name
from runglass.query.graphs.model import Graph, GraphDamaged, Shape

FORMAT = "Keras"
TENSOR = "__keras_tensor__"
# Nested models, and values nested in the arguments of a call.
MAX_DEPTH = 64


class Call(NamedTuple):
    """One input of a layer: which output of which layer, and what is known of it."""

    layer: str
    output: int
    shape: Shape | None = None
    dtype: str = ""


class Model(NamedTuple):
    """A model whose layers stand in the graph: references to it are references to its layers."""

    inputs: list[str]
    outputs: list[str]


def parse_keras(data: bytes | str) -> Graph:
    try:
        model = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise GraphDamaged(
            f"This is not a Keras model: {error}. Expected the JSON of model.to_json()."
        ) from None
    if not isinstance(model, dict) or not isinstance(model.get("config"), dict | list):
        raise GraphDamaged(
            'This is not a Keras model: expected a JSON object with "class_name" and "config".'
        )
    return KerasReader(model).graph


class KerasReader:
    def __init__(self, model: dict[str, Any]) -> None:
        self._builder = GraphBuilder(FORMAT)
        self._nodes: dict[str, int] = {}
        self._models: dict[str, Model] = {}
        self._types: dict[str, str] = {}
        self._problems: list[str] = []
        self._layers: list[tuple[int, dict[str, Any]]] = []
        # Inputs by name, wired once all layers are known.
        self._inputs: list[tuple[int, list[Call]]] = []
        self._root = layer_name(model)
        if layers_of(model) is None:
            # Not a Functional or Sequential model: a class of the user's own tells nothing of what is in it.
            self._add_layer(model, self._root, [], path=self._root)
            self._problems.append(
                f"{class_name(model)} is a class of its own, whose JSON does not say which layers it has."
            )
        else:
            self._types[""] = class_name(model)
            self._add_model(model, self._root, [], 0)
        self._connect()
        self.graph = self._builder.finish(group_types=self._types, problems=self._problems)

    def _add_model(self, model: dict[str, Any], name: str, calls: list[Call], depth: int) -> None:
        """`calls`: what goes into the model, by full name."""
        if depth > MAX_DEPTH:
            raise GraphDamaged(f"The models of this Keras model are nested more than {MAX_DEPTH} deep.")
        layers = [layer for layer in layers_of(model) or [] if isinstance(layer, dict)]
        config = model["config"] if isinstance(model["config"], dict) else {}
        is_sequential = not any("inbound_nodes" in layer for layer in layers)
        self._models[name] = Model([], [])
        before = calls
        for layer in layers:
            full = f"{name}/{layer_name(layer)}"
            given = (
                before
                if is_sequential
                else [each._replace(layer=f"{name}/{each.layer}") for each in calls_of(layer)]
            )
            if layers_of(layer) is not None:
                self._types.setdefault(self._path(full), class_name(layer))
                self._add_model(layer, full, given, depth + 1)
            else:
                self._add_layer(layer, full, given, path=self._path(full))
            before = [Call(full, 0)]
        names = [layer_name(layer) for layer in layers]
        inputs = [each[0] for each in triples(config.get("input_layers"))] or names[:1]
        outputs = triples(config.get("output_layers")) or [(each, 0) for each in names[-1:]]
        self._models[name] = Model(
            [f"{name}/{each}" for each in inputs], [f"{name}/{each[0]}" for each in outputs]
        )
        if not is_sequential:
            # What the model is called with goes into its input layers, in order, once for each call.
            wired = self._models[name].inputs
            for number, call in enumerate(calls):
                entry = wired[number % len(wired)] if wired else None
                if entry in self._nodes:
                    self._inputs.append((self._nodes[entry], [call]))

    def _path(self, full: str) -> str:
        return full.removeprefix(f"{self._root}/")

    def _add_layer(self, layer: dict[str, Any], full: str, calls: list[Call], *, path: str) -> None:
        config = layer.get("config")
        config = config if isinstance(config, dict) else {}
        attributes = {
            **{key: value for key, value in config.items() if key != "name"},
            "keras_class": class_name(layer),
        }
        if "dtype" in config:
            attributes["dtype"] = dtype_of(config)
        for key in ("module", "registered_name"):
            if layer.get(key):
                attributes[key] = layer[key]
        node = self._builder.add(full, class_name(layer), path=path, attributes=attributes)
        self._nodes.setdefault(full, node)
        word = of_name(dtype_of(config)) if dtype_of(config) else ""
        self._builder.dtypes[node] = (word,) if word else ()
        self._layers.append((node, layer))
        self._inputs.append((node, calls))

    def _resolve(self, name: str, output: int, depth: int = 0) -> int | None:
        """The node that an output of a layer or model comes from."""
        model = self._models.get(name)
        if model is None:
            return self._nodes.get(name)
        if not model.outputs or depth > MAX_DEPTH:
            return None
        return self._resolve(model.outputs[output if 0 <= output < len(model.outputs) else 0], 0, depth + 1)

    def _connect(self) -> None:
        sources: dict[int, list[int]] = {}
        given: dict[int, Shape] = {}
        for node, calls in self._inputs:
            for call in calls:
                start = self._resolve(call.layer, call.output)
                output = call.output if call.layer not in self._models else 0
                self._builder.connect(start, node, output=output, name=call.layer)
                if start is not None:
                    sources.setdefault(node, []).append(start)
                    if call.shape is not None and output == 0:
                        given.setdefault(start, call.shape)
        self._infer(sources, given)

    def _infer(self, sources: dict[int, list[int]], given: dict[int, Shape]) -> None:
        """Shapes, weights and operations, layer by layer in the order of the file, which is that of the data."""
        known: dict[int, Shape | None] = {}
        for node, layer in self._layers:
            inputs = [known.get(each, given.get(each)) for each in sources.get(node, [])]
            guess = infer_layer(layer, inputs)
            shape = given.get(node, guess.shape)
            known[node] = shape
            self._builder.shapes[node] = () if shape is None else (shape,)
            self._builder.parameters[node] = guess.parameters
            self._builder.flops[node] = guess.flops


def class_name(layer: dict[str, Any]) -> str:
    return str(layer.get("class_name") or "Layer")


def layer_name(layer: dict[str, Any]) -> str:
    config = layer.get("config")
    name = config.get("name") if isinstance(config, dict) else None
    return str(name or layer.get("name") or class_name(layer).lower())


def layers_of(layer: dict[str, Any]) -> list[Any] | None:
    """The layers of a model; None of a layer that is not one."""
    config = layer.get("config")
    # The oldest Sequential models have the list itself.
    layers = config.get("layers") if isinstance(config, dict) else config
    return layers if isinstance(layers, list) else None


def dtype_of(config: dict[str, Any]) -> str:
    """A name, or a policy with one."""
    dtype = config.get("dtype")
    if isinstance(dtype, dict):
        inner = dtype.get("config")
        dtype = inner.get("name") if isinstance(inner, dict) else None
    return dtype if isinstance(dtype, str) else ""


def triples(value: Any) -> list[tuple[str, int]]:
    """["x", 0, 0] or a list of such, or a dict of them: layer and number of its output."""
    if isinstance(value, dict):
        return [each for item in value.values() for each in triples(item)]
    if not isinstance(value, list):
        return []
    if len(value) >= 1 and isinstance(value[0], str):
        return [(value[0], value[2] if len(value) > 2 and isinstance(value[2], int) else 0)]
    return [each for item in value for each in triples(item)]


def calls_of(layer: dict[str, Any]) -> list[Call]:
    """All inputs of all calls of a layer, in order."""
    nodes = layer.get("inbound_nodes")
    found: list[Call] = []
    for node in nodes if isinstance(nodes, list) else []:
        if isinstance(node, dict):
            found += tensors_in(node.get("args"), 0)
            found += tensors_in(node.get("kwargs"), 0)
        else:
            found += old_inputs(node, 0)
    return found


def tensors_in(value: Any, depth: int) -> Iterator[Call]:
    """Keras 3: tensors anywhere in the arguments of a call."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from tensors_in(item, depth + 1)
    elif isinstance(value, dict):
        config = value.get("config")
        if value.get("class_name") == TENSOR and isinstance(config, dict):
            history = config.get("keras_history")
            if isinstance(history, list) and history and isinstance(history[0], str):
                output = history[2] if len(history) > 2 and isinstance(history[2], int) else 0
                yield Call(history[0], output, shape_of(config.get("shape")), str(config.get("dtype") or ""))
            return
        for item in value.values():
            yield from tensors_in(item, depth + 1)


def old_inputs(value: Any, depth: int) -> Iterator[Call]:
    """Keras 2: [layer, node, output, keyword arguments], nested in lists; keyword arguments may name tensors in the same way."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, dict):
        for item in value.values():
            yield from old_inputs(item, depth + 1)
    elif isinstance(value, list):
        if is_reference(value):
            yield Call(value[0], value[2])
            for item in value[3:]:
                yield from old_inputs(item, depth + 1)
            return
        for item in value:
            if isinstance(item, list | dict):
                yield from old_inputs(item, depth + 1)


def is_reference(value: list[Any]) -> bool:
    return len(value) >= 3 and isinstance(value[0], str) and all(type(each) is int for each in value[1:3])


def shape_of(value: Any) -> Shape | None:
    if not isinstance(value, list):
        return None
    return tuple(size if type(size) is int and size >= 0 else None for size in value)
