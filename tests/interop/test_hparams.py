"""Trials beside torch's, as TensorBoard answers about them, and importance beside optuna's."""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runglass
from runglass.query.hparams.columns import make_columns
from runglass.query.hparams.importance import measure_importance
from runglass.query.hparams.model import Session

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]


def ask_tensorboard(logdir: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The experiment and the session groups as TensorBoard's page gets them."""
    pytest.importorskip("tensorboard")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from tensorboard import default, program
        from tensorboard.backend.application import TensorBoardWSGIApp
        from tensorboard.backend.event_processing.data_ingester import LocalDataIngester
        from werkzeug.test import Client
    logging.getLogger("tensorboard").setLevel(logging.ERROR)
    board = program.TensorBoard(plugins=default.get_static_plugins())
    board.configure(argv=["tensorboard", "--logdir", str(logdir), "--load_fast", "false"])
    ingester = LocalDataIngester(board.flags)
    ingester.deprecated_multiplexer.AddRunsFromDirectory(str(logdir))
    ingester.deprecated_multiplexer.Reload()
    client = Client(
        TensorBoardWSGIApp(
            board.flags,
            board.plugin_loaders,
            ingester.data_provider,
            board.assets_zip_provider,
            ingester.deprecated_multiplexer,
        )
    )
    experiment = json.loads(client.post("/data/plugin/hparams/experiment", json={}).get_data())
    columns = [{"metric": info["name"], "includeInResult": True} for info in experiment["metricInfos"]]
    columns += [{"hparam": info["name"], "includeInResult": True} for info in experiment["hparamInfos"]]
    asked = {
        "startIndex": 0,
        "sliceSize": 100,
        "colParams": columns,
        "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"],
    }
    answer = client.post("/data/plugin/hparams/session_groups", json=asked)
    return experiment, json.loads(answer.get_data())["sessionGroups"]


def told(groups: list[dict[str, Any]]) -> list[Any]:
    """Everything of each trial but its name and its times."""
    trials = []
    for group in groups:
        (session,) = group["sessions"]
        assert group["metricValues"] == session["metricValues"]
        metrics = sorted(
            (each["name"]["group"], each["name"]["tag"], each["value"], each["trainingStep"])
            for each in session["metricValues"]
        )
        trials.append((sorted(group["hparams"].items()), metrics, session["status"]))
    return sorted(trials)


def log_trials(writer: Any) -> None:
    """The example of PyTorch's documentation."""
    for i in range(5):
        writer.add_hparams(
            {"lr": 0.1 * i, "bsize": i, "opt": "sgd" if i % 2 else "adam", "amp": i > 2},
            {"hparam/accuracy": 10 * i, "hparam/loss": 10 * i},
        )


def test_five_calls_are_five_trials_as_with_torch(tmp_path: Path) -> None:
    torch_tensorboard = pytest.importorskip("torch.utils.tensorboard")
    for name, make in (("ours", runglass.SummaryWriter), ("theirs", torch_tensorboard.SummaryWriter)):
        with make(str(tmp_path / name / "run")) as writer:
            log_trials(writer)
    ours, theirs = (ask_tensorboard(tmp_path / name) for name in ("ours", "theirs"))
    assert len(told(theirs[1])) == 5
    assert told(ours[1]) == told(theirs[1])
    # torch writes a bool as a number.
    types = [
        {info["name"]: info["type"] for info in experiment["hparamInfos"] if info["name"] != "amp"}
        for experiment, _ in (ours, theirs)
    ]
    assert types[0] == types[1]
    assert ours[0]["metricInfos"] == theirs[0]["metricInfos"]
    # And as we read both.
    rows = [
        sorted((sorted(row.hparams.items()), sorted(row.metrics.items())) for row in runglass.open(tmp_path / name).hparams())
        for name in ("ours", "theirs")
    ]  # fmt: skip
    assert len(rows[0]) == 5
    assert rows[0] == rows[1]


def sampled(n: int, seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        row: dict[str, Any] = {
            "lr": float(10 ** rng.uniform(-5, -1)),
            "optimizer": str(rng.choice(["adam", "sgd", "lion"])),
            "ema": bool(rng.random() < 0.5),
            "width": float(rng.integers(1, 65)),
        }
        row.update({f"other_{i:02d}": float(rng.random()) for i in range(16)})
        rows.append(row)
    return rows


def value_of(row: dict[str, Any]) -> float:
    """Most by the learning rate, then the optimizer, the width, and a little by the average."""
    return (
        (np.log10(row["lr"]) + 3) ** 2
        + {"adam": 0.0, "sgd": 1.5, "lion": 0.5}[row["optimizer"]]
        + row["width"] / 64
        + 0.6 * row["ema"]
    )


def test_importance_ranks_as_optuna_does(capsys: pytest.CaptureFixture[str]) -> None:
    optuna = pytest.importorskip("optuna")
    pytest.importorskip("sklearn")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rows = sampled(1000, 0)
    values = [float(value_of(row)) for row in rows]
    spaces: dict[str, Any] = {
        "lr": optuna.distributions.FloatDistribution(1e-5, 1e-1, log=True),
        "optimizer": optuna.distributions.CategoricalDistribution(["adam", "sgd", "lion"]),
        "ema": optuna.distributions.CategoricalDistribution([False, True]),
        "width": optuna.distributions.FloatDistribution(1, 64),
        **{f"other_{i:02d}": optuna.distributions.FloatDistribution(0, 1) for i in range(16)},
    }
    study = optuna.create_study()
    study.add_trials(
        [
            optuna.trial.create_trial(params=row, distributions=spaces, value=value)
            for row, value in zip(rows, values, strict=True)
        ]
    )
    started = time.process_time()
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    theirs = optuna.importance.get_param_importances(study, evaluator=evaluator)
    theirs_s = time.process_time() - started

    sessions = [Session(str(i), (str(i),), (), row, {}, "", None, ()) for i, row in enumerate(rows)]
    columns = make_columns(sessions, [])
    started = time.process_time()
    found = measure_importance(columns, values, goal="min")
    ours_s = time.process_time() - started

    alone = {row.names[0]: row.share for row in found.rows if len(row.names) == 1}
    # optuna leaves interactions out of the whole.
    ours = {name: share / sum(alone.values()) for name, share in alone.items()}
    with capsys.disabled():
        print(
            f"\nimportance, 1,000 sessions × 20: optuna {theirs_s:.2f} s, ours {ours_s:.2f} s (CPU)",
            file=sys.stderr,
        )
    top = list(theirs)[:4]
    assert top == ["lr", "optimizer", "width", "ema"]
    assert list(ours)[:4] == top
    for name in top:
        assert ours[name] == pytest.approx(theirs[name], abs=0.05)
    assert ours_s <= 2.0
    assert ours_s <= theirs_s / 5
