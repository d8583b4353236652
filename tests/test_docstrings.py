"""`help()` of everything public says what it does and shows how it is called, in code that runs."""

from __future__ import annotations

import doctest
import inspect
import shutil
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.support import event_bytes as eb
from tests.support.made_traces import make_trace, write_trace

import runglass
from runglass import hparams, notebook, projector, summary
from runglass.query.embeddings.rows import LogEmbedding
from runglass.query.graphs.rows import LogGraph
from runglass.query.hparams.rows import HParamRow, HParamRows
from runglass.query.profiles.rows import LogProfile
from runglass.reader import Line, Log, Picture, Run, Scalars, Series, SqlTable, Table
from runglass.writer.calls.keras_callback import TrainingHooks
from runglass.writer.calls.lightning_logger import LoggerHooks
from runglass.writer.calls.trainer_callback import TrainerHooks

HANDED_OUT = (
    *(runglass.SummaryWriter, runglass.FileWriter, runglass.RecordWriter),
    *(Log, Run, Scalars, Series, Table, SqlTable, Picture, Line),
    *(HParamRows, HParamRow, LogGraph, LogEmbedding, LogProfile),
)
MODULES = (summary, hparams, projector, notebook)
# What `help()` shows of classes that are made of those of a framework.
OF_FRAMEWORKS = {
    "runglass.keras.RunglassCallback": TrainingHooks,
    "runglass.lightning.RunglassLogger": LoggerHooks,
    "runglass.huggingface.RunglassCallback": TrainerHooks,
}
PARSER = doctest.DocTestParser()


def list_public() -> Iterator[tuple[str, Any]]:
    yield from OF_FRAMEWORKS.items()
    for name in runglass.__all__:
        value = getattr(runglass, name)
        if not name.startswith("__") and not isinstance(value, ModuleType):
            yield f"runglass.{name}", value
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                yield f"{module.__name__}.{name}", value
    for shape in HANDED_OUT:
        yield shape.__name__, shape
        for name in dir(shape):
            value = inspect.getattr_static(shape, name)
            value = value.fget if isinstance(value, property) else getattr(shape, name)
            is_ours = (getattr(value, "__module__", None) or "").startswith("runglass")
            if not name.startswith("_") and callable(value) and is_ours:
                yield f"{shape.__name__}.{name}", value


PUBLIC = dict(list_public())


def test_there_is_much_to_check() -> None:
    assert len(PUBLIC) > 140
    assert {"runglass.open", "Log.sql", "SummaryWriter.add_scalar", "runglass.summary.scalar"} <= set(PUBLIC)


# What an example needs that is not here: compiled, not run.
NOT_RUN = {
    "runglass.load_ipython_extension": "IPython",
    "runglass.profile": "PyTorch",
    "runglass.watch": "a model of PyTorch or Keras; tests/test_watch.py has them",
    "SummaryWriter.add_graph": "a model of PyTorch",
    "SummaryWriter.add_onnx_graph": "a model in a file",
    **dict.fromkeys(("runglass.summary.trace_on", "runglass.summary.trace_off"), "TensorFlow"),
    "runglass.summary.trace_export": "TensorFlow",
    **dict.fromkeys(OF_FRAMEWORKS, "their frameworks"),
    **{f"runglass.notebook.{call}": "a server" for call in ("display", "list", "start", "stop")},
}
# Packages that a user may have or not.
OPTIONAL = {"to_polars": "polars", "to_arrow": "pyarrow", "to_parquet": "pyarrow", "sql(": "duckdb"}


def write_logs(folder: Path) -> None:
    """The logs that examples read: one training with everything, and two of other seeds."""
    for seed, run in enumerate(("train", "seed=1", "seed=2")):
        with runglass.SummaryWriter(folder / run) as writer:
            for step in range(5):
                writer.add_scalar("loss", 1 / (1 + step + seed), step)
                writer.add_scalar("val/loss", 2 / (1 + step + seed), step)
                writer.add_scalar("accuracy", step / 5, step)
            writer.add_histogram("weights", np.arange(9.0), 0)
            writer.add_image("digits", np.zeros((3, 8, 8)), 0)
            writer.add_hparams({"lr": 0.1 * (1 + seed), "layers": 2}, {"accuracy": 0.8})
            writer.add_embedding(np.eye(5), metadata=list("abcde"), tag="words", global_step=5)
            writer.file_writer.add_graph((GRAPH, None))
    for session, first_step in (("before", 10), ("now", 20)):
        made = write_trace(folder / f"train/plugins/profile/{session}", make_trace(first_step))
        made.rename(made.with_name("worker.pt.trace.json"))


_ARGUMENT = eb.chunk(
    1, eb.chunk(1, b"step") + eb.chunk(2, eb.chunk(1, b"x")) + eb.chunk(3, eb.chunk(1, b"y"))
)
GRAPH = eb.graph_def(["encoder/layer_0", "loss"]) + eb.chunk(2, eb.chunk(1, _ARGUMENT))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docstrings")
    write_logs(folder / "logs")
    return folder


def names_of_examples(name: str) -> dict[str, Any]:
    """What the names in an example stand for: those of a training that has got so far."""
    from matplotlib.figure import Figure

    numbers = np.random.default_rng(0)
    log = runglass.open("logs")
    known = {
        **{each: getattr(hparams, each) for each in hparams.__all__},
        **{each: getattr(projector, each) for each in projector.__all__},
        "np": np,
        "time": __import__("time"),
        "runglass": runglass,
        "FileWriter": runglass.FileWriter,
        "summary": summary,
        "hparams": hparams,
        "projector": projector,
        "log": log,
        "step": 0,
        "epoch": 0,
        "writer": runglass.SummaryWriter("logs/more"),
        "files": runglass.FileWriter("logs/files"),
        "records": runglass.RecordWriter("records"),
        "loss": 0.5,
        "graph_def": GRAPH,
        "array": np.eye(3),
        "pixels": numbers.random((3, 48, 48)),
        "waveform": numbers.random(800),
        "weights": np.arange(9.0),
        "frames": numbers.random((1, 4, 3, 8, 8)),
        "vectors": numbers.random((40, 5)),
        "figure": Figure(),
        "words": [f"w{each}" for each in range(40)],
        "config": projector.ProjectorConfig(),
        "vertices": numbers.random((1, 4, 3)),
        "faces": np.array([[[0, 1, 2], [1, 2, 3]]]),
        "labels": np.array([0, 1, 1]),
        "predictions": np.array([0.1, 0.4, 0.9]),
        **dict.fromkeys(("tp", "fp", "tn", "fn", "precision", "recall"), np.ones(127)),
        "event": eb.event(eb.summary(eb.simple("loss", 1.0)), wall_time=1.0, step=3),
        "asset": log.assets("train")[0],
    }
    if name.startswith("FileWriter") or name in ("runglass.FileWriter", "SummaryWriter.file_writer"):
        known["summary"] = eb.summary(eb.simple("loss", 1.0))
    if name == "SummaryWriter.add_image":
        known["pixels"] = numbers.random((48, 48, 3))
    if name in ("SummaryWriter.add_images", "runglass.summary.image"):
        known["pixels"] = numbers.random((2, 48, 48, 3))
    if name == "runglass.summary.audio":
        known["waveform"] = numbers.random((1, 800, 1))
    if name == "SummaryWriter.add_histogram":
        known["model"] = type("Model", (), {"layer1": type("Layer", (), {"weight": np.eye(3)})})
    if name.startswith("LogGraph."):
        known["graph"] = log.graph("train")
    if name.startswith("LogEmbedding."):
        known["words"] = log.embedding("train", "words")
    if name.startswith("LogProfile."):
        known["profile"] = log.profile("train")
    if name.startswith("Picture."):
        known["picture"] = log["train"]["digits"].value[0][0]
    return known


def read_code(name: str) -> list[str]:
    doc = inspect.getdoc(PUBLIC[name]) or ""
    assert doc.split("\n")[0].strip()
    # Older docstrings show calls as indented code.
    return [each.source for each in PARSER.get_examples(doc)] or [
        dedent("\n".join(line for line in doc.splitlines()[1:] if line.startswith("    ")))
    ]


@pytest.mark.parametrize("name", PUBLIC)
def test_says_what_it_does_and_shows_how(
    name: str, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = read_code(name)
    assert code[0], f"{name} has no example"
    compiled = [compile(each, name, "exec") for each in code if not each.startswith("%")]
    if name in NOT_RUN:
        return
    for call, package in OPTIONAL.items():
        if any(call in each for each in code):
            pytest.importorskip(package)
    shutil.copytree(logs / "logs", tmp_path / "logs")
    monkeypatch.chdir(tmp_path)
    known = names_of_examples(name)
    opened = [known[each] for each in ("writer", "files", "records")]
    try:
        with summary.create_file_writer("logs/tf").as_default(step=0):
            for each in compiled:
                exec(each, known)
    finally:
        for made in opened:
            made.close()


def test_what_is_not_run_is_there() -> None:
    assert set(NOT_RUN) <= set(PUBLIC)


def test_every_error_says_when_it_is_raised() -> None:
    shapes = [value for value in vars(runglass.errors).values() if inspect.isclass(value)]
    assert [shape.__name__ for shape in shapes if not shape.__dict__.get("__doc__")] == []


def test_writers_say_what_they_are(tmp_path) -> None:
    writer = runglass.SummaryWriter(tmp_path / "a")
    assert repr(writer) == f"<SummaryWriter {str(tmp_path / 'a')!r}>"
    assert repr(writer.file_writer) == f"<FileWriter {str(tmp_path / 'a')!r}>"
    writer.close()
    assert repr(writer).endswith(", closed: the next call opens a new file>")
    records = runglass.RecordWriter(tmp_path / "b")
    records.close()
    assert repr(records) == f"<RecordWriter {str(tmp_path / 'b')!r}, closed>"
    other = summary.create_file_writer(tmp_path / "c")
    assert repr(other) == f"<SummaryFileWriter {str(tmp_path / 'c')!r}>"
    other.close()
