"""Reads what TensorFlow, Keras, PyTorch, tensorboardX and JAX wrote a moment ago. Run by `make interop`, which writes the logs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass

LOGS = Path(os.environ.get("RUNGLASS_INTEROP_LOGS", "build/interop-logs"))
FRAMEWORKS = ["tensorflow_logs", "torch_logs", "tensorboardx_logs", "jax_logs"]

pytestmark = pytest.mark.interop


@pytest.fixture(params=FRAMEWORKS)
def logged(request: pytest.FixtureRequest) -> tuple[runglass.reader.Log, dict[str, Any]]:
    logdir = LOGS / request.param
    return runglass.open(logdir), json.loads((logdir / "truth.json").read_text())


def test_every_scalar_is_read_exactly(logged: tuple[Any, dict[str, Any]]) -> None:
    log, truth = logged
    assert truth["scalars"]
    for run, tags in truth["scalars"].items():
        for tag, points in tags.items():
            series = log.scalars(run, tag)
            np.testing.assert_array_equal(
                series.step, [int(step) for step, _ in points], err_msg=f"{run} {tag}"
            )
            np.testing.assert_array_equal(
                series.value, [value for _, value in points], err_msg=f"{run} {tag}"
            )


def test_every_other_value_is_read(logged: tuple[Any, dict[str, Any]]) -> None:
    log, truth = logged
    for fact in truth["others"]:
        series = log.read(fact["run"], fact["tag"])
        assert series.kind == fact["kind"]
        value = series.value[0]
        if fact["kind"] == "text":
            assert np.asarray(value).reshape(-1).tolist() == [fact["text"]]
        elif fact["kind"] == "image":
            assert [(image.width, image.height) for image in value] == [
                (fact["width"], fact["height"])
            ] * fact["samples"]
        elif fact["kind"] == "audio":
            assert [(clip.sample_rate, clip.frames) for clip in value] == [
                (fact["sample_rate"], fact["frames"])
            ]
        else:
            assert len(series) == fact["count"]
            assert value[:, 2].sum() == fact["sum_of_counts"]


def test_every_embedding_is_read(logged: tuple[Any, dict[str, Any]]) -> None:
    log, truth = logged
    steps: dict[tuple[str, str], list[int]] = {}
    for fact in truth["embeddings"]:
        run, name, step = fact["run"], fact["name"], fact["step"]
        steps.setdefault((run, name), []).append(step)
        found = log.embedding(run, name, step)
        np.testing.assert_array_equal(found.vectors, np.array(fact["vectors"], np.float32))
        assert found.metadata == fact.get("metadata", {})
        assert found.problems == ()
        assert (None if found.sprite is None else list(found.sprite.tile)) == fact.get("tile")
    for (run, name), expected in steps.items():
        assert log.embedding(run, name).steps == tuple(expected)
        assert name in log.embeddings(run)


def test_nothing_is_damaged(logged: tuple[Any, dict[str, Any]]) -> None:
    log, _ = logged
    assert {health.state for health in log.health} <= {"ok", "empty"}
