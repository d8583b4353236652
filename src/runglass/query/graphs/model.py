"""A graph in columns, the same for every format it may come from. Knows no format, and not how a graph is drawn.

A graph does not change once it is made. What only one node's details need (attributes, all shapes, source lines) is decoded when
it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.errors import GraphDamaged as GraphDamaged
from runglass.errors import GraphUnknown as GraphUnknown
from runglass.query.graphs.flat_names import group_flat_names

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Bools = NDArray[np.bool_]

Shape = tuple[int | None, ...]
"""Sizes; None is a size that varies."""

# As TensorBoard: what is longer is sent only when somebody asks for it.
ATTRIBUTE_LIMIT = 1024

ARGUMENT_OP = "_Arg"
RESULT_OP = "_Retval"


class Attribute(Struct, frozen=True):
    text: str
    # Bytes of the value in the file, or characters of its text.
    size: int
    # Whether `text` is only the beginning.
    is_cut: bool = False


class Frame(Struct, frozen=True):
    """One call on the way to the code that made a node, the innermost last."""

    file: str
    line: int
    function: str = ""
    code: str = ""


class Costs(NamedTuple):
    # Weights that a node holds.
    parameters: Int64
    # Floating-point operations of one run of the node, a multiply-add being two; NaN where it is unknown. Sizes that vary count as 1.
    flops: Float64


class NumberedAttributes(Protocol):
    """Attributes of nodes, each different one with a number, from 0 as they come."""

    def read(self, first: int, last: int) -> tuple[Int32, Int32, list[tuple[str, str]]]:
        """How many each of these nodes has, their numbers, and name and text of those that are new. Parts are read in order."""
        ...


class Details(Protocol):
    """What is known of single nodes."""

    def attributes(self, node: int, limit: int) -> dict[str, Attribute]:
        """With texts of at most `limit` characters."""
        ...

    def values(self, node: int) -> dict[str, Any]:
        """Attributes as plain Python."""
        ...

    def shapes(self, node: int) -> tuple[Shape | None, ...]: ...

    def dtypes(self, node: int) -> tuple[str, ...]: ...

    def source(self, node: int) -> tuple[Frame, ...]: ...


class Graph:
    """Nodes are numbers from 0 in the order of the file, edges too.

    In the graph of a function, its arguments stand before the nodes of the file and its results after them: `arguments` and
    `results` are how many.
    """

    def __init__(
        self,
        *,
        format: str,
        names: list[str],
        op_names: list[str],
        ops: Int32,
        edge_from: Int32,
        edge_to: Int32,
        edge_output: Int32,
        edge_control: Bools,
        details: Details,
        missing: Mapping[int, str] | None = None,
        paths: list[str] | None = None,
        group_types: Mapping[str, str] | None = None,
        device_names: list[str] | None = None,
        devices: Int32 | None = None,
        dtype_names: list[str] | None = None,
        first_dtypes: Int32 | None = None,
        shape_names: list[Shape] | None = None,
        first_shapes: Int32 | None = None,
        cluster_names: list[str] | None = None,
        clusters: Int32 | None = None,
        functions: Mapping[str, Graph] | None = None,
        calls: Mapping[int, tuple[str, ...]] | None = None,
        arguments: int = 0,
        results: int = 0,
        ends_in_file: bool = False,
        costs: Callable[[Graph], Costs] | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        none = np.full(len(names), -1, np.int32)
        # "GraphDef", "Keras", "ONNX", "torch.export" or "HLO".
        self.format = format
        # As in the file.
        self.names = names
        # Where the file puts each node: groups joined by "/". Each is there once; the same list as `names` where nothing differs.
        self.file_paths = unique_paths(names if paths is None else paths)
        # Where views put it: flat names of blocks have groups there.
        self.paths = unique_paths(group_flat_names(self.file_paths))
        # The class of groups, by path, where the file tells.
        self.group_types: Mapping[str, str] = group_types or {}
        self.op_names = op_names
        self.ops = ops
        # Here and below, -1 stands for none.
        self.device_names = device_names or []
        self.devices = none if devices is None else devices
        # Of the first output: "f32"; and its shape.
        self.dtype_names = dtype_names or []
        self.first_dtypes = none if first_dtypes is None else first_dtypes
        self.shape_names = shape_names or []
        self.first_shapes = none if first_shapes is None else first_shapes
        # XLA clusters.
        self.cluster_names = cluster_names or []
        self.clusters = none if clusters is None else clusters
        # One per input of the file, in order. `edge_from` is -1 where no node has the name that the input gives.
        self.edge_from = edge_from
        self.edge_to = edge_to
        # Which output of the node it comes from.
        self.edge_output = edge_output
        self.edge_control = edge_control
        # The names that inputs give of nodes that are not there, by edge.
        self.missing: Mapping[int, str] = missing or {}
        # Functions that nodes of this graph, or of each other, call; and which nodes of this one do.
        self.functions: Mapping[str, Graph] = {} if functions is None else functions
        self.calls: Mapping[int, tuple[str, ...]] = calls or {}
        self.arguments = arguments
        self.results = results
        # Whether arguments and results are nodes of the file like others.
        self.ends_in_file = ends_in_file
        # Sentences about what is wrong with the graph.
        self.problems = (*problems, *find_problems(self))
        self._details = details
        self._costs = costs

    def __len__(self) -> int:
        return len(self.names)

    @property
    def file_nodes(self) -> range:
        """The nodes that stand in the file: usually all but arguments and results."""
        if self.ends_in_file:
            return range(len(self.names))
        return range(self.arguments, len(self.names) - self.results)

    def attributes(self, node: int) -> dict[str, Attribute]:
        """By name; long ones are cut."""
        return self._details.attributes(node, ATTRIBUTE_LIMIT)

    def values(self, node: int) -> dict[str, Any]:
        """Attributes for code: numbers, texts, tuples for shapes, arrays for tensors."""
        return self._details.values(node)

    def attribute_key(self, node: int) -> Hashable:
        """Equal for nodes with equal attributes, and cheaper than those."""
        key = getattr(self._details, "attribute_key", None)
        made: Hashable = tuple(self.attributes(node).items()) if key is None else key(node)
        return made

    def number_attributes(self) -> NumberedAttributes:
        """Each made into text once, where the format allows it, and not for every node that has it."""
        number = getattr(self._details, "number_attributes", None)
        made: NumberedAttributes | None = None if number is None else number(ATTRIBUTE_LIMIT)
        return made or PlainAttributes(self)

    def attribute_text(self, node: int, name: str, limit: int = 4 << 20) -> str:
        """An attribute as a whole, up to `limit` characters."""
        found = self._details.attributes(node, limit).get(name)
        if found is None:
            raise GraphUnknown(f"Node {self.names[node]!r} has no attribute {name!r}.", where=name)
        return found.text

    def shapes(self, node: int) -> tuple[Shape | None, ...]:
        """Of every output; None where it is unknown, and no entry where not even the number of outputs is known."""
        return self._details.shapes(node)

    def dtypes(self, node: int) -> tuple[str, ...]:
        """Of the outputs, as far as they are known: "f32", "i64", "bool"."""
        return self._details.dtypes(node)

    def source(self, node: int) -> tuple[Frame, ...]:
        """Where in the user's code the node was made; empty where the file does not tell."""
        return self._details.source(node)

    @cached_property
    def costs(self) -> Costs:
        if self._costs is not None:
            found = self._costs(self)
            # Without one operation that could be counted, the total is unknown and not 0.
            if np.nansum(found.flops) > 0:
                return found
            return Costs(found.parameters, np.full(len(self), np.nan))
        return Costs(np.zeros(len(self), np.int64), np.full(len(self), np.nan))

    @property
    def parameters(self) -> Int64:
        return self.costs.parameters

    @property
    def flops(self) -> Float64:
        return self.costs.flops

    @cached_property
    def _edges_by_node(self) -> tuple[Int64, Int64]:
        """Edges in the order of the nodes they lead to, and where those of each node begin."""
        order = np.argsort(self.edge_to, kind="stable").astype(np.int64)
        return order, np.searchsorted(self.edge_to[order], np.arange(len(self) + 1)).astype(np.int64)

    def input_edges(self, node: int) -> list[int]:
        """The edges that lead to a node, in the order of the file."""
        order, starts = self._edges_by_node
        found: list[int] = order[starts[node] : starts[node + 1]].tolist()
        return found

    @cached_property
    def index(self) -> dict[str, int]:
        """The first node of each name."""
        return {name: node for node, name in reversed(list(enumerate(self.names)))}

    @cached_property
    def path_index(self) -> dict[str, int]:
        return {path: node for node, path in enumerate(self.paths)}


class PlainAttributes:
    """Attributes numbered by their texts."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._numbers: dict[tuple[str, str], int] = {}

    def read(self, first: int, last: int) -> tuple[Int32, Int32, list[tuple[str, str]]]:
        known = len(self._numbers)
        counts, numbers = [], []
        for node in range(first, last):
            found = self._graph.attributes(node)
            counts.append(len(found))
            for name, value in found.items():
                numbers.append(self._numbers.setdefault((name, value.text), len(self._numbers)))
        fresh = list(islice(self._numbers, known, None))
        return np.array(counts, np.int32), np.array(numbers, np.int32), fresh


def unique_paths(paths: list[str]) -> list[str]:
    """The same list where every path is there once; else later ones get "#2", "#3"."""
    if len(set(paths)) == len(paths):
        return paths
    taken: set[str] = set(paths)
    seen: dict[str, int] = {}
    unique = []
    for path in paths:
        count = seen.get(path, 0) + 1
        seen[path] = count
        fresh = path
        while count > 1 and fresh in taken:
            fresh = f"{path}#{count}"
            count += 1
        taken.add(fresh)
        unique.append(fresh)
    return unique


def find_problems(graph: Graph) -> list[str]:
    problems = []
    doubled = len(graph.names) - len(set(graph.names))
    if doubled:
        names = ", ".join(_first_doubles(graph.names))
        problems.append(
            f"{_counted(doubled, 'node')} with the name of another ({names}); edges lead to the first."
        )
    # PyTorch's graphs have no node for a module, which its weights are taken from.
    holder = graph.op_names.index("prim::GetAttr") if "prim::GetAttr" in graph.op_names else -1
    lost = {edge: name for edge, name in graph.missing.items() if graph.ops[graph.edge_to[edge]] != holder}
    if lost:
        count = len(lost)
        names = ", ".join(repr(_short(name)) for name in list(dict.fromkeys(lost.values()))[:3])
        problems.append(f"{_counted(count, 'input')} of nodes that are not in the graph ({names}).")
    return problems


def _first_doubles(names: list[str]) -> list[str]:
    seen: set[str] = set()
    found: dict[str, None] = {}
    for name in names:
        if name in seen:
            found[repr(_short(name))] = None
            if len(found) == 3:
                break
        seen.add(name)
    return list(found)


def _short(name: str) -> str:
    return name if len(name) <= 80 else f"{name[:60]}…{name[-19:]}"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def shape_text(shape: Shape | None) -> str:
    """For people: "32×96", "scalar", and "?" for what is unknown."""
    if shape is None:
        return "?"
    return "×".join("?" if size is None else str(size) for size in shape) if shape else "scalar"


def cut(text: str, limit: int, size: int | None = None) -> Attribute:
    """`size`: bytes of the value where they are known."""
    return Attribute(text[:limit], len(text) if size is None else size, is_cut=len(text) > limit)


def is_op(ops: Int32, op_names: list[str], wanted: frozenset[str]) -> Bools:
    """Which nodes are one of these ops. NumPy's own `isin` imports half of NumPy at its first call."""
    # The last is for -1.
    return np.array([*(name in wanted for name in op_names), False], np.bool_)[ops]


def to_codes(values: Sequence[Any]) -> tuple[list[Any], Int32]:
    """Distinct values in the order they occur, and the number of each; None becomes -1."""
    known: dict[Any, int] = {}
    codes = np.fromiter(
        (-1 if value is None else known.setdefault(value, len(known)) for value in values),
        np.int32,
        len(values),
    )
    return list(known), codes
