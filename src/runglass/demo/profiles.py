"""Profiles of a U-Net on one NVIDIA H200, recorded by torch.profiler and cut to a step or two: before it was tuned, and after.

Before: the data is prepared in the training's own process and copied from unpinned memory, all in float32, with a value read back in
every step. After: six loader processes, pinned memory, bfloat16, channels last, and a fused optimizer.
"""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

FOLDER = "unet"
DATA = Path(__file__).parent / "recorded"
# By run: what torch calls the file. The one with much to find last: the page opens the newest profile.
FILES = {
    "after": "h200.1794939268642673467.pt.trace.json.gz",
    "before": "h200.1794939248970467335.pt.trace.json.gz",
}


def write_profiles(logdir: Path) -> None:
    for run, name in FILES.items():
        folder = logdir / FOLDER / run
        folder.mkdir(parents=True, exist_ok=True)
        packed = (DATA / f"unet_{run}.json.xz").read_bytes()
        # Small enough that its steps are looked at before anybody opens it.
        (folder / name).write_bytes(gzip.compress(lzma.decompress(packed), 6, mtime=0))
