from __future__ import annotations

import numpy as np
import pytest
from tests.support.plain_traces import read_chrome

from runglass.demo.tape import Tape
from runglass.demo.translating import (
    FOLDER,
    LENGTH,
    LETTERS,
    PROFILE,
    VERSIONS,
    Transformer,
    write_translating,
)

LARGE_STEP = 1e-2


def loss_of(model, words):
    tape = Tape(model.parameters, model.rng)
    return tape, tape.cross_entropy(model.forward(tape, words, words), tape.placeholder("wanted", words))


@pytest.mark.parametrize("version", VERSIONS)
def test_gradients_are_slopes(version):
    rng = np.random.default_rng(1)
    model = Transformer(version, rng)
    words = rng.integers(0, len(LETTERS), (3, LENGTH))
    tape, loss = loss_of(model, words)
    gradients = tape.gradients(loss)
    assert gradients.keys() == model.parameters.keys()
    for name in list(gradients)[::4]:
        weights, gradient = model.parameters[name], gradients[name]
        place = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        slopes = []
        for step in (LARGE_STEP, -LARGE_STEP):
            kept = weights[place]
            weights[place] += step
            slopes.append(float(loss_of(model, words)[1].data))
            weights[place] = kept
        assert (slopes[0] - slopes[1]) / (2 * LARGE_STEP) == pytest.approx(
            gradient[place], rel=0.05, abs=1e-4
        )


def test_the_graph_is_what_was_computed():
    rng = np.random.default_rng(1)
    words = rng.integers(0, len(LETTERS), (3, LENGTH))
    nodes = {version: loss_of(Transformer(version, rng), words)[0].nodes for version in VERSIONS}
    for each in nodes.values():
        seen = set()
        for node in each:
            assert set(node.inputs) <= seen
            seen.add(node.name)
        assert len(seen) == len(each)
    names = {version: {node.name for node in each} for version, each in nodes.items()}
    assert "decoder/layers.2/cross_attn/q_norm/normalize" in names["qk-norm"] - names["baseline"]
    assert "decoder/layers.2/cross_attn/scale" in names["baseline"] - names["qk-norm"]


def test_a_record_of_the_training(tmp_path):
    write_translating(tmp_path, 1_700_000_000.0, 9, seed=1)
    trace = read_chrome(tmp_path / FOLDER / VERSIONS[0] / PROFILE)
    assert trace.base_ns == 1_700_000_004_800_000_000
    spans = trace.of("X")
    steps = {event.name: event for event in spans if event.name.startswith("ProfilerStep#")}
    # A span is written when it has ended.
    assert list(steps) == ["ProfilerStep#6", "ProfilerStep#7", "ProfilerStep#8"]
    for event in spans:
        ends = event.start_ps + event.duration_ps
        assert any(
            step.start_ps <= event.start_ps and ends <= step.start_ps + step.duration_ps
            for step in steps.values()
        )
    assert [event.name for event in spans if event.category == "user_annotation"] == [
        *("forward", "backward", "optimizer", "ProfilerStep#6"),
        *("forward", "backward", "optimizer", "ProfilerStep#7"),
        *("forward", "backward", "optimizer", "ProfilerStep#8"),
    ]
    # Every operation with a gradient is followed by an arrow to that gradient.
    assert {event.link for event in trace.of("s")} == {event.link for event in trace.of("f")}
    sums = trace.sums()
    assert sums["Softmax"][0] == sums["SoftmaxBackward"][0] == 3 * 9
