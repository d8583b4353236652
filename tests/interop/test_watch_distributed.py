"""`runglass.watch` in two processes that train one model together: DDP and both kinds of FSDP, over gloo on this machine."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import runglass

pytestmark = [pytest.mark.interop]

# One process of a training: its rank, how the model is wrapped, and where to log. Prints what runglass.watch warned of.
PROCESS = """
import json, sys, warnings
import torch
from torch import distributed, nn
import runglass

rank, kind, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
if kind == "ddp":
    model = nn.parallel.DistributedDataParallel(model)
elif kind == "fsdp":
    from torch.distributed.fsdp import FullyShardedDataParallel

    model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
else:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (2,))
    for layer in (model[0], model[2], model):
        fully_shard(layer, mesh=mesh)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
torch.manual_seed(1 + rank)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with runglass.SummaryWriter(f"{folder}/{rank}") as writer, runglass.watch(model, writer, every=1):
        for _ in range(2):
            optimizer.zero_grad()
            (model(torch.randn(16, 4)) ** 2).mean().backward()
            optimizer.step()
distributed.destroy_process_group()
print(json.dumps([str(each.message) for each in caught if "runglass.watch" in str(each.message)]))
"""


def train(kind: str, folder: Path) -> list[list[str]]:
    """Trains in two processes; what each was warned of."""
    folder.mkdir()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(rank), kind, str(folder)], stdout=subprocess.PIPE, text=True
        )
        for rank in (0, 1)
    ]
    try:
        said = [process.communicate(timeout=240)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0]
    return [json.loads(each.splitlines()[-1]) for each in said]


def test_two_processes_that_train_one_model(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    warned = {kind: train(kind, tmp_path / kind) for kind in ("ddp", "fsdp", "fully_shard")}
    assert warned["ddp"] == [[], []]
    for kind in ("fsdp", "fully_shard"):
        assert all("divided among processes" in each for each, *_ in warned[kind])
    log = {kind: runglass.open(tmp_path / kind) for kind in warned}

    def values(kind: str, rank: int, tag: str) -> list[float]:
        return log[kind].scalars(str(rank), tag).value.tolist()

    for tag in ("grad_norm/total", "param_norm/total"):
        # Gradients are those of all processes, and so are the parameters.
        whole = values("ddp", 0, tag)
        assert whole == pytest.approx(values("ddp", 1, tag))
        for kind in ("fsdp", "fully_shard"):
            # Each process has a part, and the parts are the whole.
            parts = zip(values(kind, 0, tag), values(kind, 1, tag), strict=True)
            assert [math.hypot(*each) for each in parts] == pytest.approx(whole, rel=1e-4)
    for kind in warned:
        # Each process sees the activations of its own batch.
        own = [values(kind, rank, "activation_mean/0") for rank in (0, 1)]
        assert own[0] != own[1]
        assert own == [pytest.approx(values("ddp", rank, "activation_mean/0"), rel=1e-4) for rank in (0, 1)]
