"""Makes tests/golden/imports with the real packages: pip install wandb mlflow-skinny numpy pillow; python make_imports.py FOLDER"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def make_wandb(folder: Path) -> None:
    import numpy as np
    import wandb

    run = wandb.init(
        project="demo",
        name="first",
        notes="a note",
        mode="offline",
        dir=str(folder),
        config={"lr": 0.1, "model": {"depth": 3}, "name": "resnet"},
        settings=wandb.Settings(x_disable_stats=True, x_disable_meta=True, console="off"),
    )
    for step in range(5):
        run.log({"loss": 1 / (step + 1), "val": {"acc": step / 10}})
    run.log(
        {
            "loss": float("nan"),
            "text": "hello",
            "img": wandb.Image(np.zeros((4, 5, 3), np.uint8)),
            "hist": wandb.Histogram([1, 2, 3, 3]),
            "big": 2**40,
            "t": wandb.Table(columns=["a"], data=[[1]]),
        },
        step=10,
    )
    run.summary["best"] = 0.5
    run.finish()


def make_mlflow(folder: Path) -> None:
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    import mlflow

    mlflow.set_tracking_uri(f"file://{folder}/mlruns")
    mlflow.set_experiment("digits")
    with mlflow.start_run(run_name="first"):
        mlflow.log_params({"lr": 0.1, "name": "resnet"})
        for step in range(5):
            mlflow.log_metric("train/loss", 1 / (step + 1), step=step)
        mlflow.log_metric("acc", float("nan"), step=0)
    with mlflow.start_run(run_name="second"):
        mlflow.log_param("lr", 0.2)
        mlflow.log_metric("train/loss", 0.3, step=0)


if __name__ == "__main__":
    where = Path(sys.argv[1]).absolute()
    make_wandb(where)
    make_mlflow(where)
