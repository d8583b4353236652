"""Calls of add_scalar and add_scalars whose bytes are known from torch: `python -m tests.golden.torch_scalars` wrote them, with torch 2.13."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

START = 1700000000.0
WRITTEN = Path(__file__).parent / "torch_scalars"


def log(writer: Any) -> None:
    for step, value in enumerate((0.5, 0.0, -0.0, float("nan"), float("-inf"), 1e39, 1e-46)):
        writer.add_scalar("loss", value, step, START + step)
    writer.add_scalar("no step", 1.5, None, START)
    for step in (-3, 2**40, np.int64(7)):
        writer.add_scalar("é/types", np.float64(0.1), step, START)
        writer.add_scalar("é/types", np.float32(0.1), step, START)
        writer.add_scalar("é/types", np.array([[3]]), step, START)
        writer.add_scalar("é/types", True, step, START)
    for step in range(2):
        writer.add_scalar("new", 0.1, step, START, new_style=True)
        writer.add_scalar("new double", 0.1, step, START, new_style=True, double_precision=True)
    writer.add_scalars("group/one", {"a": 1, "b": np.float64(0.1)}, 1, START)
    writer.close()


if __name__ == "__main__":
    from torch.utils.tensorboard import SummaryWriter

    log(SummaryWriter(os.fspath(WRITTEN)))
    for file in WRITTEN.rglob("*tfevents*"):
        # Without the host's name.
        file.rename(file.with_name("events.out.tfevents.1700000000.torch"))
