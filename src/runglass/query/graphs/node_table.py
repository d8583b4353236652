"""All nodes of a graph, and of the functions that it calls, as a flat table of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from runglass.query.graphs.distinct import find_distinct
from runglass.query.graphs.hierarchy import Hierarchy
from runglass.query.graphs.levels import LevelReader, plain_label
from runglass.query.graphs.measures import Measure
from runglass.query.graphs.model import Graph, Int32, Int64, shape_text
from runglass.query.graphs.shown import Shown

MEASURES: tuple[Measure, ...] = ("parameters", "flops", "time", "memory")


class NodeColumn(Struct, frozen=True, omit_defaults=True):
    """Numbers or names as `values`; texts that repeat as `levels`, and which of them each node has, -1 for none."""

    name: str
    values: list[float | str | None] | None = None
    levels: list[str] | None = None
    codes: list[int] | None = None


class NodeTable(Struct, frozen=True):
    count: int
    columns: Annotated[list[NodeColumn], Meta(description="Those in which any node has a value.")]


class Body(NamedTuple):
    """Nodes of one graph that are rows: all of the graph itself, those of the file in the body of a function."""

    reader: LevelReader
    nodes: Int64

    @property
    def graph(self) -> Graph:
        return self.reader.structure.graph

    @property
    def hierarchy(self) -> Hierarchy:
        return self.reader.structure.known.hierarchy


def read_table(shown: Shown) -> NodeTable:
    """The body of a function has its rows once, at its first call."""
    bodies = [
        Body(
            reader,
            np.asarray(
                reader.structure.graph.file_nodes if reader.function else range(len(reader.structure.graph)),
                np.int64,
            ),
        )
        for reader, _ in shown.bodies()
    ]
    columns = [
        NodeColumn(
            "id",
            [
                each.reader.prefix + each.hierarchy.path(node)
                for each in bodies
                for node in each.nodes.tolist()
            ],
        ),
        NodeColumn("name", [each.graph.names[node] for each in bodies for node in each.nodes.tolist()]),
        _levels("op", [(each.graph.op_names, each.graph.ops[each.nodes]) for each in bodies]),
        _levels("group", [_groups(each) for each in bodies]),
        _levels(
            "shape",
            [
                ([shape_text(shape) for shape in each.graph.shape_names], each.graph.first_shapes[each.nodes])
                for each in bodies
            ],
        ),
        _levels("dtype", [(each.graph.dtype_names, each.graph.first_dtypes[each.nodes]) for each in bodies]),
        _levels("device", [(each.graph.device_names, each.graph.devices[each.nodes]) for each in bodies]),
    ]
    for measure in MEASURES:
        column = np.concatenate(
            [shown.measures.column(each.graph, measure, each.reader.calls)[each.nodes] for each in bodies]
        )
        if column.any():
            values: list[float | str | None] = [value or None for value in column.tolist()]
            if measure == "parameters":
                values = [None if value is None else int(value) for value in values]
            columns.append(NodeColumn(measure, values))
    return NodeTable(
        sum(len(each.nodes) for each in bodies),
        [column for column in columns if column.codes is None or any(code >= 0 for code in column.codes)],
    )


def _groups(body: Body) -> tuple[list[str], Int32]:
    hierarchy = body.hierarchy
    present = find_distinct(hierarchy.parent[hierarchy.items[body.nodes]])
    names = [
        (body.reader.prefix + group_path(hierarchy, int(item))).removesuffix("/") for item in present.values
    ]
    return names, present.codes.astype(np.int32).reshape(-1)


def _levels(name: str, parts: Sequence[tuple[Sequence[str], Int32]]) -> NodeColumn:
    """Each part with the texts of its own; -1 is none."""
    numbers: dict[str, int] = {}
    codes: list[int] = []
    for names, own in parts:
        known = np.array([*(numbers.setdefault(each, len(numbers)) for each in names), -1], np.int32)
        codes += known[own].tolist()
    return NodeColumn(name, None, list(numbers), codes)


def group_path(hierarchy: Hierarchy, item: int) -> str:
    parts = []
    while item > 0:
        parts.append(plain_label(hierarchy.labels[item]))
        item = int(hierarchy.parent[item])
    return "/".join(reversed(parts))


def to_rows(table: NodeTable) -> tuple[list[str], list[list[Any]]]:
    """Names of columns, and values of each node."""
    columns = []
    for column in table.columns:
        if column.values is not None:
            columns.append(column.values)
        elif column.levels is not None and column.codes is not None:
            levels = column.levels
            columns.append([levels[code] if code >= 0 else None for code in column.codes])
    return [column.name for column in table.columns], [list(row) for row in zip(*columns, strict=True)]
