"""Runglass: look at machine-learning experiments exactly, at once, and live."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "FileWriter",
    "RecordWriter",
    "SummaryWriter",
    "__version__",
    "errors",
    "load_ipython_extension",
    "notebook",
    "open",
    "profile",
    "project",
    "watch",
]

if TYPE_CHECKING:
    from runglass import errors, notebook
    from runglass.reader import open_log as open
    from runglass.reductions.project import project
    from runglass.writer.calls.file_writer import FileWriter, RecordWriter
    from runglass.writer.calls.profiling import profile
    from runglass.writer.calls.summary_writer import SummaryWriter
    from runglass.writer.watch.watching import watch


def __getattr__(name: str) -> Any:
    # Importing Runglass costs nothing until the first use.
    if name == "open":
        from runglass.reader import open_log

        return open_log
    if name == "SummaryWriter":
        from runglass.writer.calls.summary_writer import SummaryWriter

        return SummaryWriter
    if name in ("FileWriter", "RecordWriter"):
        from runglass.writer.calls import file_writer

        return getattr(file_writer, name)
    if name == "GlobalSummaryWriter":
        raise AttributeError(
            "runglass has no GlobalSummaryWriter: make one SummaryWriter, pass global_step to its calls, and use it in all "
            "modules and forked processes; each process writes a file of its own into the same run."
        )
    if name == "profile":
        from runglass.writer.calls.profiling import profile

        return profile
    if name == "watch":
        from runglass.writer.watch.watching import watch

        return watch
    if name == "project":
        from runglass.reductions.project import project

        return project
    if name in ("errors", "notebook"):
        from importlib import import_module

        return import_module(f"runglass.{name}")
    raise AttributeError(f"module 'runglass' has no attribute {name!r}")


def __dir__() -> list[str]:
    # What completion offers: names to use, and not the modules that this file imports.
    return list(__all__)


@atexit.register
def finish_writing() -> None:
    """Registered first, so that it runs last and also writes what other exit handlers log."""
    hooks = sys.modules.get("runglass.writer.files.process_hooks")
    if hooks is not None:
        hooks.finish()


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext runglass`: adds the magic `%runglass`.

    >>> %load_ext runglass
    """
    from runglass.notebook import add_magics

    add_magics(shell)
