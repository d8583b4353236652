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
        "_hparams_/experiment",
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


def trials(log_dir):
    """(run, hparams, metrics) of every session, the run's name only where it is not a time."""
    return [
        (
            row.run if not row.run.replace(".", "").isdigit() or row.run == "." else "a time",
            row.hparams,
            {tag: value for (_, tag), value in row.metrics.items()},
        )
        for row in runglass.open(log_dir).hparams()
    ]


def test_each_further_set_of_values_is_a_trial_of_its_own(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for i in range(5):
            writer.add_hparams(
                {"lr": 0.1 * i, "bsize": i}, {"hparam/accuracy": 10 * i, "hparam/loss": 10 * i}
            )
    found = sorted(trials(tmp_path), key=lambda trial: trial[1]["bsize"])
    assert [name for name, _, _ in found] == [".", *["a time"] * 4]
    assert [(values["bsize"], metrics["hparam/accuracy"]) for _, values, metrics in found] == [
        (i, 10.0 * i) for i in range(5)
    ]


def test_the_same_values_are_the_same_trial(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for epoch in range(3):
            writer.add_hparams(
                {"lr": 1, "net": "a", "x": float("nan")}, {"acc": epoch / 4}, global_step=epoch
            )
        writer.add_hparams({"lr": 2, "net": "a"}, {"acc": 0.75})
        writer.add_hparams({"lr": 2.0, "net": "a"}, {"acc": 1.0}, global_step=1)
    assert [(name, values["lr"], metrics) for name, values, metrics in trials(tmp_path)] == [
        (".", 1.0, {"acc": 0.5}),
        ("a time", 2.0, {"acc": 1.0}),
    ]


def test_a_later_writer_does_not_replace_the_trial_of_an_earlier_one(tmp_path):
    for lr in (0.1, 0.2, 0.1):
        with SummaryWriter(tmp_path) as writer:
            writer.add_hparams({"lr": lr}, {"acc": lr})
    found = sorted((name, values["lr"]) for name, values, _ in trials(tmp_path))
    assert found == [(".", 0.1), ("a time", 0.2)]


def test_an_empty_run_name_is_the_run_itself(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.1}, {"acc": 0.5}, run_name="")
        writer.add_hparams({"lr": 0.1, "depth": 3}, {"acc": 0.75}, run_name="", global_step=1)
    assert trials(tmp_path) == [(".", {"lr": 0.1, "depth": 3.0}, {"acc": 0.75})]
