from tests.support.graphs import make_graph, show

from runglass.query.graphs.flat_names import group_flat_names


def test_numbered_blocks_become_groups():
    names = ["in", "block_1_conv", "block_1_bn", "block_2_conv", "block_2_bn", "out"]
    assert group_flat_names(names) == [
        "in",
        "block_1/conv",
        "block_1/bn",
        "block_2/conv",
        "block_2/bn",
        "out",
    ]


def test_blocks_in_stages_and_in_scopes():
    names = [
        f"net/conv{stage}_block{block}_1_{part}"
        for stage in (2, 3)
        for block in (1, 2)
        for part in ("conv", "bn")
    ]
    assert group_flat_names([*names, "net/conv1_pad", "net/conv1_conv"]) == [
        *(
            f"net/conv{stage}/block{block}/1_{part}"
            for stage in (2, 3)
            for block in (1, 2)
            for part in ("conv", "bn")
        ),
        "net/conv1/pad",
        "net/conv1/conv",
    ]


def test_numbers_alone_are_no_blocks():
    for names in (
        ["conv2d", "conv2d_1", "conv2d_2"],
        ["param_0.12", "param_1.12", "param_0.3", "param_1.3"],
        ["block_1_conv", "block_2_conv", "block_3_conv"],
        ["block_1_conv", "block_1_bn"],
        ["head_1_query", "head_1_key", "head_2_value", "head_2_out"],
        ["", "/", "a//b_1_c"],
    ):
        assert group_flat_names(names) is names


def test_grouped_blocks_of_one_structure_are_one_repeat():
    parts = ("conv", "bn", "relu")
    nodes = [("in", "Placeholder", [])]
    for block in range(1, 5):
        for part in parts:
            nodes.append((f"block_{block}_{part}", part, [nodes[-1][0]]))
    shown = show(make_graph([*nodes, ("out", "Identity", [nodes[-1][0]])]))
    root = shown.read_level("")
    assert [(each.label, each.repeats) for each in root.nodes if each.type == "repeat"] == [
        ("block_1\u20134", 4)
    ]
    # What is logged under the name that the file has still means the node.
    graph = make_graph(nodes)
    assert graph.names[1] == "block_1_conv"
    assert graph.paths[1] == "block_1/conv"


def test_code_sees_the_paths_of_the_file():
    names = ["block_1_conv", "block_1_bn", "block_2_conv", "block_2_bn"]
    graph = make_graph([(name, "Op", []) for name in names])
    assert graph.file_paths == names
    assert graph.paths[0] == "block_1/conv"
