"""Values that workers of a PyTorch data loader log; the loader ends them in its own way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import runglass

pytestmark = pytest.mark.interop

PROGRAM = """
import sys
import torch
from runglass import SummaryWriter

class Items(torch.utils.data.Dataset):
    def __init__(self, logdir):
        self.writer = SummaryWriter(logdir, flush_secs=1000)

    def __len__(self):
        return 100

    def __getitem__(self, index):
        self.writer.add_scalar("item", index, index)
        return torch.zeros(1)

items = Items(sys.argv[1])
loader = torch.utils.data.DataLoader(items, num_workers=2, persistent_workers=sys.argv[2] == "True")
assert len(list(loader)) == 100
"""


@pytest.mark.skipif(sys.platform == "win32", reason="workers are forked")
@pytest.mark.parametrize("is_persistent", [False, True])
def test_values_of_workers_are_written(tmp_path: Path, is_persistent: bool) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), str(is_persistent)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    items = runglass.open(tmp_path).scalars(".", "item", attempts="all")
    assert sorted(items.step.tolist()) == list(range(100))
