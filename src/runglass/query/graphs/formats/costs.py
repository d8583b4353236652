"""How many weights nodes hold and how many operations they take, from the shapes that a graph gives.

Sizes that vary count as 1, so a graph with a free batch size tells the cost of one example.
"""

from __future__ import annotations

import math

import numpy as np

from runglass.query.graphs.model import Costs, Float64, Graph, Int32, Shape, is_op

# Ops of TensorFlow and PyTorch that hold weights.
VARIABLES = frozenset({"VarHandleOp", "VariableV2", "AutoReloadVariable", "prim::GetAttr"})
# What modules of PyTorch hold beside their weights: a graph does not tell the two apart.
BUFFERS = frozenset({"running_mean", "running_var", "num_batches_tracked"})
MATMULS = frozenset(
    {
        *("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "_FusedMatMul", "SparseMatMul"),
        *("aten::matmul", "aten::mm", "aten::bmm", "aten::linear"),
    }
)
ADDED_MATMULS = frozenset({"aten::addmm", "aten::baddbmm"})
CONVOLUTIONS = frozenset({"Conv2D", "Conv3D", "Conv1D", "_FusedConv2D"})
DEPTHWISE = frozenset({"DepthwiseConv2dNative"})
TORCH_CONVOLUTIONS = frozenset(
    {"aten::_convolution", "aten::convolution", "aten::conv1d", "aten::conv2d", "aten::conv3d"}
)
ATTENTIONS = frozenset({"aten::scaled_dot_product_attention"})
# Nodes that only hold, pass on or rename values; they take no floating-point operation.
FREE = frozenset(
    {
        *(
            "Const",
            "Placeholder",
            "PlaceholderWithDefault",
            "Identity",
            "IdentityN",
            "NoOp",
            "ReadVariableOp",
        ),
        *("VarHandleOp", "VariableV2", "Variable", "Reshape", "Squeeze", "ExpandDims", "Shape", "Pack"),
        *("Unpack", "StridedSlice", "Slice", "Concat", "ConcatV2", "Split", "SplitV", "Transpose", "Cast"),
        *("Gather", "GatherV2", "ResourceGather", "StopGradient", "Tile", "Fill", "Range", "ZerosLike"),
        *("Input", "Output", "Parameter", "Buffer", "Constant"),
        *("_Arg", "_Retval", "IO Node", "prim::Constant", "prim::GetAttr", "prim::ListConstruct"),
        *("prim::TupleConstruct", "prim::TupleUnpack", "prim::ListUnpack", "prim::NumToTensor", "aten::Int"),
        *("aten::size", "aten::view", "aten::reshape", "aten::transpose", "aten::permute", "aten::flatten"),
        *("aten::contiguous", "aten::select", "aten::slice", "aten::unsqueeze", "aten::squeeze"),
        *("aten::embedding", "aten::dropout", "aten::expand", "aten::unflatten", "aten::t", "aten::to"),
    }
)


def graph_def_costs(graph: Graph) -> Costs:
    sizes, last = shape_sizes(graph)
    return Costs(count_parameters(graph, sizes), count_flops(graph, sizes, last))


def shape_sizes(graph: Graph) -> tuple[Float64, Float64]:
    """How many values each shape has, and its last size; the last entries, NaN, are for nodes without a shape."""
    sizes = np.full(len(graph.shape_names) + 1, np.nan)
    last = np.full(len(graph.shape_names) + 1, np.nan)
    for code, shape in enumerate(graph.shape_names):
        known = [1 if size is None else size for size in shape]
        sizes[code] = float(math.prod(known))
        last[code] = float(known[-1]) if known else 1.0
    return sizes, last


def has_op(graph: Graph, ops: frozenset[str]) -> Int32:
    return np.flatnonzero(is_op(graph.ops, graph.op_names, ops)).astype(np.int32)


def count_parameters(graph: Graph, sizes: Float64) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    counts = np.zeros(len(graph), np.int64)
    nodes = has_op(graph, VARIABLES)
    held = sizes[graph.first_shapes[nodes]]
    names = {graph.names[node] for node in nodes}
    # What an optimizer keeps for a variable is named after it: "kernel/Adam".
    scopes = [graph.names[node].rpartition("/")[0] for node in nodes]
    is_weight = [scope not in names and scope.rpartition("/")[2] not in BUFFERS for scope in scopes]
    is_known = np.isfinite(held) & (held < 2**62) & np.array(is_weight, np.bool_)
    counts[nodes[is_known]] = held[is_known].astype(np.int64)
    return counts


def input_shapes(graph: Graph, number: int) -> Int32:
    """The shape of each node's input of this number, -1 where there is none or it is unknown."""
    found = np.full(len(graph), -1, np.int32)
    if not len(graph.edge_to):
        return found
    # Control edges come last among the inputs of a node, so that they shift no number.
    order = np.argsort(graph.edge_to, kind="stable")
    to = graph.edge_to[order]
    is_first = np.append(True, to[1:] != to[:-1])
    starts = np.maximum.accumulate(np.where(is_first, np.arange(len(to)), 0))
    chosen = order[(np.arange(len(to)) - starts == number) & ~graph.edge_control[order]]
    # The shape of the first output stands for the others.
    chosen = chosen[graph.edge_from[chosen] >= 0]
    found[graph.edge_to[chosen]] = graph.first_shapes[graph.edge_from[chosen]]
    return found


def count_flops(graph: Graph, sizes: Float64, last: Float64) -> Float64:
    flops = np.full(len(graph), np.nan)
    flops[has_op(graph, FREE)] = 0.0
    of_inputs = [input_shapes(graph, number) for number in range(3)]
    out = sizes[graph.first_shapes]
    for ops, number in ((MATMULS, 0), (ADDED_MATMULS, 1)):
        nodes = has_op(graph, ops)
        # Every value of the left matrix meets every column of the right one.
        flops[nodes] = 2 * sizes[of_inputs[number][nodes]] * last[graph.first_shapes[nodes]]
    nodes = has_op(graph, CONVOLUTIONS)
    flops[nodes] = 2 * out[nodes] * sizes[of_inputs[1][nodes]] / last[of_inputs[1][nodes]]
    for ops in (DEPTHWISE, TORCH_CONVOLUTIONS):
        for node in has_op(graph, ops):
            kernel: Shape = graph.shape_names[of_inputs[1][node]] if of_inputs[1][node] >= 0 else ()
            if len(kernel) >= 3:
                kept = kernel[:2] if ops is DEPTHWISE else kernel[1:]
                flops[node] = 2 * out[node] * math.prod(1 if size is None else size for size in kept)
    for node in has_op(graph, ATTENTIONS):
        shapes: list[Shape] = [graph.shape_names[each[node]] if each[node] >= 0 else () for each in of_inputs]
        query, key, value = shapes
        if query and len(key) >= 2 and value:
            rows = math.prod(1 if size is None else size for size in query[:-1])
            flops[node] = 2.0 * rows * (key[-2] or 1) * ((query[-1] or 1) + (value[-1] or 1))
    return flops
