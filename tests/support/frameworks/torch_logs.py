"""Writes logs with torch.utils.tensorboard, and what they must read as, into the directory given. Runs without Runglass."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter
from truth import Truth

out = Path(sys.argv[1])
truth = Truth()
rng = np.random.default_rng(1)

with SummaryWriter(str(out / "run")) as writer:
    for step in range(100):
        value = float(np.float32(np.exp(-step / 30)))
        writer.add_scalar("train/loss", value, step)
        truth.scalar("run", "train/loss", step, value)
        writer.add_scalar("exact", 0.1 * step, step, new_style=True, double_precision=True)
        truth.scalar("run", "exact", step, 0.1 * step)
    writer.add_histogram("h", rng.normal(size=1000), 5)
    truth.total("run", "h", "histogram", count=1, sum_of_counts=1000)
    writer.add_text("note", "some *text*", 2)
    truth.text("run", "note/text_summary", "some *text*")
    writer.add_image("picture", rng.integers(0, 255, (3, 12, 10), dtype=np.uint8), 1)
    truth.images("run", "picture", samples=1, width=10, height=12)
    for step in (0, 7):
        vectors = rng.normal(size=(6, 3)).astype("f4")
        labels = [["é", 1], ["b", 2], ["tab c", 3], ["d", 4], ["e", 5], ["f", 6]]
        pictures = torch.rand(6, 3, 4, 4)
        writer.add_embedding(
            torch.tensor(vectors), labels, pictures, step, "points of it", metadata_header=["word", "rank"]
        )
        columns = {"word": [row[0] for row in labels], "rank": [str(row[1]) for row in labels]}
        truth.embedding("run", "points of it", vectors, step=step, metadata=columns, tile=[4, 4])
    writer.add_audio("sound", torch.sin(torch.arange(1600) / 5.0), 1, sample_rate=16000)
    truth.audio("run", "sound", sample_rate=16000, frames=1600)

with SummaryWriter(str(out / "restarted")) as writer:
    for step in range(10):
        writer.add_scalar("loss", step, step)
with SummaryWriter(str(out / "restarted"), purge_step=6, filename_suffix=".again") as writer:
    for step in range(6, 15):
        writer.add_scalar("loss", 100 + step, step)
for step in range(15):
    truth.scalar("restarted", "loss", step, float(step if step < 6 else 100 + step))

truth.save(out)
