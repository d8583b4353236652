"""The Keras callbacks on real trainings, beside keras.callbacks.TensorBoard: the same runs, tags, steps and values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]

# Speeds differ between callbacks.
SPEEDS = {"batch_steps_per_second", "epoch_steps_per_second"}


@pytest.fixture(scope="module", params=["tensorflow", "jax", "torch"])
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("keras")
    out = tmp_path_factory.mktemp(request.param)
    script = Path(__file__).parents[1] / "support" / "frameworks" / "keras_training.py"
    environment = {**os.environ, "KERAS_BACKEND": request.param}
    done = subprocess.run(
        [sys.executable, str(script), str(out)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return out


def read_by_tensorboard(logdir: Path) -> dict[str, tuple[str, list[int], list[Any]]]:
    """Plugin, steps and arrays of every tag."""
    from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util

    accumulator = EventAccumulator(str(logdir), size_guidance={"tensors": 0})
    accumulator.Reload()
    return {
        tag: (
            accumulator.SummaryMetadata(tag).plugin_data.plugin_name,
            [event.step for event in accumulator.Tensors(tag)],
            [tensor_util.make_ndarray(event.tensor_proto) for event in accumulator.Tensors(tag)],
        )
        for tag in accumulator.Tags()["tensors"]
    }


@pytest.mark.parametrize("run", ["train", "validation"])
def test_runs_tags_and_values_are_those_of_keras(logs: Path, run: str) -> None:
    ours, theirs = (read_by_tensorboard(logs / name / run) for name in ("ours", "theirs"))
    # Keras 3 tries to write the graph of a training step on TensorFlow, and does not find it.
    assert {*ours} - {"__run_graph__"} == {*theirs}
    for tag, (plugin, steps, arrays) in theirs.items():
        assert (ours[tag][0], ours[tag][1]) == (plugin, steps), tag
        for mine, other in zip(ours[tag][2], arrays, strict=True):
            assert mine.shape == other.shape, tag
            if plugin == "images":
                assert mine[:2].tolist() == other[:2].tolist()
            elif mine.dtype == object:
                assert mine.tolist() == other.tolist()
            elif tag not in SPEEDS:
                np.testing.assert_allclose(mine, other, rtol=1e-6, err_msg=tag)


def test_values_are_those_of_the_history(logs: Path) -> None:
    history = json.loads((logs / "truth.json").read_text())["history"]
    log = runglass.open(logs / "ours")
    for run, tag, name in (("train", "epoch_mae", "mae"), ("validation", "epoch_loss", "val_loss")):
        np.testing.assert_allclose(log.scalars(run, tag).value, history[name], rtol=1e-6)
    assert log.scalars("train", "batch_loss").step.tolist() == list(range(1, 19))


def test_a_session_of_hyperparameters(logs: Path) -> None:
    assert {"_hparams_/session_start_info", "_hparams_/session_end_info"} <= {
        *runglass.open(logs / "ours").tags(".")
    }


def test_an_evaluation_alone(logs: Path) -> None:
    log = runglass.open(logs / "evaluated")
    assert log.runs == ["validation"]
    assert log.scalars("validation", "evaluation_loss_vs_iterations").step.tolist() == [18]


def test_an_evaluation_during_training(logs: Path) -> None:
    log = runglass.open(logs / "amid")
    assert log.scalars("train", "batch_loss").step.tolist() == list(range(1, 9))
    assert log.scalars("train", "epoch_loss").step.tolist() == [0, 1]
    assert log.scalars("validation", "evaluation_loss_vs_iterations").step.tolist() == [22, 26]


def test_values_that_the_model_logs_itself(logs: Path) -> None:
    log = runglass.open(logs / "words")
    (tag,) = [tag for tag in log.tags("train") if tag.rpartition("/")[2] == "mean"]
    assert log.scalars("train", tag).step.tolist() == [2, 4, 6, 8, 10, 12]


def test_a_profile_of_the_chosen_batches(logs: Path) -> None:
    files = [file for file in (logs / "words/train").rglob("*") if file.is_file()]
    assert any(
        file.name.endswith((".xplane.pb", ".pt.trace.json.gz")) and file.stat().st_size for file in files
    )
    log = runglass.open(logs / "words")
    trace = log.profile("train")
    assert ([step.number for step in trace.steps], trace.problems) == ([3, 4], [])
    if "tensorflow" in logs.name:
        assert log.tags("train")["batch_4"] == "graph"
        assert log.tags("train")["__run_graph__"] == "graph"


def test_embeddings(logs: Path) -> None:
    from runglass.writer.calls.projector import load_config
    from runglass.writer.files.folders import open_folder

    config = load_config(open_folder(logs / "words"))
    assert [(info.tensor_name, info.metadata_path) for info in config.embeddings] == [
        ("words:00000", "labels.tsv"),
        ("words:00002", "labels.tsv"),
    ]
    vectors = np.loadtxt(logs / "words" / config.embeddings[-1].tensor_path, dtype=np.float32)
    truth = json.loads((logs / "truth.json").read_text())["vectors"]
    np.testing.assert_array_equal(vectors, np.float32(truth))
