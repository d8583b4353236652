from __future__ import annotations

from types import SimpleNamespace

import pytest

import runglass
from runglass.writer.calls.trainer_callback import TrainerHooks, split_tags


def state(**fields):
    return SimpleNamespace(
        **{
            "is_world_process_zero": True,
            "is_hyper_param_search": False,
            "trial_name": None,
            "global_step": 5,
            **fields,
        }
    )


def args(logdir):
    return SimpleNamespace(logging_dir=str(logdir), to_json_string=lambda: '{"lr": 1}')


MODEL = SimpleNamespace(config=SimpleNamespace(to_json_string=lambda: '{"layers": 2}'))


def test_a_training(tmp_path):
    hooks = TrainerHooks()
    hooks.on_train_begin(args(tmp_path), state(), None, model=MODEL)
    hooks.on_log(args(tmp_path), state(), None, logs={"loss": 0.5, "eval_loss": 1, "note": "x"})
    with pytest.warns(UserWarning, match=r"train/odd.*list"):
        hooks.on_log(args(tmp_path), state(), None, logs={"odd": []})
    hooks.on_train_end(args(tmp_path), state(), None)
    log = runglass.open(tmp_path)
    assert log.tags(".") == {
        "args": "text",
        "model_config": "text",
        "train/loss": "scalar",
        "eval/loss": "scalar",
        "train/note": "text",
    }
    assert log.scalars(".", "train/loss").step.tolist() == [5]


def test_only_the_first_process_writes(tmp_path):
    hooks = TrainerHooks()
    hooks.on_train_begin(args(tmp_path), state(is_world_process_zero=False), None)
    hooks.on_log(args(tmp_path), state(is_world_process_zero=False), None, logs={"loss": 1.0})
    hooks.on_train_end(args(tmp_path), state(is_world_process_zero=False), None)
    assert list(tmp_path.iterdir()) == []


def test_a_trial_of_a_search_has_its_own_run(tmp_path, monkeypatch):
    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path))
    hooks = TrainerHooks()
    bare = SimpleNamespace(to_json_string=lambda: "{}")
    for number in range(3):
        trial = state(is_hyper_param_search=True, trial_name=f"trial-{number}")
        hooks.on_train_begin(bare, trial, None)
        hooks.on_log(bare, trial, None, logs={"loss": float(number)})
        # A pruned trial never calls on_train_end.
        if number != 1:
            hooks.on_train_end(bare, trial, None)
        hooks.on_log(bare, trial, None, logs={"eval_loss": float(number)})
    hooks.on_train_end(bare, trial, None)
    log = runglass.open(tmp_path)
    assert sorted(log.runs) == ["trial-0", "trial-1", "trial-2"]
    for number, run in enumerate(sorted(log.runs)):
        for tag in ("train/loss", "eval/loss"):
            assert log.scalars(run, tag).value.tolist() == [number]


def test_logs_after_the_training_go_to_the_same_run(tmp_path):
    hooks = TrainerHooks()
    bare = SimpleNamespace(output_dir=str(tmp_path), to_json_string=lambda: "{}")
    hooks.on_train_begin(bare, state(), None)
    hooks.on_train_end(bare, state(), None)
    hooks.on_log(bare, state(), None, logs={"eval_loss": 1.0})
    hooks.on_train_end(bare, state(), None)
    (run,) = runglass.open(tmp_path).runs
    assert run.startswith("runs/")


def test_tags():
    assert split_tags({"loss": 1, "eval_loss": 2, "test_f1": 3, "evaluated": 4, "grad_norm": 5}) == {
        "train/loss": 1,
        "eval/loss": 2,
        "test/f1": 3,
        "train/evaluated": 4,
        "train/grad_norm": 5,
    }
