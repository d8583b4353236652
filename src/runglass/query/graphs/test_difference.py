from tests.support.graphs import layers, make_graph, show

from runglass.query.graphs.alignment import Side, align
from runglass.query.graphs.difference import Difference
from runglass.query.graphs.structure import Known


def compare(a, b, shown_a=(), shown_b=()):
    return Difference(Side(Known(a)), Side(Known(b))).answer(show(a), show(b), shown_a, shown_b)


def rows(answer):
    return [(row.state, row.label, row.what, row.count) for row in answer.rows]


def test_a_block_that_comes_in_every_layer_is_one_row():
    old = layers(6)
    new = []
    for path, op, inputs in old:
        if path.endswith("/relu"):
            at = path.removesuffix("/relu")
            new += [
                (f"{at}/q_norm/normalize", "RMSNorm", inputs),
                (f"{at}/q_norm/mul", "Mul", [f"{at}/q_norm/normalize"]),
            ]
            inputs = [f"{at}/q_norm/mul"]
        new.append((path, op, inputs))
    got = compare(
        make_graph(old),
        make_graph(new),
        ["encoder", "loss"],
        ["encoder", "encoder/layers.0-5/q_norm", "loss"],
    )
    assert rows(got) == [("added", "q_norm", "RMSNorm, Mul", 6)]
    assert (got.counts.added, got.counts.removed, got.counts.changed) == (6, 0, 0)
    assert got.rows[0].b == ["encoder/layers.0-5/q_norm"]
    assert got.states_a == ["same", "same"]
    assert got.states_b == ["inside", "added", "same"]
    assert [(each.name, each.a, each.b) for each in got.ops] == [("Mul", 12, 18), ("RMSNorm", 0, 6)]


def test_what_was_removed_is_told_with_who_reads_something_else_now():
    old = layers(3)
    new = [
        (path, op, [name.replace("/dropout", "/relu") for name in inputs])
        for path, op, inputs in old
        if not path.endswith("/dropout")
    ]
    got = compare(
        make_graph(old), make_graph(new), ["encoder/layers.0-2/dropout"], ["encoder/layers.0-2/add"]
    )
    assert rows(got) == [("removed", "dropout", "Mul", 3), ("changed", "add", "input dropout → relu", 3)]
    assert (got.states_a, got.states_b) == (["removed"], ["changed"])
    assert [(each.group, each.label, each.sources, each.targets) for each in got.ghosts] == [
        ("encoder/layers.0-2", "dropout", ["encoder/layers.0-2/relu"], ["encoder/layers.0-2/add"])
    ]


def test_a_changed_class_stands_for_what_is_inside():
    def graph(norm):
        types = {f"encoder/layers.{number}/norm": norm for number in range(3)}
        return make_graph(layers(3, norm=norm), group_types=types)

    got = compare(graph("LayerNorm"), graph("RMSNorm"), ["encoder/layers.0-2/norm"], ["encoder"])
    assert rows(got) == [("changed", "norm", "LayerNorm → RMSNorm", 3)]
    assert (got.states_a, got.states_b) == (["changed"], ["inside"])


def test_ops_attributes_shapes_and_types_are_compared():
    nodes = [("a", "Relu", []), ("b", "Softmax", ["a"]), ("c", "Mul", ["b"]), ("d", "Add", ["c"])]
    old = make_graph(
        nodes,
        details={
            "b": {"attributes": {"axis": 1, "_note": 1}},
            "c": {"shapes": [(2, 3)]},
            "d": {"dtypes": ["f32"]},
        },
    )
    new = make_graph(
        [("a", "Gelu", []), *nodes[1:]],
        details={
            "b": {"attributes": {"axis": 2, "_note": 2}},
            "c": {"shapes": [(2, 4)]},
            "d": {"dtypes": ["bf16"]},
        },
    )
    assert rows(compare(old, new)) == [
        ("changed", "a", "Relu → Gelu", 1),
        ("changed", "b", "axis 1 → 2", 1),
        ("changed", "c", "shape 2×3 → 2×4", 1),
        ("changed", "d", "dtype f32 → bf16", 1),
    ]


def test_a_moved_group_is_matched_by_structure():
    nodes = layers(3)
    moved = [
        (
            path.replace("encoder/", "model/stack/"),
            op,
            [name.replace("encoder/", "model/stack/") for name in inputs],
        )
        for path, op, inputs in nodes
    ]
    assert rows(compare(make_graph(nodes), make_graph(moved))) == []


def test_counted_names_move_when_one_is_added():
    old = [
        ("x", "Placeholder", []),
        ("mul", "Mul", ["x"]),
        ("mul_1", "Mul", ["mul"]),
        ("relu", "Relu", ["mul_1"]),
    ]
    new = [
        ("x", "Placeholder", []),
        ("mul", "Mul", ["x"]),
        ("tanh", "Tanh", ["mul"]),
        ("mul_2", "Mul", ["tanh"]),
        ("relu", "Relu", ["mul_2"]),
    ]
    assert rows(compare(make_graph(old), make_graph(new))) == [("added", "tanh", "Tanh", 1)]


def test_functions_are_compared_by_what_they_do():
    def graph(name, op):
        functions = {}
        functions[name] = make_graph(
            [
                ("a", "_Arg", []),
                ("act", op, ["a"]),
                ("again", "PartitionedCall", ["act"]),
                ("r", "_Retval", ["again"]),
            ],
            arguments=1,
            results=1,
            functions=functions,
            calls={"again": (name,)},
            details={"again": {"attributes": {"f": name}}},
        )
        details = {"call": {"attributes": {"f": name}}}
        return make_graph(
            [("call", "PartitionedCall", [])], functions=functions, calls={"call": (name,)}, details=details
        )

    assert rows(compare(graph("f_1", "Relu"), graph("f_2", "Relu"))) == []
    assert rows(compare(graph("f_1", "Relu"), graph("f_2", "Tanh"))) == [
        ("changed", "call", "1 changed in the body", 1)
    ]


def test_sequences_are_aligned_in_order():
    assert align("abcd", "abxcd") == [(0, 0), (1, 1), (2, 3), (3, 4)]
    assert align("", "a") == []
