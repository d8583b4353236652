"""Which nodes are drawn as ports of the nodes that use them: constants, variables, parameters, and what only passes them on."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from runglass.query.graphs.model import Graph

PortKind = Literal["constant", "variable", "parameter"]
KINDS: tuple[PortKind, ...] = ("constant", "variable", "parameter")
CONSTANT, VARIABLE, PARAMETER = 1, 2, 3

CONSTANTS = frozenset({"Const", "HostConst", "Constant", "constant", "prim::Constant", "get_attr"})
VARIABLES = frozenset({"VarHandleOp", "VariableV2", "AutoReloadVariable"})
PARAMETERS = frozenset({"prim::GetAttr", "Initializer", "Parameter", "Buffer"})
# Folded together with what they read, where all of it is folded.
PASSING = frozenset(
    {"prim::ListConstruct", "prim::TupleConstruct", "prim::NumToTensor", "ReadVariableOp", "Identity"}
)
# What they answer is known once shapes are, so they and the arithmetic on their answers are drawn like constants.
MEASURING = frozenset({"aten::size", "Shape", "ShapeN", "Size", "Rank", "aten.sym_size.int", "sym_size"})
COMPUTING = frozenset(
    {
        *(
            "aten::Int",
            "aten::mul",
            "aten::div",
            "aten::floor_divide",
            "aten::add",
            "aten::sub",
            "aten::ScalarImplicit",
        ),
        *(
            "aten::__getitem__",
            "StridedSlice",
            "Pack",
            "ConcatV2",
            "Prod",
            "Cast",
            "Mul",
            "AddV2",
            "Sub",
            "FloorDiv",
        ),
        *(
            "GatherV2",
            "ExpandDims",
            "Squeeze",
            "Gather",
            "Unsqueeze",
            "Concat",
            "Slice",
            "Add",
            "Div",
            "mul",
            "add",
        ),
        *("Range", "Minimum", "Maximum", "BroadcastGradientArgs", "ConcatOffset", "FloorMod"),
    }
)
# Variables that a function gets as an argument are known only by who reads them.
READING = frozenset({"ReadVariableOp"})
ARGUMENTS = frozenset({"_Arg", "Placeholder", "IO Node"})
# Ops that write, check or save variables: whose weights they are is told by who else reads them. Beginnings of names.
UPKEEP = (
    "Assign",
    "VarIsInitialized",
    "ResourceApply",
    "ResourceSparseApply",
    "Apply",
    "Save",
    "Restore",
    "IsVariableInit",
)
# Chains of nodes that pass constants on are this long at most.
MAX_ROUNDS = 16


class Folding(Struct, frozen=True):
    # 0: not folded; else one more than the place of its kind in KINDS.
    kind: NDArray[np.int8]
    # The node at which a folded one is shown first; of others themselves.
    at: NDArray[np.int32]


def no_folding(graph: Graph) -> Folding:
    return Folding(np.zeros(len(graph), np.int8), np.arange(len(graph), dtype=np.int32))


def fold(graph: Graph) -> Folding:
    count = len(graph)
    data = (graph.edge_from >= 0) & ~graph.edge_control
    source, target = graph.edge_from[data], graph.edge_to[data]
    inputs = np.bincount(graph.edge_to[~graph.edge_control], minlength=count)
    uses = np.bincount(source, minlength=count)
    is_used = uses > 0
    kind = np.zeros(count, np.int8)
    has_no_input = inputs == 0
    holds = (graph.parameters > 0) & has_no_input
    kind[_has_op(graph, CONSTANTS) & has_no_input & is_used] = CONSTANT
    kind[_has_op(graph, VARIABLES) & has_no_input & is_used] = VARIABLE
    kind[(holds | _has_op(graph, PARAMETERS)) & is_used & (kind == 0)] = PARAMETER
    is_argument = _has_op(graph, ARGUMENTS) & has_no_input
    variables = np.bincount(target[is_argument[source] | (kind[source] > 0)], minlength=count)
    kind[_has_op(graph, READING) & is_used & (variables == inputs)] = VARIABLE
    kind[_has_op(graph, MEASURING) & is_used & (kind == 0)] = CONSTANT
    passes = _has_op(graph, PASSING) & is_used & (kind == 0)
    computes = _has_op(graph, COMPUTING) & is_used & (kind == 0)
    if graph.calls:
        passes[list(graph.calls)] = False
        computes[list(graph.calls)] = False
    for _ in range(MAX_ROUNDS):
        folded_inputs = np.bincount(target[kind[source] > 0], minlength=count)
        constant_inputs = np.bincount(target[kind[source] == CONSTANT], minlength=count)
        fresh = (passes & (folded_inputs == inputs)) | (computes & (constant_inputs == inputs) & (inputs > 0))
        if not fresh.any():
            break
        highest = np.full(count, CONSTANT, np.int8)
        np.maximum.at(highest, target, kind[source])
        kind[fresh] = highest[fresh]
        passes &= ~fresh
        computes &= ~fresh
    # An argument that only folded nodes read would stand alone.
    folded_uses = np.bincount(source[kind[target] > 0], minlength=count)
    alone = is_argument & is_used & (folded_uses == uses)
    kind[alone] = VARIABLE
    return Folding(*_settle(graph, kind, source, target))


def _settle(
    graph: Graph, kind: NDArray[np.int8], source: NDArray[Any], target: NDArray[Any]
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Where folded nodes are shown: at their first use that is not upkeep. What is used nowhere is not folded after all."""
    count = len(kind)
    nobody = 2 * count
    rank = np.arange(count) + count * _keeps(graph)
    at = np.where(kind > 0, nobody, rank)
    into = np.flatnonzero(kind[source] > 0)
    source, target = source[into], target[into]
    while True:
        before = at[source]
        np.minimum.at(at, source, at[target])
        if (at[source] == before).all():
            break
    lost = np.flatnonzero(at >= nobody)
    at[lost] = lost
    kind[lost] = 0
    return kind, (at % max(count, 1)).astype(np.int32)


def _keeps(graph: Graph) -> NDArray[np.bool_]:
    known = np.fromiter((name.startswith(UPKEEP) for name in graph.op_names), np.bool_, len(graph.op_names))
    return known[graph.ops] if len(known) else np.zeros(len(graph), np.bool_)


def _has_op(graph: Graph, names: frozenset[str]) -> NDArray[np.bool_]:
    known = np.fromiter((name in names for name in graph.op_names), np.bool_, len(graph.op_names))
    return known[graph.ops] if len(known) else np.zeros(len(graph), np.bool_)
