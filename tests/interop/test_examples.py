"""The examples with PyTorch, TensorFlow and Keras run, and their logs hold what they should. Run by `make interop`."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from tests.support.example_runs import ROOT, run_example

import runglass
from runglass.reader import Log
from runglass.writer.calls.projector import load_config
from runglass.writer.files.folders import open_folder

PYTHON = Path(os.environ.get("RUNGLASS_INTEROP_PYTHON", ROOT / ".venvs/interop/bin/python"))

pytestmark = pytest.mark.interop


def read_example(name: str, logdir: Path) -> Log:
    run_example(name, logdir, python=PYTHON, is_quiet=False)
    log = runglass.open(logdir)
    assert {health.state for health in log.health} <= {"ok", "empty"}
    return log


def test_pytorch_digits(tmp_path: Path) -> None:
    log = read_example("pytorch_digits", tmp_path / "logs")
    assert sorted(log.runs) == ["digits1", "digits2"]
    for run in log.runs:
        tags = log.tags(run)
        assert {tags["training loss"], tags["accuracy"], tags["digits"]} == {"scalar", "image"}
        assert "graph" in tags.values()
        assert [tags[str(digit)] for digit in range(10)] == ["pr_curve"] * 10
        assert log.scalars(run, "training loss").step.tolist() == [100, 200, 300, 400, 500, 600]
        assert log.scalars(run, "accuracy").value[-1] > 0.9
        # At the lowest threshold everything is found: recall is 1.
        assert np.asarray(log.read(run, "3").value[0])[5, 0] == pytest.approx(1.0)


def test_batch_normalization(tmp_path: Path) -> None:
    log = read_example("batch_normalization", tmp_path / "logs")
    assert sorted(log.runs) == ["normalised", "plain"]
    for run in log.runs:
        assert log.tags(run) == {"loss": "scalar", "first/mean": "scalar", "first/std": "scalar"}
        assert len(log.scalars(run, "first/std")) == 200
    # A normalised layer learns faster, and its weights move less.
    for tag in ("loss", "first/std"):
        assert (
            log.scalars("normalised", tag).value[-50:].mean() < log.scalars("plain", tag).value[-50:].mean()
        )


def test_trace_graph(tmp_path: Path) -> None:
    log = read_example("trace_graph", tmp_path / "logs")
    assert log.tags(".") == {"layer": "graph"}
    (graph,) = log.read(".", "layer").value
    assert b"MatMul" in graph
    assert b"Relu" in graph
    assert any((tmp_path / "logs").glob("plugins/profile/*/*.xplane.pb"))


def test_keras_callback(tmp_path: Path) -> None:
    log = read_example("keras_callback", tmp_path / "logs")
    assert sorted(log.runs) == ["train", "validation"]
    for run in log.runs:
        assert log.scalars(run, "epoch_loss").step.tolist() == list(range(5))
        assert log.scalars(run, "epoch_accuracy").value[-1] > log.scalars(run, "epoch_accuracy").value[0]
    kinds = log.tags("train")
    assert kinds["keras"] == "graph"
    histograms = [tag for tag, kind in kinds.items() if kind == "histogram"]
    assert len(histograms) == 4
    assert all(len(log.read("train", tag)) == 5 for tag in histograms)


def test_keras_options(tmp_path: Path) -> None:
    log = read_example("keras_options", tmp_path / "logs")
    kinds = log.tags("train")
    assert {"batch_loss", "batch_accuracy", "batch_steps_per_second", "epoch_loss"} <= set(kinds)
    assert {"histogram", "image", "graph", "scalar"} <= set(kinds.values())
    assert "evaluation_loss_vs_iterations" in log.tags("validation")
    assert any((tmp_path / "logs").rglob("plugins/profile/*/*"))


def test_keras_learning_rate(tmp_path: Path) -> None:
    log = read_example("keras_learning_rate", tmp_path / "logs")
    for run, tag in (("schedule", "learning rate"), ("train", "epoch_learning_rate")):
        rates = log.scalars(run, tag).value
        assert [epoch for epoch in range(1, 60) if rates[epoch] < rates[epoch - 1]] == [10, 20, 50]


def test_keras_text_embedding(tmp_path: Path) -> None:
    log = read_example("keras_text_embedding", tmp_path / "logs")
    assert log.scalars("validation", "epoch_accuracy").value[-1] > 0.8
    config = load_config(open_folder(tmp_path / "logs"))
    assert [info.tensor_name for info in config.embeddings] == [f"words:{epoch:05}" for epoch in range(5)]
    words = (tmp_path / "logs/vocabulary.tsv").read_text().splitlines()
    assert len(words) == len({*words}) == 22
    for info in config.embeddings:
        assert info.metadata_path == "vocabulary.tsv"
        vectors = np.loadtxt(tmp_path / "logs" / info.tensor_path)
        assert vectors.shape == tuple(info.tensor_shape) == (22, 8)
    # Words of the same meaning have similar vectors.
    good, bad = vectors[words.index("fine")], vectors[words.index("dull")]
    assert good @ vectors[words.index("great")] > 0 > good @ bad


def test_keras_two_networks(tmp_path: Path) -> None:
    log = read_example("keras_two_networks", tmp_path / "logs")
    found = {(network, rate, part) for network, rate, _, part in (run.split("/") for run in log.runs)}
    assert found == {
        (network, f"lr={rate}", part)
        for network in ("dense", "convolutional")
        for rate in (0.01, 0.001)
        for part in ("train", "validation")
    }
    for run in log.runs:
        assert len(log.scalars(run, "epoch_accuracy")) == 5
