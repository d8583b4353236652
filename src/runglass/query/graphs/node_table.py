"""All nodes of a graph as a flat table of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct

from runglass.query.graphs.distinct import find_distinct
from runglass.query.graphs.hierarchy import Hierarchy
from runglass.query.graphs.levels import plain_label
from runglass.query.graphs.measures import Measure, Measures
from runglass.query.graphs.model import Graph, shape_text

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


def read_table(graph: Graph, hierarchy: Hierarchy, measures: Measures) -> NodeTable:
    groups = hierarchy.parent[hierarchy.items]
    present = find_distinct(groups)
    columns = [
        NodeColumn("id", [hierarchy.path(node) for node in range(len(graph))]),
        NodeColumn("name", [*graph.names]),
        _levels("op", graph.ops, graph.op_names),
        _levels("group", present.codes, [group_path(hierarchy, int(item)) for item in present.values]),
        _levels("shape", graph.first_shapes, [shape_text(shape) for shape in graph.shape_names]),
        _levels("dtype", graph.first_dtypes, graph.dtype_names),
        _levels("device", graph.devices, graph.device_names),
    ]
    for measure in MEASURES:
        column = measures.column(graph, measure)
        if column.any():
            values: list[float | str | None] = [value or None for value in column.tolist()]
            if measure == "parameters":
                values = [None if value is None else int(value) for value in values]
            columns.append(NodeColumn(measure, values))
    return NodeTable(
        len(graph),
        [column for column in columns if column.codes is None or any(code >= 0 for code in column.codes)],
    )


def _levels(name: str, codes: Any, names: Sequence[str]) -> NodeColumn:
    return NodeColumn(name, None, list(names), codes.reshape(-1).tolist())


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
