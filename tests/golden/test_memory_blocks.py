"""What is said of single allocations: what they are for, which ones stay, blocks that add up to the curve, trees that add up to the moment."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
from tests.support.plain_traces import PROFILES

from runglass.query.profiles.analysis.alive import BEFORE, alive_at
from runglass.query.profiles.analysis.checkpointing import why_unknown
from runglass.query.profiles.analysis.memory import highest, measure, memory
from runglass.query.profiles.analysis.memory_blocks import blocks
from runglass.query.profiles.analysis.tree import memory_tree, time_tree
from runglass.query.profiles.read import read_file

MEMORY = Path(__file__).parent / "memory"


def read(path):
    return read_file(path.name, path.read_bytes())


def read_training(name):
    """Trainings on a real GPU, cut to a few steps: one that keeps its outputs, and one in float32."""
    return read(MEMORY / f"{name}.h200.pt.trace.json.gz")


def test_what_memory_is_for():
    view = memory(read_training("leak"))
    regions = {each.region: each.bytes for each in view.regions}
    # The U-Net of this training has 4,376,930 parameters in 44 tensors; AdamW keeps two numbers for each.
    assert regions["parameters"] == 17_530_368
    assert regions["optimizer state"] == 2 * 17_530_368
    assert regions["activations"] > 0.85 * view.curves[-1].peak_bytes
    assert sum(regions.values()) == max(curve.peak_bytes for curve in view.curves)
    by_op = {(row.op, row.module, row.shape): row for row in view.at_peak}
    joined = by_op["aten::cat", "UNet_0", "32×96×192×192, 32×48×192×192"]
    # One tensor of 32 × 144 × 192 × 192 numbers in float32.
    assert (joined.bytes, joined.region) == (32 * 144 * 192 * 192 * 4, "activations")
    # A constant of 64 × 1024 × 1024 numbers in float32 was there before, and little else.
    before = next(row for row in view.at_peak if row.op == BEFORE)
    outputs = 5 * 32 * 2 * 192 * 192 * 2
    assert 0 <= before.bytes - 64 * 1024 * 1024 * 4 - outputs < 40 << 20
    assert [each.title for each in view.savings] == ["Half the batch", "Checkpointing of Block"]


def test_what_every_step_leaves_behind():
    assert memory(read_training("fp32")).suspects == []
    (suspect,) = memory(read_training("leak")).suspects
    # The outputs that this training keeps: 32 × 2 × 192 × 192 in bfloat16, one in each step.
    assert (suspect.op, suspect.module) == ("aten::cudnn_convolution", "Conv2d_14")
    assert suspect.step_bytes == 32 * 2 * 192 * 192 * 2
    assert suspect.steps == suspect.count >= 2


def test_mixed_precision_saves_only_where_there_is_float32():
    saved = {each.title: each.bytes for each in memory(read_training("fp32")).savings}
    assert 1e9 < saved["Mixed precision"] < saved["Half the batch"]


def test_checkpointing_saves_all_but_the_outputs_and_one_block():
    trace = read_training("leak")
    saving = next(each for each in memory(trace).savings if each.title.startswith("Checkpointing"))
    # By hand, allocation by allocation: up from the op that asked, to the outermost call of a Block.
    found = measure(trace)
    curve = found.curves[highest(found)]
    made = found.allocations
    held: dict[int, list[int]] = {}
    for at in range(len(made.start_ps)):
        is_alive = made.start_ps[at] <= curve.peak_ps and not 0 <= made.end_ps[at] <= curve.peak_ps
        key = made.allocators[made.where[at]]
        if (
            not is_alive
            or made.event[at] < 0
            or key not in ((f"{curve.host}/{curve.device}", curve.allocator),)
        ):
            continue
        names = [
            (each, trace.name_of(each)) for each in (int(made.event[at]), *trace.around(int(made.event[at])))
        ]
        blocks_around = [each for each, name in names if name.startswith("nn.Module: Block_")]
        is_forward = not any(name.startswith(("autograd::engine", "Optimizer.step")) for _, name in names)
        if blocks_around and is_forward:
            held.setdefault(blocks_around[-1], []).append(int(made.bytes[at]))
    freed = [sum(sizes) - max(sizes) for sizes in held.values()]
    assert len(held) == 7
    assert saving.bytes == sum(freed) - max(freed)
    # Seven blocks of convolutions of this U-Net in bfloat16: a few ms.
    assert saving.cost_ps is not None
    assert 3e9 < saving.cost_ps < 10e9
    assert "5.6 ms of the device in a step" in saving.evidence


def made_calls(more=()):
    """Three calls of a layer on the host, each of which keeps a large and a small tensor for a backward pass that never comes."""
    events = [
        {
            "ph": "X",
            "cat": "user_annotation",
            "name": "ProfilerStep#1",
            "pid": 1,
            "tid": 1,
            "ts": 0,
            "dur": 1000,
        },
        *more,
    ]
    address = held = 0
    for call in range(3):
        begin = 10 + 100 * call
        events.append(
            {
                "ph": "X",
                "cat": "python_function",
                "name": f"nn.Module: Layer_{call}",
                "pid": 1,
                "tid": 1,
                "ts": begin,
                "dur": 80,
            }
        )
        for number, megabytes in enumerate((100, 60)):
            at = begin + 10 + 20 * number
            events.append(
                {"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1, "tid": 1, "ts": at, "dur": 10}
            )
            address, held = address + 1, held + (megabytes << 20)
            events.append(
                {
                    "ph": "i",
                    "s": "t",
                    "cat": "cpu_instant_event",
                    "name": "[memory]",
                    "pid": 1,
                    "tid": 1,
                    "ts": at + 5,
                    "args": {
                        "Device Type": 0,
                        "Device Id": -1,
                        "Addr": address,
                        "Bytes": megabytes << 20,
                        "Total Allocated": held,
                        "Total Reserved": 0,
                    },
                }
            )
    return events


def read_made(events):
    return read_file("worker.1.pt.trace.json", json.dumps({"traceEvents": events}).encode())


def test_checkpointing_of_a_training_on_the_host_and_without_modules():
    saving = next(each for each in memory(read_made(made_calls())).savings if "Checkpointing" in each.title)
    # Of 480 MiB, three of 100 stay, and one of 60 is there while it is computed again. Each call takes 80 µs.
    assert (saving.title, saving.bytes, saving.cost_ps) == ("Checkpointing of Layer", 120 << 20, 240e6)
    assert "240 µs of the host" in saving.evidence
    once = [each for each in made_calls() if each["name"] not in ("nn.Module: Layer_1", "nn.Module: Layer_2")]
    assert not any("Checkpointing" in each.title for each in memory(read_made(once)).savings)
    snapshot = memory(read(PROFILES / "torch_snapshot/logdir/run/snapshot.pickle"))
    assert any("checkpointing would save is not known" in note for note in snapshot.notes)
    gpu = memory(read(next((PROFILES / "torch_profiler_gpu").rglob("*.json.gz"))))
    assert gpu.savings == []
    # Its activations are few. Of many one would like to know.
    trace = read(next((PROFILES / "torch_profiler_gpu").rglob("*.json.gz")))
    assert why_unknown(trace, 1e6) is None
    assert "with_stack=True" in (why_unknown(trace, 1e9) or "")


def test_blocks_and_the_rest_add_up_to_the_curve():
    for path in (
        MEMORY / "leak.h200.pt.trace.json.gz",
        PROFILES / "torch_snapshot/logdir/run/snapshot.pickle",
        *(PROFILES / "jax_profile_gpu").rglob("*.xplane.pb"),
    ):
        trace = read(path)
        found = measure(trace)
        number = highest(found)
        curve = found.curves[number]
        for limit in (0, 40, 10_000):
            made = blocks(trace, found, number, limit=limit, points=100_000)
            assert len(made.blocks) == min(limit, made.count)
            last = np.append(curve.times_ps[1:] != curve.times_ps[:-1], True)
            moments = zip(curve.times_ps[last].tolist(), curve.allocated[last].tolist(), strict=True)
            for time, held in islice(moments, 0, None, 23):
                at = np.searchsorted(made.rest_times_ps, time, side="right") - 1
                alive = sum(
                    each.bytes
                    for each in made.blocks
                    if (each.start_ps or 0) <= time and (each.end_ps is None or each.end_ps > time)
                )
                assert made.rest_bytes[at] + alive == held


def test_a_moment_of_choice():
    trace = read_training("leak")
    found = measure(trace)
    number = highest(found)
    first = int(found.curves[number].times_ps[0])
    moment = alive_at(trace, found, number, first)
    assert moment.bytes == found.curves[number].allocated[0]
    assert sum(row.bytes for row in moment.rows) == moment.bytes


def check(tree):
    """Every node is as large as what it has itself and what is below it."""
    below = [0] * len(tree.name)
    for at in range(1, len(tree.name)):
        assert tree.parent[at] < at
        below[tree.parent[at]] += tree.total[at]
    assert [own + sum_ for own, sum_ in zip(tree.own, below, strict=True)] == tree.total


def paths(tree):
    found = [""]
    for at in range(1, len(tree.name)):
        found.append(f"{found[tree.parent[at]]}/{tree.name[at]}")
    return dict(zip(found, tree.total, strict=True))


def test_trees_of_torch():
    trace = read_training("leak")
    found = measure(trace)
    moment = alive_at(trace, found, highest(found))
    known = sum(row.bytes for row in moment.rows if not row.op.startswith("("))
    for by in ("module", "stack"):
        tree = memory_tree(trace, found, highest(found), by=by)
        check(tree)
        assert (tree.unit, tree.total[0]) == ("bytes", known)
    modules = time_tree(trace, "module", "device")
    check(modules)
    assert "/UNet_0/Block_6/Conv2d_12/aten::convolution_backward" in paths(modules)
    # The same device time under the lines of code.
    stacks = time_tree(trace, "stack", "device")
    check(stacks)
    assert modules.total[0] == stacks.total[0]
    assert any("train.py(25): forward/nn.Module: Block_6" in path for path in paths(stacks))


def test_trees_of_others():
    (memory_profile,) = (PROFILES / "jax_memory").rglob("*.prof")
    tree = time_tree(read(memory_profile), "stack")
    check(tree)
    assert (tree.unit, tree.name[1]) == ("bytes", "buffer")
    (keras,) = (PROFILES / "keras_callback_profile").rglob("*.xplane.pb")
    scopes = time_tree(read(keras), "scope", "host")
    check(scopes)
    assert "/StatefulPartitionedCall/sequential_1/dense_1_2/Softmax" in paths(scopes)
