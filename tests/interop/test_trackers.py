"""Imports what W&B, offline, and MLflow wrote a moment ago. Run by `make interop`, which writes the logs."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

import runglass
from runglass.importing.writing import import_runs

LOGS = Path(os.environ.get("RUNGLASS_INTEROP_LOGS", "build/interop-logs")) / "tracker_logs"
STEPS = 20

pytestmark = pytest.mark.interop


@pytest.mark.parametrize(("kind", "folder"), [("wandb", "wandb"), ("mlflow", "mlruns")])
def test_a_run_comes_over_whole(kind: str, folder: str, tmp_path: Path) -> None:
    done = import_runs(kind, [str(LOGS / folder)], tmp_path)
    assert done.runs == 1
    log = runglass.open(tmp_path)
    (name,) = log
    assert name.startswith("digits/first-")
    run = log[name]
    assert run["loss"].step.tolist() == list(range(STEPS))
    assert run["loss"].value.tolist() == [1 / (step + 1) for step in range(STEPS)]
    assert run["val/acc"].value.tolist() == [step / STEPS for step in range(STEPS)]
    assert run["notes"].value[0] == "a *short* run"
    (row,) = log.hparams()
    assert (row.hparams, row.status) == ({"lr": 0.1, "layers": 2.0, "optimizer": "adam"}, "finished")


def test_other_kinds_of_wandb(tmp_path: Path) -> None:
    import_runs("wandb", [str(LOGS / "wandb")], tmp_path)
    log = runglass.open(tmp_path)
    run = log[log.runs[0]]
    assert math.isnan(run["bad"].value[0])
    assert run["weights"].value[0][:, 2].sum() == 100
    assert run["picture"].value[0][0].to_numpy().shape == (4, 4, 4)
