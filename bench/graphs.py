"""Log directories with the graph of an unrolled transformer of any size: made once under bench/out, for the server and for the page.

The graph has exactly as many nodes as asked for. Layer i is the scope `transformer/layer_{i:03d}`, each of its heads a scope of its own;
weights are variables that are read, every node has a type and the shape of its output. Run `base` has LayerNorm; run `rms`, where
asked for, RMSNorm and a norm before queries and keys: two versions of one model, with as many layers.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import wire
from bench.workloads import BASE_TIME, OUT, write_once

# Raised when the bytes change.
LAYOUT = 1
BATCH, TOKENS, WORDS = 8, 128, 32_000
DT_INT32, DT_RESOURCE = 3, 20
DEVICES = ("/job:localhost/replica:0/task:0/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:1")


@dataclass(frozen=True)
class GraphLog:
    nodes: int
    heads: int
    versions: tuple[str, ...] = ("base",)
    layout: int = LAYOUT

    @property
    def path(self) -> Path:
        return OUT / "logs" / f"graph-{self.nodes}-{'-'.join(self.versions)}"


def graph_log(nodes: int, versions: Sequence[str] = ("base",)) -> GraphLog:
    """Makes sure that it is on disk."""
    made = GraphLog(nodes, heads=12 if nodes <= 20_000 else 32, versions=tuple(versions))
    write_once(made.path, lambda: asdict(made), lambda: write(made))
    return made


def write(made: GraphLog) -> None:
    shutil.rmtree(made.path, ignore_errors=True)
    for number, version in enumerate(made.versions):
        folder = made.path / version
        folder.mkdir(parents=True)
        graph = Transformer(made.nodes, made.heads, version, count_layers(made.nodes, made.heads)).graph_def()
        event = wire.field_double(1, BASE_TIME + number) + wire.field_bytes(4, graph)
        with open(folder / f"events.out.tfevents.{int(BASE_TIME) + number}.bench.1.0", "wb") as file:
            file.write(wire.header_record(BASE_TIME + number) + wire.record(event))


def count_layers(nodes: int, heads: int) -> int:
    """As many as both versions have room for."""
    sizes = [
        [len(Transformer(0, heads, version, layers)) for layers in (1, 2)] for version in ("base", "rms")
    ]
    layers = min(1 + (nodes - one) // (two - one) for one, two in sizes)
    if layers < 1:
        raise ValueError(f"{nodes} nodes are too few for one layer")
    return layers


class Transformer:
    """Writes nodes as it walks through the model. What `nodes` leaves over are updates of weights."""

    def __init__(self, nodes: int, heads: int, version: str, layers: int) -> None:
        self._nodes: list[bytes] = []
        self._heads = heads
        self._is_rms = version == "rms"
        self._width = 64 * heads
        self._device = DEVICES[0]
        self._variables: list[str] = []
        self._build(nodes, layers)

    def __len__(self) -> int:
        return len(self._nodes)

    def graph_def(self) -> bytes:
        versions = wire.field_bytes(4, wire.field_varint(1, 1882))
        return b"".join(wire.field_bytes(1, node) for node in self._nodes) + versions

    def _add(
        self,
        name: str,
        op: str,
        inputs: Sequence[str] = (),
        shape: Sequence[int] = (),
        dtype: int = wire.DT_FLOAT,
        extra: bytes = b"",
    ) -> str:
        key = "dtype" if op in {"Const", "Placeholder", "VarHandleOp", "ReadVariableOp"} else "T"
        outputs = wire.field_bytes(1, wire.field_bytes(7, wire.shape(*shape)))
        self._nodes.append(
            wire.field_bytes(1, name.encode())
            + wire.field_bytes(2, op.encode())
            + b"".join(wire.field_bytes(3, each.encode()) for each in inputs)
            + wire.field_bytes(4, self._device.encode())
            + attr(key, wire.field_varint(6, dtype))
            + attr("_output_shapes", outputs)
            + extra
        )
        return name

    def _const(self, name: str, shape: Sequence[int] = (), dtype: int = wire.DT_FLOAT) -> str:
        tensor = wire.field_varint(1, dtype) + wire.field_bytes(2, wire.shape(*shape))
        value = wire.field_bytes(7, b"\x01") if dtype == DT_INT32 else wire.field_bytes(5, b"\0\0\x80?")
        return self._add(name, "Const", (), shape, dtype, attr("value", wire.field_bytes(8, tensor + value)))

    def _variable(self, name: str, shape: Sequence[int]) -> str:
        """A variable and the node that reads it; returns the reader."""
        held = attr("shape", wire.field_bytes(7, wire.shape(*shape))) + attr(
            "shared_name", wire.field_bytes(2, name.encode())
        )
        self._variables.append(self._add(name, "VarHandleOp", (), (), wire.DT_FLOAT, held))
        return self._add(f"{name}/Read/ReadVariableOp", "ReadVariableOp", [name], shape)

    def _dense(self, scope: str, value: str, rows: Sequence[int], width: int, out: int) -> str:
        kernel = self._variable(f"{scope}/kernel", (width, out))
        product = self._add(f"{scope}/MatMul", "BatchMatMulV2", [value, kernel], (*rows, out))
        bias = self._variable(f"{scope}/bias", (out,))
        return self._add(f"{scope}/BiasAdd", "BiasAdd", [product, bias], (*rows, out))

    def _norm(self, scope: str, value: str, rows: Sequence[int], width: int) -> str:
        shape = (*rows, width)
        axis = self._const(f"{scope}/axis", (1,), DT_INT32)
        centred = value
        if not self._is_rms:
            mean = self._add(f"{scope}/Mean", "Mean", [value, axis], (*rows, 1))
            centred = self._add(f"{scope}/Sub", "Sub", [value, mean], shape)
        square = self._add(f"{scope}/Square", "Square", [centred], shape)
        variance = self._add(f"{scope}/Variance", "Mean", [square, axis], (*rows, 1))
        tiny = self._const(f"{scope}/epsilon")
        moved = self._add(f"{scope}/Add", "AddV2", [variance, tiny], (*rows, 1))
        scale = self._add(f"{scope}/Rsqrt", "Rsqrt", [moved], (*rows, 1))
        scaled = self._add(f"{scope}/Mul", "Mul", [centred, scale], shape)
        gamma = self._variable(f"{scope}/gamma", (width,))
        scaled = self._add(f"{scope}/Mul_1", "Mul", [scaled, gamma], shape)
        if self._is_rms:
            return scaled
        beta = self._variable(f"{scope}/beta", (width,))
        return self._add(f"{scope}/Add_1", "AddV2", [scaled, beta], shape)

    def _head(self, scope: str, values: Sequence[str], mask: str) -> str:
        rows = (BATCH, TOKENS)
        query, key, content = (
            self._dense(f"{scope}/{name}", value, rows, self._width, 64)
            for name, value in zip(("query", "key", "value"), values, strict=True)
        )
        order = self._const(f"{scope}/transpose/perm", (3,), DT_INT32)
        turned = self._add(f"{scope}/transpose", "Transpose", [key, order], (BATCH, 64, TOKENS))
        shape = (BATCH, TOKENS, TOKENS)
        scores = self._add(f"{scope}/scores", "BatchMatMulV2", [query, turned], shape)
        factor = self._const(f"{scope}/scale")
        scores = self._add(f"{scope}/Mul", "Mul", [scores, factor], shape)
        scores = self._add(f"{scope}/masked", "AddV2", [scores, mask], shape)
        weights = self._add(f"{scope}/Softmax", "Softmax", [scores], shape)
        return self._add(f"{scope}/context", "BatchMatMulV2", [weights, content], (*rows, 64))

    def _layer(self, scope: str, value: str, mask: str) -> str:
        rows, width = (BATCH, TOKENS), self._width
        normed = self._norm(f"{scope}/norm1", value, rows, width)
        values = [normed] * 3
        if self._is_rms:
            for number, name in enumerate(("q_norm", "k_norm")):
                values[number] = self._norm(f"{scope}/attention/{name}", normed, rows, width)
        heads = [
            self._head(f"{scope}/attention/head_{head:02d}", values, mask) for head in range(self._heads)
        ]
        axis = self._const(f"{scope}/attention/concat/axis", (), DT_INT32)
        joined = self._add(f"{scope}/attention/concat", "ConcatV2", [*heads, axis], (*rows, width))
        mixed = self._dense(f"{scope}/attention/output", joined, rows, width, width)
        value = self._add(f"{scope}/add_1", "AddV2", [value, mixed], (*rows, width))
        normed = self._norm(f"{scope}/norm2", value, rows, width)
        wide = self._dense(f"{scope}/mlp/up", normed, rows, width, 4 * width)
        wide = self._add(f"{scope}/mlp/Gelu", "Gelu", [wide], (*rows, 4 * width))
        narrow = self._dense(f"{scope}/mlp/down", wide, rows, 4 * width, width)
        return self._add(f"{scope}/add_2", "AddV2", [value, narrow], (*rows, width))

    def _build(self, nodes: int, layers: int) -> None:
        rows, width = (BATCH, TOKENS), self._width
        tokens = self._add("tokens", "Placeholder", (), rows, DT_INT32)
        mask = self._add("mask", "Placeholder", (), (1, TOKENS, TOKENS))
        table = self._variable("transformer/embedding/table", (WORDS, width))
        axis = self._const("transformer/embedding/axis", (), DT_INT32)
        value = self._add("transformer/embedding/GatherV2", "GatherV2", [table, tokens, axis], (*rows, width))
        for layer in range(layers):
            self._device = DEVICES[layer % 2]
            value = self._layer(f"transformer/layer_{layer:03d}", value, mask)
        normed = self._norm("transformer/final_norm", value, rows, width)
        logits = self._dense("lm_head", normed, rows, width, WORDS)
        loss = self._add("loss", "SparseSoftmaxCrossEntropyWithLogits", [logits, "tokens"], (BATCH * TOKENS,))
        updates = [
            self._add(f"train/update_{number}", "ResourceApplyGradientDescent", [name, "^loss"])
            for number, name in enumerate(self._variables[: max(0, nodes - len(self._nodes) - 1)])
        ]
        self._add("train", "NoOp", [f"^{each}" for each in updates] or [f"^{loss}"])


def attr(name: str, value: bytes) -> bytes:
    return wire.field_bytes(5, wire.field_bytes(1, name.encode()) + wire.field_bytes(2, value))


if __name__ == "__main__":
    for count in map(int, sys.argv[1:] or ["10000", "100000"]):
        print(graph_log(count, ("base", "rms") if count <= 20_000 else ("base",)).path)
