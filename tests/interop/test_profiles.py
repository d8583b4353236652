"""Profiles that the real frameworks write a moment ago: through runglass.profile, and without it by Keras and Lightning."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.plain_traces import PlainTrace, read_chrome, read_xplane

import runglass

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore")]

TORCH = """
import sys, torch, runglass
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
with runglass.profile(sys.argv[1], wait=1, warmup=1, active=2, repeat=2, memory=True, shapes=True, stacks=True, first_step=100) as p:
    for _ in range(10):
        with p.span("forward"):
            loss = model(torch.randn(8, 32)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        p.step()
"""
JAX = """
import sys, jax, runglass
step = jax.jit(lambda x: (x @ x).sum())
x = jax.numpy.ones((64, 64))
step(x)
with runglass.profile(sys.argv[1], wait=1, warmup=1, active=2, memory=True, first_step=100) as p:
    for _ in range(6):
        with p.span("forward"):
            step(x).block_until_ready()
        p.step()
"""
TENSORFLOW = """
import sys, tensorflow as tf, runglass
step = tf.function(lambda x: tf.reduce_sum(x @ x))
x = tf.ones((64, 64))
step(x)
with runglass.profile(sys.argv[1], wait=1, warmup=1, active=2, first_step=100) as p:
    for _ in range(6):
        with p.span("forward"):
            step(x).numpy()
        p.step()
"""
LIGHTNING = """
import sys, torch, lightning
from lightning.pytorch.profilers import PyTorchProfiler

class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)
    def training_step(self, batch, index):
        return self.layer(batch[0]).mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 8)), batch_size=8)
profiler = PyTorchProfiler(dirpath=sys.argv[1], filename="fit", schedule=torch.profiler.schedule(wait=1, warmup=1, active=2))
trainer = lightning.Trainer(
    max_steps=8, profiler=profiler, logger=False, enable_checkpointing=False, enable_progress_bar=False, accelerator="cpu"
)
trainer.fit(Model(), data)
"""


def write(code: str, logdir: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(runglass.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code, str(logdir)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def check_columns(logdir: Path, session: str, plain: PlainTrace, steps: list[int]) -> Any:
    """What Runglass reads is what is in the file."""
    trace = runglass.open(logdir).profile("run", session)
    assert not trace.problems
    assert [step.number for step in trace.steps] == steps
    events = trace.events()
    sums: dict[str, list[int]] = {}
    for name, duration in zip(events.name, events.duration_ps.tolist(), strict=True):
        found = sums.setdefault(str(name), [0, 0])
        found[0] += 1
        found[1] += duration
    for name, (count, total_ps) in plain.sums().items():
        assert (name, *sums.get(name, ())) == (name, count, total_ps)
    return trace


def test_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write(TORCH, tmp_path / "run")
    first, second = sorted((tmp_path / "run").iterdir())
    assert first.name.endswith(".pt.trace.json.gz")
    log = runglass.open(tmp_path)
    assert len(log.profiles("run")) == 2
    for file, session, steps in zip(
        (first, second), log.profiles("run"), ([102, 103], [106, 107]), strict=True
    ):
        plain = read_chrome(file)
        assert [event.category for event in plain.events if event.name == "forward"] == [
            "user_annotation"
        ] * 2
        trace = check_columns(tmp_path, session, plain, steps)
        assert len(trace.events(name="forward")) == 2


@pytest.mark.parametrize(("framework", "code"), [("jax", JAX), ("tensorflow", TENSORFLOW)])
def test_xla(tmp_path: Path, framework: str, code: str) -> None:
    pytest.importorskip(framework)
    write(code, tmp_path / "run")
    (file,) = (tmp_path / "run").rglob("*.xplane.pb")
    assert (file.parent / "memory.prof").exists() == (framework == "jax")
    (session,) = {name.partition("/")[0] for name in runglass.open(tmp_path).profiles("run")}
    assert session == file.parent.name
    plain = read_xplane(file)
    trace = check_columns(tmp_path, session, plain, [102, 103])
    assert len(trace.events(name="forward")) == 2


def test_lightning(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    write(LIGHTNING, tmp_path / "run")
    log = runglass.open(tmp_path)
    (session,) = log.profiles("run")
    (file,) = (tmp_path / "run").glob("*.pt.trace.json*")
    plain = read_chrome(file)
    numbers = [
        int(event.name.split("#")[1]) for event in plain.events if event.name.startswith("ProfilerStep#")
    ]
    assert numbers
    check_columns(tmp_path, session, plain, numbers)
