"""Parameters, gradients and updates as trees of NumPy arrays, against plain formulas; and what is refused."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

import runglass
from runglass.errors import BadArgument
from runglass.writer.watch import choice

RNG = np.random.default_rng(0)
PARAMS = {
    "params": {
        "encoder": {
            "layers_0": {"kernel": RNG.normal(size=(3, 4)), "bias": RNG.normal(size=4).astype(np.float32)}
        },
        "head": [RNG.normal(size=(4, 2))],
        "step": np.array(3),
    }
}
GRADS = {
    "encoder": {"layers_0": {"kernel": RNG.normal(size=(3, 4)), "bias": RNG.normal(size=4)}},
    "head": [np.array([[1.0, np.nan], [np.inf, 1.0]])],
}


def norm(*arrays):
    return math.sqrt(sum(float(np.square(each.astype(np.float64)).sum()) for each in arrays))


def scalars(directory):
    log = runglass.open(directory)
    return {
        tag: list(zip(found.step.tolist(), found.value.tolist(), strict=True))
        for tag, kind in log.tags(".").items()
        if kind == "scalar"
        for found in [log.scalars(".", tag)]
    }


def test_values_are_those_of_numpy(tmp_path):
    first = PARAMS["params"]["encoder"]["layers_0"]
    updates = {"encoder": {"layers_0": {"kernel": 0.01 * first["kernel"], "bias": 0.01 * first["bias"]}}}
    outputs = {"encoder": {"layers_0": np.array([[0.0, 2.0], [0.0, -4.0]])}}
    with runglass.SummaryWriter(tmp_path) as writer:
        watched = runglass.watch(PARAMS, writer, every=2, first_step=10)
        for _ in range(3):
            watched.step(PARAMS, GRADS, outputs, updates=updates)
    found = scalars(tmp_path)
    weights, slopes = first.values(), GRADS["encoder"]["layers_0"].values()
    expected = {
        "param_norm/encoder.layers_0": norm(*weights),
        "param_norm/head": norm(PARAMS["params"]["head"][0]),
        "param_norm/total": norm(*weights, PARAMS["params"]["head"][0]),
        "grad_norm/encoder.layers_0": norm(*slopes),
        "update_ratio/encoder.layers_0": 0.01,
        "update_ratio/total": 0.01,
        "activation_mean/encoder.layers_0": -0.5,
        "activation_std/encoder.layers_0": float(np.std([0.0, 2.0, 0.0, -4.0])),
        "activation_zeros/encoder.layers_0": 0.5,
        "not_finite/encoder.layers_0": 0.0,
        "not_finite/head": 2.0,
    }
    for tag, value in expected.items():
        assert found.pop(tag) == [(10, pytest.approx(value, rel=1e-6)), (12, pytest.approx(value, rel=1e-6))]
    assert set(found) == {"grad_norm/head", "grad_norm/total"}
    assert all(math.isnan(value) for points in found.values() for _, value in points)
    assert watched.first_not_finite == (10, "head", "gradient")
    text = runglass.open(tmp_path).read(".", "first_not_finite")
    assert text.step.tolist() == [10]
    assert "gradient of **head** is not finite at step 10" in str(text.value[0])


def test_only_what_is_asked_for(tmp_path):
    with runglass.SummaryWriter(tmp_path) as writer:
        watched = runglass.watch(
            PARAMS, writer, 1, what="param_norm", include="encoder|head", exclude=["head"]
        )
        watched.step(PARAMS, GRADS, step=7)
    assert {tag: points[0][0] for tag, points in scalars(tmp_path).items()} == {
        "param_norm/encoder.layers_0": 7,
        "param_norm/total": 7,
    }


def test_every_so_many_seconds(tmp_path, monkeypatch):
    now = 100.0
    monkeypatch.setattr(choice, "time", SimpleNamespace(monotonic=lambda: now))
    with runglass.SummaryWriter(tmp_path) as writer:
        watched = runglass.watch(PARAMS, writer, seconds=10, what="param_norm")
        logged = []
        for _ in range(6):
            logged.append(watched.is_due)
            watched.step(PARAMS)
            now += 4
    assert logged == [True, False, False, False, True, False]
    assert [step for step, _ in scalars(tmp_path)["param_norm/total"]] == [0, 4]


def test_a_silent_writer_logs_nothing(tmp_path):
    with runglass.SummaryWriter(tmp_path / "run", write_to_disk=False) as writer:
        watched = runglass.watch(PARAMS, writer, 1)
        watched.step(PARAMS, GRADS)
    assert re.fullmatch(r"<TreeWatched into <SummaryWriter '.*/run'.*>, at step 1>", repr(watched))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"every": 0}, "every=0, expected a number of steps"),
        ({"every": 1.5}, "every=1.5, expected a number of steps"),
        ({"seconds": -1}, "seconds=-1"),
        ({"what": ("grad_norm", "loss")}, "what='loss', expected some of grad_norm"),
        ({"include": "("}, "include='\\(' is not a regular expression"),
        ({"optimizer": 1}, "optimizer is for models of PyTorch"),
        ({"model": "model"}, "cannot watch a str. It takes a torch.nn.Module"),
        ({"model": {"a": 1}}, "cannot watch a dict without arrays. It takes"),
        ({"model": []}, "cannot watch a list without arrays"),
        ({"writer": object()}, "needs a runglass.SummaryWriter"),
    ],
)
def test_wrong_arguments(tmp_path, more, message):
    with runglass.SummaryWriter(tmp_path) as writer, pytest.raises(BadArgument, match=message):
        runglass.watch(**{"model": PARAMS, "writer": writer, **more})
