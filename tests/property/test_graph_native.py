"""Nodes scanned natively, beside the general codec and a loop over what it decodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runglass.native.graph import AttributeCodes, resolve_inputs, scan_nodes
from runglass.native.wire import WireError, decode, encode
from runglass.query.graphs.formats.graph_def import parse_graph_def
from runglass.query.graphs.model import GraphDamaged, PlainAttributes
from runglass.schema.graph import GRAPH
from runglass.schema.tensor import SHAPE

RANKS = ("output_types", "Tout", "T", "out_type", "output_type", "DstT", "dtype")
names = st.text("ab/:^é", max_size=5)
types = st.integers(1, 40)
shapes = st.builds(
    lambda sizes: {"dim": [{"size": size} for size in sizes]}, st.lists(st.integers(-1, 300), max_size=3)
)
values = st.one_of(
    st.builds(lambda number: {"type": number}, types),
    st.builds(lambda items: {"list": {"type": items}}, st.lists(types, min_size=1, max_size=3)),
    st.builds(lambda items: {"list": {"shape": items}}, st.lists(shapes, max_size=2)),
    st.builds(lambda item: {"shape": item}, shapes),
    st.builds(lambda item: {"tensor": {"dtype": 1, "tensor_shape": item}}, shapes),
    st.builds(lambda text: {"s": text}, st.binary(max_size=4)),
    st.builds(lambda name: {"func": {"name": name}}, names),
    st.builds(
        lambda items: {"list": {"func": [{"name": item} for item in items]}}, st.lists(names, max_size=2)
    ),
)
keys = st.sampled_from((*RANKS, "_output_shapes", "shape", "value", "_XlaCluster", "f", "branches"))
nodes = st.fixed_dictionaries(
    {"name": names, "op": st.sampled_from(["A", "B", ""])},
    optional={
        "input": st.lists(names, max_size=3),
        "device": st.sampled_from(["/cpu:0", "/gpu:0", ""]),
        "attr": st.dictionaries(keys, values, max_size=4),
    },
)
graphs = st.lists(nodes, max_size=6)


def plain_scan(graph):
    """What the columns must say, node by node."""
    found = []
    for node in graph:
        attr = node.get("attr", {})
        dtype = rank = 0
        for key, value in attr.items():
            if key in RANKS and RANKS.index(key) + 1 > rank:
                number = value.get("type") or (value.get("list", {}).get("type") or [0])[0]
                if number:
                    dtype, rank = number, RANKS.index(key) + 1
        listed = attr.get("_output_shapes", {}).get("list", {}).get("shape", [])
        own = attr.get("shape", {}).get("shape")
        if own is None:
            own = attr.get("value", {}).get("tensor", {}).get("tensor_shape")
        functions = [
            (key, each.get("name", ""))
            for key, value in attr.items()
            # A list of this name is looked at for shapes alone.
            if key != "_output_shapes" or "func" in value
            for each in ([value["func"]] if "func" in value else value.get("list", {}).get("func", []))
        ]
        found.append(
            {
                "name": node["name"],
                "op": node["op"],
                "device": node.get("device") or None,
                "dtype": dtype,
                "shape": listed[0] if listed else None,
                "own": own,
                "cluster": attr.get("_XlaCluster", {}).get("s"),
                "functions": functions,
                "inputs": node.get("input", []),
            }
        )
    return found


def scanned(data):
    scan = scan_nodes(data, 0, len(data), 1)

    def of(codes, items, node):
        return items[codes[node]] if codes[node] >= 0 else None

    return [
        {
            "name": scan.names[node],
            "op": scan.op_names[scan.ops[node]],
            "device": of(scan.devices, scan.device_names, node),
            "dtype": int(scan.dtypes[node]),
            "shape": of(scan.shapes, scan.shape_names, node),
            "own": of(scan.own_shapes, scan.shape_names, node),
            "cluster": of(scan.clusters, scan.cluster_names, node),
            "functions": [(key, name) for at, key, name in scan.functions if at == node],
            "inputs": [
                data[start : start + size].decode()
                for at, start, size in zip(scan.input_nodes, scan.input_starts, scan.input_sizes, strict=True)
                if at == node
            ],
        }
        for node in range(len(scan.names))
    ]


@given(graphs)
def test_columns(graph):
    data = encode(GRAPH, {"node": graph})
    expected = plain_scan(graph)
    for each in expected:
        each["shape"] = None if each["shape"] is None else encode(SHAPE, each["shape"])
        each["own"] = None if each["own"] is None else encode(SHAPE, each["own"])
        each["cluster"] = None if each["cluster"] is None else each["cluster"].decode("utf-8", "replace")
    assert scanned(data) == expected


def plain_resolve(text, index):
    """(node, output, is control, name of the output, missing name) of one input."""
    control = text.startswith("^")
    bare = text[1:] if control else text
    if bare in index:
        return index[bare], 0, control, None, None
    name, colon, number = bare.rpartition(":")
    if colon and 0 < len(number) < 10 and number.isascii() and number.isdigit():
        if name in index:
            return index[name], int(number), control, None, None
        node, inner, output = name.rpartition(":")
        if inner and node in index:
            return index[node], int(number), control, output, None
    return -1, 0, control, None, bare


inputs = st.one_of(
    names,
    st.builds("{}{}:{}".format, st.sampled_from(["", "^"]), names, st.integers(0, 10**12)),
    st.builds("{}:{}:{}".format, names, names, st.integers(0, 99)),
    st.builds("{}:{}".format, names, st.text("0123456789 -x²", max_size=3)),
)


@given(st.lists(inputs, max_size=8), st.lists(names, max_size=5, unique=True))
def test_inputs(texts, known):
    index = {name: number for number, name in enumerate(known)}
    scan_data = encode(GRAPH, {"node": [{"name": "n", "op": "O", "input": texts}]})
    scan = scan_nodes(scan_data, 0, len(scan_data), 1)
    found, outputs, control, output_names, codes, missing = resolve_inputs(
        scan_data, scan.input_starts, scan.input_sizes, index
    )
    for number, text in enumerate(texts):
        node, output, is_control, name, lost = plain_resolve(text, index)
        if output >= 2**31 - 1:
            continue
        assert (int(found[number]), int(outputs[number]), bool(control[number])) == (node, output, is_control)
        assert (output_names[codes[number]] if codes[number] >= 0 else None) == name
        assert missing.get(number) == lost


def attributes_by_node(numbered, nodes, part):
    """Names and texts of each node, read in parts."""
    texts, found = [], []
    for first in range(0, nodes, part):
        counts, numbers, fresh = numbered.read(first, min(first + part, nodes))
        texts += fresh
        ends = counts.cumsum().tolist()
        for end, count in zip(ends, counts.tolist(), strict=True):
            found.append(sorted(texts[number] for number in numbers[end - count : end]))
    return found


@given(graphs, st.integers(1, 4))
def test_attributes_that_repeat_are_numbered_once(graph, part):
    parsed = parse_graph_def(encode(GRAPH, {"node": graph}))
    got = attributes_by_node(parsed.number_attributes(), len(parsed), part)
    assert got == attributes_by_node(PlainAttributes(parsed), len(parsed), part)


def test_nodes_outside_of_the_bytes_are_refused():
    for start, size in ((-1, 1), (0, 11), (11, 0), (5, 6), (2, 2**62)):
        with pytest.raises(ValueError, match="node 0"):
            AttributeCodes().read(bytes(10), np.array([start]), np.array([size]))
    with pytest.raises(ValueError, match="1 starts"):
        AttributeCodes().read(b"", np.array([0]), np.array([], np.int64))


def test_a_long_attribute_is_read_whole():
    nodes = [{"name": name, "op": "Const", "attr": {"text": {"s": b"x" * 5_000}}} for name in "ab"]
    parsed = parse_graph_def(encode(GRAPH, {"node": nodes}))
    counts, numbers, fresh = parsed.number_attributes().read(0, 2)
    assert (counts.tolist(), numbers.tolist()) == ([1, 1], [0, 1])
    assert [(name, set(text)) for name, text in fresh] == [("text", {"x"})] * 2


@settings(max_examples=300)
@given(graphs, st.integers(0, 300), st.binary(max_size=4))
def test_damage_keeps_the_whole_nodes_before_it(graph, at, noise):
    data = encode(GRAPH, {"node": graph})
    damaged = data[:at] + noise
    try:
        whole = decode(GRAPH, damaged).get("node", [])
    except WireError:
        whole = None
    scan = scan_nodes(damaged, 0, len(damaged), 1)
    if whole is not None:
        assert len(scan.names) == len(whole)
        assert not scan.fault
    try:
        parsed = parse_graph_def(damaged)
    except GraphDamaged:
        assert scan.fault
        assert not scan.names
        return
    assert parsed.names == scan.names
    for node in range(len(parsed)):
        parsed.attributes(node)
        parsed.values(node)
        parsed.shapes(node)
        parsed.dtypes(node)
    attributes_by_node(parsed.number_attributes(), len(parsed), 2)
