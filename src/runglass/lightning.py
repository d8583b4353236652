"""`from runglass.lightning import RunglassLogger`: a logger for PyTorch Lightning, which is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runglass.writer.calls.lightning_logger import logger_class

if TYPE_CHECKING:
    # For type checkers, which need not have the framework; at run time it is a subclass of the framework's class too.
    from runglass.writer.calls.lightning_logger import LoggerHooks as RunglassLogger

__all__ = ["RunglassLogger"]


def __getattr__(name: str) -> Any:
    if name == "RunglassLogger":
        return logger_class()
    raise AttributeError(f"module 'runglass.lightning' has no attribute {name!r}")
