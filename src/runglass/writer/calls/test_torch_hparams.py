"""Hyperparameters and results through `SummaryWriter.add_hparams`."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.written import logged

import runglass
from runglass.writer.calls.summary_writer import SummaryWriter


def test_hparams_stay_in_the_run(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(
            {"lr": np.float32(0.5), "name": "a", "none": None}, {"acc": np.array([0.5])}, global_step=3
        )
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []
    assert [value["tag"] for _, value in logged(tmp_path)] == [
        "_hparams_/session_start_info",
        "acc",
        "_hparams_/session_end_info",
    ]
    start = runglass.open(tmp_path).read(".", "_hparams_/session_start_info").value[0]["session_start_info"]
    assert start["hparams"] == {"lr": 0.5, "name": "a"}


@pytest.mark.parametrize("is_reopened", [False, True])
def test_results_without_a_step_end_the_curves_of_the_run(tmp_path, is_reopened):
    writer = SummaryWriter(tmp_path)
    for step in range(1, 101):
        writer.add_scalar("acc", step / 100, step)
        writer.add_scalar("loss", np.float64(1e-3), step * 2)
    if is_reopened:
        writer.close()
        writer = SummaryWriter(tmp_path)
    writer.add_hparams({"lr": 0.5}, {"acc": 1.0, "loss": 0.5, "new": 3})
    writer.close()
    read = runglass.open(tmp_path)
    for tag, last, result in (("acc", 100, 1.0), ("loss", 200, 0.5)):
        series = read.scalars(".", tag)
        assert (series.step[0], series.step[-1], series.value[-1]) == (last // 100, last, result)
        # In a new file it replaces what was there.
        assert len(series.step) == (100 if is_reopened else 101)
    assert read.scalars(".", "new").step.tolist() == [0]


def test_hparams_of_torch_go_below(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.5}, {"acc": 1}, run_name="one")
        writer.add_hparams({"lr": 0.5}, {"acc": 1}, name="two")
        writer.add_hparams({"lr": 0.5}, {"acc": 1}, "three")
    for name in ("one", "two", "three"):
        start = runglass.open(tmp_path).read(name, "_hparams_/session_start_info").value[0]
        assert "group_name" not in start["session_start_info"]
        assert [value["tag"] for _, value in logged(tmp_path / name)] == [
            "_hparams_/experiment",
            "_hparams_/session_start_info",
            "acc",
            "_hparams_/session_end_info",
        ]
