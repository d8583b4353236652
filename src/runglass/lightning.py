"""`from runglass.lightning import RunglassLogger`: a logger for PyTorch Lightning, which is imported on first use."""

from __future__ import annotations

from typing import Any

from runglass.writer.calls.lightning_logger import logger_class


def __getattr__(name: str) -> Any:
    if name == "RunglassLogger":
        return logger_class()
    raise AttributeError(f"module 'runglass.lightning' has no attribute {name!r}")
