"""Operations of torch's ops by their shapes: as torch counts them itself, and as they follow from the model of a training."""

from __future__ import annotations

import pytest
from tests.golden.test_memory_blocks import read_training
from tests.support.plain_traces import PROFILES, read_truth

from runglass.query.profiles.analysis.flops import COUNTED, Given
from runglass.query.profiles.analysis.ops import ops
from runglass.query.profiles.analysis.overview import overview
from runglass.query.profiles.read import read_file


def test_as_torch_counts_them():
    path = next((PROFILES / "torch_profiler_full").rglob("*1794705292013680843.pt.trace.json"))
    trace = read_file(path.name, path.read_bytes())
    truth = {
        row["name"]: row["flops"]
        for row in read_truth("torch_profiler_full", "key_averages_last")["key_averages"]
        if row.get("flops")
    }
    ours = {row.name: row.flops for row in ops(trace, place="host")}
    assert truth
    assert {name: ours[name] for name in truth} == truth


def test_a_training_on_a_gpu():
    trace = read_training("leak")
    rows = {row.name: row for row in ops(trace, place="host")}
    forward, backward = rows["aten::cudnn_convolution"], rows["aten::convolution_backward"]
    sizes = [
        (3, 48, 192),
        (48, 48, 192),
        (48, 96, 96),
        (96, 96, 96),
        (96, 192, 48),
        (192, 192, 48),
        (192, 384, 24),
    ]
    sizes += [(384, 384, 24), (576, 192, 48), (192, 192, 48), (288, 96, 96), (96, 96, 96), (144, 48, 192)]
    sizes += [(48, 48, 192)]
    products = [32 * i * o * size**2 * 9 for i, o, size in sizes] + [32 * 48 * 2 * 192**2]
    steps = len(trace.steps)
    assert forward.flops == 2 * sum(products) * steps
    # The gradient of the picture itself is not needed.
    assert backward.flops == 2 * (2 * sum(products) - products[0]) * steps
    # The ops around it have the same, and its rate is that of its kernels.
    assert rows["aten::convolution"].flops == forward.flops
    assert forward.flop_rate == pytest.approx(forward.flops / (forward.device_total_ps / 1e12))
    assert (forward.bound_by, forward.intensity) == ("compute", pytest.approx(forward.flops / forward.bytes))
    view = overview(trace)
    assert view.peak_flop_rate == 989.4e12
    assert 0.05 < view.flop_rate / view.peak_flop_rate < 0.5


@pytest.mark.parametrize(
    ("name", "dims", "values", "flops"),
    [
        ("aten::bmm", [[4, 8, 16], [4, 16, 32]], [], 2 * 4 * 8 * 16 * 32),
        ("aten::addmm", [[32], [8, 16], [16, 32]], [], 2 * 8 * 16 * 32),
        ("aten::mm", [[8, 16], [8, 32]], [], None),
        ("aten::mm", [[8, 16]], [], None),
        (
            "aten::conv1d",
            [[2, 4, 10], [6, 4, 3], []],
            ["", "", "", "[2]", "[1]", "[1]", "1"],
            2 * 2 * 6 * 5 * 4 * 3,
        ),
        # Two groups: each output has half of the inputs, as the shape of the weights says.
        (
            "aten::conv2d",
            [[1, 4, 5, 5], [6, 2, 3, 3]],
            ["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "2"],
            2 * 6 * 9 * 18,
        ),
        ("aten::conv2d", [[1, 4, 5, 5], [6, 2, 3, 3]], [], None),
        ("aten::convolution", [[1, 4, 5, 5], [4, 2, 3, 3]], ["", "", "", "[1]", "[0]", "[1]", "True"], None),
        (
            "aten::_scaled_dot_product_flash_attention",
            [[2, 8, 128, 64]] * 3,
            [],
            4 * 2 * 8 * 128 * 128 * 64,
        ),
        ("aten::_scaled_dot_product_flash_attention", [[2, 8, 128, 64]], [], None),
    ],
)
def test_formulas(name, dims, values, flops):
    work = COUNTED[name](Given(dims, values))
    assert (work and work.flops) == flops
