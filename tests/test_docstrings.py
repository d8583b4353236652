"""`help()` of everything public says what it does and shows how it is called, in code that compiles."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest

import runglass
from runglass import hparams, notebook, projector, summary
from runglass.query.embeddings.rows import LogEmbedding
from runglass.query.graphs.rows import LogGraph
from runglass.query.hparams.rows import HParamRow, HParamRows
from runglass.query.profiles.rows import LogProfile
from runglass.reader import Line, Log, Picture, Run, Scalars, Series, SqlTable, Table

HANDED_OUT = (
    *(runglass.SummaryWriter, runglass.FileWriter, runglass.RecordWriter),
    *(Log, Run, Scalars, Series, Table, SqlTable, Picture, Line),
    *(HParamRows, HParamRow, LogGraph, LogEmbedding, LogProfile),
)
MODULES = (summary, hparams, projector, notebook)
PARSER = doctest.DocTestParser()


def list_public() -> Iterator[tuple[str, Any]]:
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


@pytest.mark.parametrize("name", PUBLIC)
def test_says_what_it_does_and_shows_how(name: str) -> None:
    doc = inspect.getdoc(PUBLIC[name]) or ""
    examples = PARSER.get_examples(doc)
    # Older docstrings show calls as indented code.
    code = [each.source for each in examples] or [
        dedent("\n".join(line for line in doc.splitlines()[1:] if line.startswith("    ")))
    ]
    assert doc.split("\n")[0].strip()
    assert code[0], f"{name} has no example"
    for each in code:
        if not each.startswith("%"):
            compile(each, name, "exec")


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
