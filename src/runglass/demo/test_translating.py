from __future__ import annotations

import numpy as np
import pytest

from runglass.demo.tape import Tape
from runglass.demo.translating import LENGTH, LETTERS, VERSIONS, Transformer

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
