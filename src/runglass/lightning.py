"""`from runglass.lightning import RunglassLogger`: a logger for PyTorch Lightning, which is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runglass.writer.calls.lightning_logger import LoggerHooks, logger_class

if TYPE_CHECKING:
    from lightning.pytorch.loggers.logger import Logger

    # What a type checker sees of the class below. Where it has no Lightning, the second base is Any.
    class RunglassLogger(LoggerHooks, Logger):  # type: ignore[misc]
        __doc__ = LoggerHooks.__doc__


__all__ = ["RunglassLogger"]


def __getattr__(name: str) -> Any:
    if name == "RunglassLogger":
        return logger_class()
    raise AttributeError(f"module 'runglass.lightning' has no attribute {name!r}")
