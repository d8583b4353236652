"""Operations on NumPy arrays that remember how they were computed: for gradients, and as the graph of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.demo.recording import Recorder
from runglass.demo.training import Floats
from runglass.schema.tensor import DataType
from runglass.writer.graphs.node import Names, Node

Grow = Callable[[Floats], tuple[Floats, ...]]
TINY = np.float32(1e-6)


class Value:
    """The result of an operation."""

    __slots__ = ("data", "flow", "gradient", "grow", "inputs", "name", "op")

    def __init__(
        self, data: NDArray[Any], name: str, op: str, inputs: tuple[Value, ...], grow: Grow | None
    ) -> None:
        self.data = data
        self.name = name
        self.op = op
        self.inputs = inputs
        # The gradients of the inputs, from the gradient of this.
        self.grow = grow
        self.gradient: Floats | None = None
        # In a record: the arrow from this operation to its gradient.
        self.flow = 0


class Tape:
    """One computation. `parameters` are shared by all of them, by name; missing ones are made with `rng`."""

    def __init__(
        self, parameters: dict[str, Floats], rng: np.random.Generator, recorder: Recorder | None = None
    ) -> None:
        self.parameters = parameters
        self.rng = rng
        self.recorder = recorder
        self.nodes: list[Node] = []
        self.used: dict[str, Value] = {}
        self.values: list[Value] = []
        self._scopes: list[str] = []
        self._names = Names()

    @contextmanager
    def scope(self, name: str) -> Iterator[None]:
        self._scopes.append(name)
        with self.recorder.span(f"nn.Module: {name}", "python_function") if self.recorder else nullcontext():
            yield
        self._scopes.pop()

    def parameter(self, name: str, shape: tuple[int, ...], *, scale: float | None = None) -> Value:
        """`scale` of random numbers, by default from the first size; 0: ones."""
        path = "/".join([*self._scopes, name])
        if path not in self.parameters:
            spread = 1 / math.sqrt(shape[0]) if scale is None else scale
            self.parameters[path] = (
                self.rng.normal(0, spread, shape).astype(np.float32) if spread else np.ones(shape, np.float32)
            )
        self.used[path] = self._keep(name, "VariableV2", self.parameters[path], (), None)
        return self.used[path]

    def placeholder(self, name: str, data: Floats | NDArray[np.int64]) -> Value:
        return self._keep(name, "Placeholder", data, (), None)

    def constant(self, name: str, data: Floats) -> Value:
        return self._keep(name, "Const", data, (), None)

    def embed(self, table: Value, rows: Value) -> Value:
        numbers: NDArray[np.int64] = rows.data

        def grow(gradient: Floats) -> tuple[Floats, ...]:
            out = np.zeros_like(table.data)
            np.add.at(out, numbers, gradient)
            return (out,)

        return self._keep("embed", "GatherV2", table.data[numbers], (table,), grow, beside=(rows,))

    def matmul(self, a: Value, b: Value, name: str = "MatMul") -> Value:
        def grow(gradient: Floats) -> tuple[Floats, ...]:
            left = gradient @ np.swapaxes(b.data, -1, -2)
            if b.data.ndim == 2:
                flat = a.data.reshape(-1, a.data.shape[-1])
                return left, flat.T @ gradient.reshape(-1, gradient.shape[-1])
            return left, np.swapaxes(a.data, -1, -2) @ gradient

        op = "MatMul" if b.data.ndim == 2 else "BatchMatMulV2"
        return self._keep(name, op, a.data @ b.data, (a, b), grow)

    def add(self, a: Value, b: Value, name: str = "add") -> Value:
        return self._keep(
            name,
            "AddV2",
            a.data + b.data,
            (a, b),
            lambda gradient: (reduced(gradient, a.data.shape), reduced(gradient, b.data.shape)),
        )

    def multiply(self, a: Value, b: Value, name: str = "mul") -> Value:
        return self._keep(
            name,
            "Mul",
            a.data * b.data,
            (a, b),
            lambda gradient: (
                reduced(gradient * b.data, a.data.shape),
                reduced(gradient * a.data, b.data.shape),
            ),
        )

    def relu(self, a: Value) -> Value:
        return self._keep(
            "relu", "Relu", np.maximum(a.data, 0), (a,), lambda gradient: (gradient * (a.data > 0),)
        )

    def softmax(self, a: Value) -> Value:
        scores = np.exp(a.data - a.data.max(axis=-1, keepdims=True))
        out = scores / scores.sum(axis=-1, keepdims=True)
        return self._keep(
            "softmax",
            "Softmax",
            out,
            (a,),
            lambda gradient: (out * (gradient - (gradient * out).sum(axis=-1, keepdims=True)),),
        )

    def rescale(self, a: Value, *, is_centred: bool) -> Value:
        """Each row to a mean square of one; `is_centred`: to a mean of zero as well."""
        centred = a.data - a.data.mean(axis=-1, keepdims=True) if is_centred else a.data
        size = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + TINY)
        out = centred / size

        def grow(gradient: Floats) -> tuple[Floats, ...]:
            back = (gradient - out * (gradient * out).mean(axis=-1, keepdims=True)) / size
            return (back - back.mean(axis=-1, keepdims=True) if is_centred else back,)

        return self._keep("normalize", "LayerNorm" if is_centred else "RMSNorm", out, (a,), grow)

    def split_heads(self, a: Value, heads: int) -> Value:
        """(batch, time, width) to (batch, heads, time, width / heads)."""
        batch, time, width = a.data.shape
        out = a.data.reshape(batch, time, heads, width // heads).transpose(0, 2, 1, 3)
        return self._keep(
            "split_heads",
            "Transpose",
            out,
            (a,),
            lambda gradient: (gradient.transpose(0, 2, 1, 3).reshape(batch, time, width),),
        )

    def join_heads(self, a: Value) -> Value:
        batch, heads, time, part = a.data.shape
        return self._keep(
            "join_heads",
            "Transpose",
            a.data.transpose(0, 2, 1, 3).reshape(batch, time, heads * part),
            (a,),
            lambda gradient: (gradient.reshape(batch, time, heads, part).transpose(0, 2, 1, 3),),
        )

    def turned(self, a: Value) -> Value:
        """With the last two axes exchanged."""
        return self._keep(
            "transpose",
            "Transpose",
            np.swapaxes(a.data, -1, -2),
            (a,),
            lambda gradient: (np.swapaxes(gradient, -1, -2),),
        )

    def cross_entropy(self, logits: Value, wanted: Value) -> Value:
        scores = np.exp(logits.data - logits.data.max(axis=-1, keepdims=True))
        shares = scores / scores.sum(axis=-1, keepdims=True)
        numbers: NDArray[np.int64] = wanted.data[..., None]
        right = np.take_along_axis(shares, numbers, axis=-1)

        def grow(gradient: Floats) -> tuple[Floats, ...]:
            back = shares.copy()
            np.put_along_axis(back, numbers, right - 1, axis=-1)
            return (back * (gradient / right.size),)

        loss = np.asarray(-np.log(np.maximum(right, 1e-12)).mean(), np.float32)
        op = "SparseSoftmaxCrossEntropyWithLogits"
        return self._keep("loss", op, loss, (logits,), grow, beside=(wanted,))

    def gradients(self, loss: Value) -> dict[str, Floats]:
        """Of all parameters, by name."""
        loss.gradient = np.ones_like(loss.data)
        for value in reversed(self.values):
            if value.grow is None or value.gradient is None:
                continue
            for each, gradient in zip(value.inputs, value.grow(value.gradient), strict=True):
                each.gradient = gradient if each.gradient is None else each.gradient + gradient
            if self.recorder:
                self.recorder.operation(f"{value.op}Backward", of=value.name)
                self.recorder.arrive(value.flow)
        return {name: value.gradient for name, value in self.used.items() if value.gradient is not None}

    def _keep(
        self,
        name: str,
        op: str,
        data: Any,
        inputs: tuple[Value, ...],
        grow: Grow | None,
        *,
        beside: tuple[Value, ...] = (),
    ) -> Value:
        """`beside`: inputs without a gradient."""
        path = self._names.take("/".join([*self._scopes, name]))
        value = Value(data, path, op, inputs, grow)
        self.values.append(value)
        if self.recorder:
            dims = [list(each.data.shape) for each in (*inputs, *beside)]
            self.recorder.operation(op, **{"Input Dims": dims, "of": path})
            if grow:
                value.flow = self.recorder.leave()
        self.nodes.append(
            Node(
                name=path,
                op=op,
                inputs=[each.name for each in (*inputs, *beside)],
                shapes=[data.shape],
                dtype=DataType.INT64 if data.dtype.kind == "i" else DataType.FLOAT,
                attrs={"shape": str(list(data.shape))} if op == "VariableV2" else {},
            )
        )
        return value


def reduced(gradient: Floats, shape: tuple[int, ...]) -> Floats:
    """The sum over the axes along which an operand was repeated."""
    extra = gradient.ndim - len(shape)
    out: Floats = gradient.sum(axis=tuple(range(extra))) if extra else gradient
    repeated = tuple(i for i, size in enumerate(shape) if size == 1 and out.shape[i] != 1)
    return out.sum(axis=repeated, keepdims=True) if repeated else out
