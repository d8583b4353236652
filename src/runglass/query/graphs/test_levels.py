import pytest
from tests.support.graphs import PLAIN, layers, make_graph, show

from runglass.query.graphs.levels import Level
from runglass.query.graphs.model import GraphUnknown
from runglass.query.graphs.structure import StructureView


def ids(level: Level) -> list[str]:
    return [node.id for node in level.nodes]


def wires(level: Level) -> list[tuple[str, str, int]]:
    return [(level.nodes[edge.source].id, level.nodes[edge.target].id, edge.count) for edge in level.edges]


def node(level: Level, id: str):
    return next(each for each in level.nodes if each.id == id)


def test_groups_are_closed_and_edges_between_them_are_counted():
    graph = make_graph(
        [
            ("in", "Placeholder", []),
            ("a/x", "Mul", ["in"]),
            ("a/y", "Mul", ["in", "a/x"]),
            ("b/x", "Add", ["a/x", "a/y:1"]),
            ("b/y", "Add", ["b/x", "^in"]),
        ],
        details={"a/x": {"shapes": [(2, 3)]}, "in": {"shapes": [(None,)]}},
    )
    shown = show(graph)
    root = shown.read_level("")
    assert ids(root) == ["in", "a", "b"]
    assert [(each.type, each.count, each.can_open) for each in root.nodes] == [
        ("argument", 1, False),
        ("group", 2, True),
        ("group", 2, True),
    ]
    assert wires(root) == [("in", "a", 2), ("in", "b", 1), ("a", "b", 2)]
    assert [(edge.label, edge.control) for edge in root.edges] == [
        ("?", False),
        ("", True),
        ("2 tensors", False),
    ]
    inside = shown.read_level("a")
    assert wires(inside) == [("a/x", "a/y", 1)]
    assert [(edge.outer, edge.target, edge.label) for edge in inside.ins] == [("in", 0, "?"), ("in", 1, "?")]
    assert [(edge.source, edge.outer, edge.label) for edge in inside.outs] == [(0, "b", "2×3"), (1, "b", "")]


def test_levels_go_down_until_the_limit():
    graph = make_graph([(f"a/b{number}/{name}", "Mul", []) for number in range(3) for name in "xy"])
    shown = show(graph, PLAIN)
    assert [level.group for level in shown.read_levels([""], depth=3, limit=100)] == [
        "",
        "a",
        "a/b0",
        "a/b1",
        "a/b2",
    ]
    assert [level.group for level in shown.read_levels([""], depth=2, limit=100)] == ["", "a"]
    assert [level.group for level in shown.read_levels([""], depth=3, limit=6)] == ["", "a", "a/b0"]


def test_a_repeat_is_drawn_once_with_what_crosses_its_border():
    shown = show(make_graph(layers(6)))
    encoder = shown.read_level("encoder")
    (repeat,) = encoder.nodes
    assert (repeat.id, repeat.label, repeat.type, repeat.repeats) == (
        "encoder/layers.0-5",
        "layers.0–5",
        "repeat",
        6,
    )
    assert (repeat.count, repeat.can_open) == (42, True)
    assert [(edge.outer, edge.count) for edge in encoder.ins] == [("x", 2)]
    body = shown.read_level("encoder/layers.0-5")
    assert ids(body) == [
        f"encoder/layers.0-5/{name}" for name in ("norm", "linear", "relu", "dropout", "add")
    ]
    # No edge leads from one layer to the next, or back.
    assert not any(edge.is_back for edge in body.edges)
    assert [(edge.outer, body.nodes[edge.target].label) for edge in body.ins] == [("x", "norm"), ("x", "add")]
    assert [(body.nodes[edge.source].label, edge.outer) for edge in body.outs] == [("add", "loss")]
    # What a node of the body counts is that of all layers.
    assert node(body, "encoder/layers.0-5/norm").count == 12


def test_members_of_a_repeat_can_be_shown_one_by_one():
    graph = make_graph(layers(6))
    each = show(graph, StructureView(each=("encoder/layers.0-5",)))
    assert ids(each.read_level("encoder")) == [f"encoder/layers.{number}" for number in range(6)]
    one = show(graph, StructureView(each=("encoder/layers.3",)))
    assert ids(one.read_level("encoder")) == ["encoder/layers.0-2", "encoder/layers.3", "encoder/layers.4-5"]


def test_a_repeat_says_what_differs():
    details = {
        f"encoder/layers.{number}/relu": {"shapes": [(8, 16 if number < 2 else 32)]} for number in range(3)
    }
    shown = show(make_graph(layers(3), details=details))
    assert shown.read_level("encoder").nodes[0].differs == ["shape of relu: 8×16, 8×32"]


def test_blocks_that_are_wired_differently_are_no_repeat():
    nodes = layers(3)
    at = next(place for place, each in enumerate(nodes) if each[0] == "encoder/layers.1/relu")
    nodes[at] = ("encoder/layers.1/relu", "Relu", ["encoder/layers.1/norm/mul"])
    assert ids(show(make_graph(nodes)).read_level("encoder")) == [
        f"encoder/layers.{number}" for number in range(3)
    ]


def test_constants_and_variables_are_ports_of_their_users():
    graph = make_graph(
        [
            ("x", "Placeholder", []),
            ("w", "VarHandleOp", []),
            ("dense/read", "ReadVariableOp", ["w"]),
            ("dense/matmul", "MatMul", ["x", "dense/read"]),
            ("dense/axis", "Const", []),
            ("dense/sum", "Sum", ["dense/matmul", "dense/axis"]),
            ("update", "ResourceApplyAdam", ["w", "dense/sum"]),
            ("unused", "Const", []),
        ],
        details={"w": {"parameters": 12}},
    )
    shown = show(graph)
    root = shown.read_level("")
    assert ids(root) == ["x", "dense", "update", "unused"]
    assert [(port.id, port.label, port.kind) for port in node(root, "update").ports] == [
        ("w", "w", "variable")
    ]
    # Weights count where they are used, not where they are updated.
    assert [(each.id, each.parameters) for each in root.nodes if each.parameters] == [("dense", 12)]
    dense = shown.read_level("dense")
    assert [[port.id for port in each.ports] for each in dense.nodes] == [["dense/read"], ["dense/axis"]]
    assert wires(dense) == [("dense/matmul", "dense/sum", 1)]


def test_arithmetic_on_shapes_is_folded():
    graph = make_graph(
        [
            ("x", "Placeholder", []),
            ("shape", "Shape", ["x"]),
            ("zero", "Const", []),
            ("batch", "StridedSlice", ["shape", "zero"]),
            ("new_shape", "Pack", ["batch", "zero"]),
            ("reshape", "Reshape", ["x", "new_shape"]),
        ]
    )
    assert wires(show(graph).read_level("")) == [("x", "reshape", 1)]


def test_a_row_of_numbered_ops_is_a_series():
    names = ["scale", *(f"scale_{number}" for number in range(1, 7))]
    nodes = [("x", "Placeholder", []), *((name, "Mul", ["x"]) for name in names), ("sum", "AddN", names)]
    shown = show(make_graph(nodes))
    root = shown.read_level("")
    assert ids(root) == ["x", "scale[0-6]", "sum"]
    assert (root.nodes[1].type, root.nodes[1].op, root.nodes[1].repeats) == ("series", "Mul", 7)
    assert wires(root) == [("x", "scale[0-6]", 7), ("scale[0-6]", "sum", 7)]
    assert ids(shown.read_level("scale[0-6]")) == [f"scale[0-6]/{name}" for name in names]
    single = show(make_graph(nodes), StructureView(each=("scale[0-6]",)))
    assert ids(single.read_level("")) == ["x", *names, "sum"]


def test_ops_with_others_in_between_are_no_series():
    nodes = [("mul", "Mul", [])]
    for number in range(1, 8):
        nodes += [(f"relu_{number}", "Relu", [nodes[-1][0]]), (f"mul_{number}", "Mul", [f"relu_{number}"])]
    assert all(each.type == "op" for each in show(make_graph(nodes)).read_level("").nodes)


def test_a_node_that_many_use_stands_aside():
    nodes = [("mask", "Cast", ["step"]), ("step", "Placeholder", []), ("x0", "Relu", [])]
    nodes += [(f"x{number}", "Where", [f"x{number - 1}", "mask"]) for number in range(1, 16)]
    graph = make_graph(nodes)
    view = StructureView(series=False)
    root = show(graph, view).read_level("")
    assert [(each.id, each.uses) for each in root.nodes if each.is_aside] == [("mask", 15)]
    assert node(root, "x3").aside_uses == ["mask"]
    assert not any("mask" in (start, end) for start, end, _ in wires(root))
    back = show(graph, StructureView(series=False, back=("mask",))).read_level("")
    assert not any(each.is_aside for each in back.nodes)
    out = show(graph, StructureView(series=False, out=("step",))).read_level("")
    assert [each.id for each in out.nodes if each.is_aside] == ["mask", "step"]


def test_a_node_aside_is_named_where_it_is_used_further_in():
    nodes = [("mask", "Cast", []), *((f"g{n}/{name}", "Where", ["mask"]) for n in range(15) for name in "ab")]
    shown = show(make_graph(nodes), StructureView(repeats=False))
    level = shown.read_level("g3")
    assert [each.aside_uses for each in level.nodes] == [["mask"], ["mask"]]
    assert level.ins == []


def body():
    nodes = [
        ("a", "_Arg", []),
        ("b", "_Arg", []),
        ("inner/mul", "Mul", ["a", "b"]),
        ("inner/add", "Add", ["inner/mul", "b"]),
        ("out", "_Retval", ["inner/add"]),
    ]
    return make_graph(nodes, arguments=2, results=1)


def test_a_function_opens_in_place():
    graph = make_graph(
        [
            ("x", "Placeholder", []),
            ("y", "Relu", []),
            ("s/call", "PartitionedCall", ["x", "y"]),
            ("z", "Relu", ["s/call"]),
        ],
        functions={"f": body()},
        calls={"s/call": ("f",)},
    )
    shown = show(graph)
    root = shown.read_level("")
    assert [(each.id, each.type, each.count) for each in root.nodes][2] == ("s", "function", 5)
    level = shown.read_level("s")
    assert ids(level) == ["s/a", "s/b", "s/inner", "s/out"]
    assert [each.type for each in level.nodes] == ["argument", "argument", "group", "result"]
    assert [(edge.outer, level.nodes[edge.target].id) for edge in level.ins] == [("x", "s/a"), ("y", "s/b")]
    assert [(level.nodes[edge.source].id, edge.outer) for edge in level.outs] == [("s/out", "z")]
    assert ids(shown.read_level("s/inner")) == ["s/inner/mul", "s/inner/add"]
    assert shown.ancestors(shown.find("s/inner/mul")) == [("s", "s"), ("s/inner", "inner")]


def test_a_function_that_calls_itself_opens_as_far_as_one_asks():
    functions = {}
    functions["f"] = make_graph(
        [("a", "_Arg", []), ("again", "PartitionedCall", ["a"]), ("r", "_Retval", ["again"])],
        arguments=1,
        results=1,
        functions=functions,
        calls={"again": ("f",)},
    )
    shown = show(make_graph([("call", "PartitionedCall", [])], functions=functions, calls={"call": ("f",)}))
    assert len(shown.read_levels([""], depth=12, limit=1_000)) == 12
    assert ids(shown.read_level("call/again/again")) == [
        f"call/again/again/{name}" for name in ("a", "again", "r")
    ]


def test_a_loop_opens_to_its_condition_and_its_body():
    graph = make_graph(
        [("x", "Placeholder", []), ("loop", "While", ["x", "x"]), ("y", "Relu", ["loop"])],
        functions={"cond": body(), "body": body()},
        calls={"loop": ("cond", "body")},
    )
    level = show(graph).read_level("loop")
    assert [(each.id, each.type) for each in level.nodes] == [
        ("loop/cond", "function"),
        ("loop/body", "function"),
    ]
    assert [(level.nodes[edge.source].id, edge.outer) for edge in level.outs] == [("loop/body", "y")]
    assert ids(show(graph).read_level("loop/body")) == [
        "loop/body/a",
        "loop/body/b",
        "loop/body/inner",
        "loop/body/out",
    ]


def test_edges_that_close_a_loop_are_marked():
    graph = make_graph(
        [
            ("enter", "Enter", []),
            ("merge", "Merge", ["enter", "next"]),
            ("body", "Add", ["merge"]),
            ("next", "NextIteration", ["body"]),
            ("exit", "Exit", ["merge"]),
        ]
    )
    root = show(graph).read_level("")
    assert [
        (start, end) for (start, end, _), edge in zip(wires(root), root.edges, strict=True) if edge.is_back
    ] == [("next", "merge")]
    assert ids(root) == ["enter", "merge", "body", "next", "exit"]


def test_a_scope_with_very_many_nodes_is_cut_into_parts():
    graph = make_graph([(f"a/n{number}x", "Mul", []) for number in range(2_600)])
    shown = show(graph, StructureView(series=False))
    level = shown.read_level("a")
    assert ids(level) == [
        "a/[1-500]",
        "a/[501-1000]",
        "a/[1001-1500]",
        "a/[1501-2000]",
        "a/[2001-2500]",
        "a/[2501-2600]",
    ]
    assert {each.type for each in level.nodes} == {"part"}
    assert len(shown.read_level("a/[2501-2600]").nodes) == 100


def test_a_node_inside_a_group_of_its_own_name():
    graph = make_graph([("range", "Range", ["range/x"]), ("range/x", "Mul", []), ("use", "Relu", ["range"])])
    shown = show(graph)
    assert ids(shown.read_level("")) == ["range", "use"]
    level = shown.read_level("range")
    assert [(each.id, each.label) for each in level.nodes] == [("range/x", "x"), ("range/(range)", "range")]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        "x" * 10_000,
        "/".join("a" * 5_000),
        "<script>alert(1)</script>",
        "a b",
        "é\n",
    ],
)
def test_odd_names_can_be_opened_and_asked_for(path):
    shown = show(make_graph([(path, "Mul", []), ("other", "Mul", [path])]))
    levels = shown.read_levels([""], depth=64, limit=1_000)
    leaves = [each.id for level in levels for each in level.nodes if not each.can_open]
    assert len(leaves) == 2
    assert [shown.root.id(shown.find(id).item) for id in leaves] == leaves


def test_what_is_not_there_is_said():
    shown = show(make_graph([("a/b", "Mul", []), ("a/c", "Mul", [])]))
    with pytest.raises(GraphUnknown, match="no node 'a/d'"):
        shown.read_level("a/d")
    with pytest.raises(GraphUnknown, match="is a node, not a group"):
        shown.read_level("a/b")
    # What an old address names is left out as long as something is left.
    assert [level.group for level in shown.read_levels(["", "a/d", "a"], depth=1, limit=10)] == ["", "a"]
    with pytest.raises(GraphUnknown):
        shown.read_levels(["a/d"], depth=1, limit=10)


def test_an_empty_graph_has_an_empty_level():
    level = show(make_graph([])).read_level("")
    assert (level.nodes, level.edges, level.ins, level.outs) == ([], [], [], [])


def test_nodes_without_edges_are_unconnected():
    graph = make_graph([("a", "Mul", []), ("b", "Relu", ["a"]), ("c", "Mul", [])])
    assert [(each.id, each.is_connected) for each in show(graph).read_level("").nodes] == [
        ("a", True),
        ("b", True),
        ("c", False),
    ]
