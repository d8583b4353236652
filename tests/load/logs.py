"""Logs whose every value is known: what the server should answer follows from names and steps alone."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import urlencode

from tests.support import event_bytes as eb
from tests.support.event_files import NAME

from runglass import SummaryWriter


def run_name(run: int) -> str:
    return f"run{run:04d}"


def tag_name(tag: int) -> str:
    return f"metrics/tag{tag:02d}"


def value_of(run: int, tag: int, step: int) -> float:
    return float(run % 64 * 4096 + tag * 2048 + step)


def write_runs(logdir: Path, *, runs: int, tags: int, points: int) -> None:
    for run in range(runs):
        with SummaryWriter(str(logdir / run_name(run))) as writer:
            for tag in range(tags):
                for step in range(points):
                    writer.add_scalar(tag_name(tag), value_of(run, tag, step), step)


def write_small_runs(logdir: Path, runs: int) -> None:
    """One file of a few points each, by copying bytes: as fast as the file system."""
    data = eb.records(eb.file_version(), *(eb.scalar("loss", float(step), step=step) for step in range(5)))
    for run in range(runs):
        directory = logdir / run_name(run)
        directory.mkdir(parents=True)
        (directory / NAME).write_bytes(data)


def write_long_run(logdir: Path, points: int) -> None:
    with SummaryWriter(str(logdir / "long")) as writer:
        for step in range(points):
            writer.add_scalar("loss", step * 0.123456789, step)


def write_searchable(logdir: Path) -> None:
    """Texts, labels of an embedding, nodes of a graph and names of a trace at which some patterns backtrack for ever."""
    text = "a" * 40
    with SummaryWriter(str(logdir / "run")) as writer:
        for step in range(20):
            writer.add_text("note", text, step)
    run = logdir / "run"
    (run / "vectors.tsv").write_text("".join(f"{row}\t1\t2\n" for row in range(50)))
    (run / "labels.tsv").write_text(f"{text}\n" * 50)
    (run / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "e" tensor_path: "vectors.tsv" metadata_path: "labels.tsv" }\n'
    )
    nodes = "".join(f'node {{ name: "{text}{at}" op: "Const" }}\n' for at in range(50))
    (run / "graph.pbtxt").write_text(nodes)
    profile = run / "plugins" / "profile" / "one"
    profile.mkdir(parents=True)
    events = [{"ph": "X", "name": f"{text}{at}", "pid": 1, "tid": 1, "ts": at, "dur": 1} for at in range(50)]
    (profile / "host.trace.json").write_text(json.dumps({"traceEvents": events}))


def searches_of(pattern: str) -> list[tuple[str, object]]:
    """A pattern asked of each of the above."""
    return [
        ("/api/text/search", {"query": pattern, "is_regex": True}),
        ("/api/graphs/search", {"graph": {"run": "run", "name": "graph.pbtxt"}, "q": f"/{pattern}/"}),
        (
            "/api/projector/search",
            {"embedding": {"run": "run", "name": "e"}, "q": pattern, "column": "label", "mode": "pattern"},
        ),
        (
            "/api/profile/search",
            {"session": {"run": "run", "session": "one"}, "q": pattern, "in": "names", "mode": "pattern"},
        ),
    ]


def points_path(run: str, tag: str) -> str:
    return "/api/scalars/points?" + urlencode({"run": run, "tag": tag})


class Appender:
    """A training that logs one value at a time, each of them the number of its step."""

    def __init__(self, directory: Path, tag: str = "loss") -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / NAME
        self.tag = tag
        self.step = -1
        if not self.path.exists():
            self.path.write_bytes(eb.records(eb.file_version()))

    def append(self, count: int = 1) -> None:
        data = b""
        for _ in range(count):
            self.step += 1
            data += eb.records(eb.scalar(self.tag, float(self.step), step=self.step))
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(file, data)
        finally:
            os.close(file)

    @property
    def truth(self) -> list[float]:
        return [float(step) for step in range(self.step + 1)]
