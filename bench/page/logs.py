"""The log directories that the pages show: noisy falling curves that cross one another, as real runs have.

Straight lines would flatter whoever compresses or reduces. Tags stand in groups of twenty.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.workloads import LAYOUTS, Workload, prepare, workload

TAGS_A_GROUP = 20

# name: runs, tags, steps
SHAPES = {
    "10x20": (10, 20, 1000),
    "100x20": (100, 20, 1000),
    "500x10": (500, 10, 1000),
    "1000x1": (1000, 1, 1000),
    "20x10000": (20, 10_000, 50),
}
# Of other kinds, the log directories of `make bench`: name, form.
MEDIA = {"images": ("I10k", "simple"), "histograms": ("H", "tensor")}
NAMES = (*SHAPES, *MEDIA)


@dataclass(frozen=True)
class PageLogs(Workload):
    def tag_name(self, tag: int) -> str:
        word = ("loss", "accuracy", "learning_rate", "grad_norm", "f1")[tag % 5]
        return f"group_{tag // TAGS_A_GROUP:03d}/{word}_{tag:02d}"

    def values(self, run: int, tag: int, steps: np.ndarray) -> np.ndarray:
        rng = np.random.default_rng((run, tag))
        level, height, rate = 0.2 + 0.3 * rng.random(), 1.0 + rng.random(), 3.0 + 5.0 * rng.random()
        noise = rng.standard_normal(self.steps)[steps]
        falling = np.exp(-rate * steps / self.steps)
        values: np.ndarray = level + height * falling + 0.04 * noise * (0.3 + falling)
        return values.astype("<f4")


def page_logs(name: str, *, scale: float = 1.0) -> Workload:
    if name in MEDIA:
        return workload(*MEDIA[name], scale=scale)
    runs, tags, steps = SHAPES[name]
    made = PageLogs(
        f"page-{name}", "simple", "scalars", runs, tags, max(10, round(steps * scale)), 0, LAYOUTS["scalars"]
    )
    prepare(made)
    return made
