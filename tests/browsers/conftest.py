"""Firefox and WebKit on one real server over a log of every kind. Not part of `make test`: `make browsers` runs these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.support.browsers import Firefox, WebKit, Window
from tests.support.made_traces import make_trace, write_trace
from tests.support.page_server import Running

import runglass
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.graphs.node import Node, graph_event

CORNERS = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], np.float32)
SIDES = np.array([[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]], np.int32)
STEPS = (0, 10, 20)
NODES = [
    Node(name="x", op="Placeholder"),
    Node(name="hidden/linear", op="MatMul", inputs=["x"]),
    Node(name="hidden/relu", op="Relu", inputs=["hidden/linear"]),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browsers/" in item.nodeid:
            item.add_marker(pytest.mark.browsers)


def write_every_kind(logdir: Path) -> None:
    rng = np.random.default_rng(0)
    for run, lr in (("first", 0.1), ("second", 0.01)):
        with runglass.SummaryWriter(logdir / run) as writer:
            writer.add_hparams({"lr": lr, "optimizer": "adam"}, {"accuracy": 1 - lr})
            writer.add_custom_scalars({"Losses": {"both": ["Multiline", ["loss", "val/loss"]]}})
            for step in STEPS:
                writer.add_scalar("loss", 1 / (step + 1), step)
                writer.add_scalar("val/loss", 2 / (step + 1), step)
                writer.add_text("note", f"**step** {step}", step)
                writer.add_image("picture", rng.random((3, 16, 16)), step)
                writer.add_audio("tone", np.sin(np.arange(4000) * 0.1), step, sample_rate=8000)
                writer.add_histogram("weights", rng.normal(size=200), step)
                writer.add_pr_curve("classes", rng.random(50) < 0.5, rng.random(50), step)
                writer.add_mesh("shape", CORNERS + step, faces=SIDES, global_step=step)
            writer.add_embedding(rng.normal(size=(30, 4)), metadata=[f"point {row}" for row in range(30)])
        with EventWriter(logdir / run) as writer:
            writer.add_event(graph_event(NODES))
        write_trace(logdir / run, make_trace())


@pytest.fixture(scope="package")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    logdir = tmp_path_factory.mktemp("logs")
    write_every_kind(logdir)
    server = Running(runglass.open(logdir).source)
    yield server.url
    server.stop()


@pytest.fixture(scope="package", params=[Firefox, WebKit])
def window(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    with request.param(tmp_path_factory.mktemp("profile")) as window:
        yield window
