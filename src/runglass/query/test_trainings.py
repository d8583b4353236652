from __future__ import annotations

import pytest

from runglass.dashboards.overview.metrics import choose_metrics
from runglass.query.goals import goal_of
from runglass.query.trainings import group_runs, is_held_out, training_of


@pytest.mark.parametrize(
    ("run", "training"),
    [
        ("a", "a"),
        ("sweep/a", "sweep/a"),
        ("sweep/a/train", "sweep/a"),
        ("sweep/a/Validation", "sweep/a"),
        ("a/1700000000.123", "a"),
        ("train", "."),
        (".", "."),
        ("a/trained", "a/trained"),
        ("seed/1700000000", "seed/1700000000"),
    ],
)
def test_parts_belong_to_the_training_above(run, training):
    assert training_of(run) == training


def test_a_training_keeps_its_parts_in_order():
    assert group_runs(["a/train", "b", "a", "a/validation"]) == {
        "a": ["a/train", "a", "a/validation"],
        "b": ["b"],
    }
    assert is_held_out("a/eval")
    assert not is_held_out("a/train")


@pytest.mark.parametrize(
    ("tag", "goal"),
    [
        ("loss", "min"),
        ("val/topLoss_total", "min"),
        ("Accuracy/test", "max"),
        ("val_acc", "max"),
        ("eval/mAP", "max"),
        ("RMSE", "min"),
        ("optimizer/lr", None),
        ("glossary", None),
        ("error_score", "max"),
    ],
)
def test_names_tell_what_is_better(tag, goal):
    assert goal_of(tag) == goal


@pytest.mark.parametrize(
    ("counts", "chosen"),
    [
        ({"loss": 9, "accuracy": 9, "lr": 9}, ["accuracy", "loss"]),
        ({"train/loss": 9, "val/loss": 9, "val/aux_loss": 9, "lr": 9}, ["val/loss"]),
        # What only a few trainings have is a detail of these.
        ({"train/loss": 9, "val/loss": 1}, ["train/loss"]),
        ({"loss": 9, "pictures/loss": 6, "tune/quality": 6}, ["loss"]),
        ({"f1": 3, "val_accuracy": 3, "accuracy": 3, "mse": 3}, ["val_accuracy", "mse"]),
        ({"lr": 3}, []),
    ],
)
def test_the_main_metrics_are_chosen_by_name(counts, chosen):
    assert [metric.tag for metric in choose_metrics(counts)] == chosen
