"""Logs the same run with the real packages of W&B, offline, and of MLflow, into a folder: `tracker_logs.py TARGET`."""

import math
import os
import sys
from pathlib import Path

import numpy as np

STEPS = 20


def log_wandb(folder: Path) -> None:
    import wandb

    folder.mkdir(parents=True, exist_ok=True)
    settings = wandb.Settings(console="off")
    run = wandb.init(
        project="digits",
        name="first",
        mode="offline",
        dir=folder,
        config={"lr": 0.1, "layers": 2, "optimizer": "adam"},
        notes="a *short* run",
        settings=settings,
    )
    for step in range(STEPS):
        run.log({"loss": 1 / (step + 1), "val/acc": step / STEPS}, step=step)
    run.log(
        {
            "weights": wandb.Histogram(np.arange(100.0)),
            "picture": wandb.Image(np.zeros((4, 4, 3), np.uint8)),
            "bad": math.nan,
        },
        step=STEPS,
    )
    run.finish()


def log_mlflow(folder: Path) -> None:
    # The folder store is what users have from years of runs; newer versions ask to be told that it is wanted.
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    import mlflow

    mlflow.set_tracking_uri(folder.absolute().as_uri())
    mlflow.set_experiment("digits")
    with mlflow.start_run(run_name="first"):
        mlflow.log_params({"lr": 0.1, "layers": 2, "optimizer": "adam"})
        for step in range(STEPS):
            mlflow.log_metrics({"loss": 1 / (step + 1), "val/acc": step / STEPS}, step=step)
        mlflow.set_tag("mlflow.note.content", "a *short* run")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    log_wandb(target / "wandb")
    log_mlflow(target / "mlruns")
