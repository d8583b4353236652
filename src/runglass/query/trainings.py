"""Which runs belong to one training: a run and its parts, which are directories such as `train` and `validation` below it.

Judges by names alone. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HELD_OUT = frozenset({"validation", "valid", "val", "dev", "eval", "evaluation", "test", "testing"})
LEARNED = frozenset({"train", "training"})
ROOT = "."
# PyTorch's add_hparams writes into a directory that is named after the time.
TIMESTAMP = re.compile(r"\d{9,11}\.\d+")


def is_part(name: str) -> bool:
    """Whether a directory of this name is a part of the training above it."""
    lower = name.lower()
    return lower in HELD_OUT or lower in LEARNED or TIMESTAMP.fullmatch(name) is not None


def training_of(run: str) -> str:
    """The name of its training; the log directory itself is `.`."""
    above, _, last = run.rpartition("/")
    return (above or ROOT) if is_part(last) else run


def is_held_out(run: str) -> bool:
    """Whether the run measures data that the model does not learn from."""
    return run.rpartition("/")[2].lower() in HELD_OUT


def group_runs(runs: Iterable[str]) -> dict[str, list[str]]:
    """The runs of every training, in the order of the first one."""
    groups: dict[str, list[str]] = {}
    for run in runs:
        groups.setdefault(training_of(run), []).append(run)
    return groups
