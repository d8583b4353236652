"""Writes logs with tensorboardX, and what they must read as, into the directory given. Runs without Runglass."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from tensorboardX import SummaryWriter
from truth import Truth

out = Path(sys.argv[1])
truth = Truth()
rng = np.random.default_rng(2)

writer = SummaryWriter(str(out / "run"))
for step in range(40):
    writer.add_scalar(
        "loss", 1.0 / (1 + step), step, display_name="Loss", summary_description="how wrong it is"
    )
    truth.scalar("run", "loss", step, float(np.float32(1.0 / (1 + step))))
    writer.add_scalars("pair", {"a": step, "b": -step}, step)
    truth.scalar("run/pair/a", "pair", step, float(step))
    truth.scalar("run/pair/b", "pair", step, float(-step))
writer.add_histogram("h", rng.normal(size=300), 1)
truth.total("run", "h", "histogram", count=1, sum_of_counts=300)
writer.add_image("picture", rng.random((3, 6, 7)).astype("f4"), 1)
truth.images("run", "picture", samples=1, width=7, height=6)
for step in (1, 20):
    vectors = rng.normal(size=(5, 4)).astype("f4")
    writer.add_embedding(vectors, list("abcde"), rng.random((5, 3, 6, 6)).astype("f4"), step, "e")
    truth.embedding("run", "e", vectors, step=step, metadata={"label": list("abcde")}, tile=[6, 6])
writer.close()

truth.save(out)
