"""Makes a graph node by node, for formats that are decoded as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from runglass.query.graphs.model import Attribute, Costs, Frame, Graph, Shape, cut, to_codes

Attributes = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class GraphBuilder:
    def __init__(self, format: str) -> None:
        self._format = format
        self.names: list[str] = []
        self._paths: list[str] = []
        self._ops: list[str] = []
        self._devices: list[str | None] = []
        self._attributes: list[Attributes] = []
        self._sources: list[Callable[[], tuple[Frame, ...]] | None] = []
        self.shapes: list[tuple[Shape | None, ...]] = []
        self.dtypes: list[tuple[str, ...]] = []
        self.parameters: list[int] = []
        self.flops: list[float] = []
        self._edges: list[tuple[int, int, int, bool]] = []
        self._missing: dict[int, str] = {}

    def add(
        self,
        name: str,
        op: str,
        *,
        path: str | None = None,
        device: str = "",
        attributes: Attributes | None = None,
        shapes: Sequence[Shape | None] = (),
        dtypes: Sequence[str] = (),
        source: Callable[[], tuple[Frame, ...]] | None = None,
        parameters: int = 0,
        flops: float = np.nan,
    ) -> int:
        """Attributes are texts, or plain values that are shown as JSON; functions are called when what they give is shown."""
        self.names.append(name)
        self._paths.append(name if path is None else path)
        self._ops.append(op)
        self._devices.append(device or None)
        self._attributes.append({} if attributes is None else attributes)
        self._sources.append(source)
        self.shapes.append(tuple(shapes))
        self.dtypes.append(tuple(dtypes))
        self.parameters.append(parameters)
        self.flops.append(flops)
        return len(self.names) - 1

    def connect(
        self, start: int | None, end: int, *, output: int = 0, control: bool = False, name: str = ""
    ) -> None:
        """An input of `end`. `start` is None where no node has the `name` that the file gives."""
        if start is None:
            self._missing[len(self._edges)] = name
        self._edges.append((-1 if start is None else start, end, output, control))

    @property
    def costs(self) -> Costs:
        """As they were added."""
        return Costs(np.array(self.parameters, np.int64), np.array(self.flops, np.float64))

    def finish(
        self,
        *,
        group_types: Mapping[str, str] | None = None,
        functions: Mapping[str, Graph] | None = None,
        calls: Mapping[int, tuple[str, ...]] | None = None,
        arguments: int = 0,
        results: int = 0,
        ends_in_file: bool = False,
        problems: Sequence[str] = (),
        costs: Callable[[Graph], Costs] | None = None,
    ) -> Graph:
        op_names, ops = to_codes(self._ops)
        device_names, devices = to_codes(self._devices)
        shape_names, first_shapes = to_codes([shapes[0] if shapes else None for shapes in self.shapes])
        dtype_names, first_dtypes = to_codes(
            [(dtypes[0] or None) if dtypes else None for dtypes in self.dtypes]
        )
        edges = np.array(self._edges, np.int64).reshape(-1, 4)
        # In the order of the nodes they lead to, as the inputs of a file are.
        order = np.argsort(edges[:, 1], kind="stable")
        edges = edges[order]
        places = {int(edge): place for place, edge in enumerate(order)} if self._missing else {}
        return Graph(
            format=self._format,
            names=self.names,
            paths=self.names if self._paths == self.names else self._paths,
            group_types=group_types,
            op_names=op_names,
            ops=ops,
            device_names=device_names,
            devices=devices,
            shape_names=shape_names,
            first_shapes=first_shapes,
            dtype_names=dtype_names,
            first_dtypes=first_dtypes,
            edge_from=edges[:, 0].astype(np.int32),
            edge_to=edges[:, 1].astype(np.int32),
            edge_output=edges[:, 2].astype(np.int32),
            edge_control=edges[:, 3].astype(np.bool_),
            missing={places[edge]: name for edge, name in self._missing.items()},
            functions=functions,
            calls=calls,
            arguments=arguments,
            results=results,
            ends_in_file=ends_in_file,
            costs=costs or (lambda _: self.costs),
            details=BuiltDetails(self._attributes, self.shapes, self.dtypes, self._sources),
            problems=problems,
        )


class BuiltDetails:
    def __init__(
        self,
        attributes: list[Attributes],
        shapes: list[tuple[Shape | None, ...]],
        dtypes: list[tuple[str, ...]],
        sources: list[Callable[[], tuple[Frame, ...]] | None],
    ) -> None:
        self._attributes = attributes
        self._shapes = shapes
        self._dtypes = dtypes
        self._sources = sources

    def values(self, node: int) -> dict[str, Any]:
        values = self._attributes[node]
        return dict(values() if callable(values) else values)

    def attributes(self, node: int, limit: int) -> dict[str, Attribute]:
        found = self.values(node)
        return {name: cut(plain_text(found[name]), limit) for name in sorted(found)}

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        return self._shapes[node]

    def dtypes(self, node: int) -> tuple[str, ...]:
        return self._dtypes[node]

    def source(self, node: int) -> tuple[Frame, ...]:
        read = self._sources[node]
        return read() if read is not None else ()


def plain_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
