"""Runglass: look at machine-learning experiments exactly, at once, and live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["SummaryWriter", "__version__", "open"]

if TYPE_CHECKING:
    from runglass.reader import open_log as open
    from runglass.writer.summary_writer import SummaryWriter


def __getattr__(name: str) -> Any:
    # Importing Runglass costs nothing until something of it is used.
    if name == "open":
        from runglass.reader import open_log

        return open_log
    if name == "SummaryWriter":
        from runglass.writer.summary_writer import SummaryWriter

        return SummaryWriter
    raise AttributeError(f"module 'runglass' has no attribute {name!r}")
