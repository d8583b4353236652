"""`from runglass.keras import RunglassCallback`: logs a Keras training. Imports Keras on first use of the class."""

from __future__ import annotations

from typing import Any

from runglass.writer.calls.keras_callback import callback_class


def __getattr__(name: str) -> Any:
    if name == "RunglassCallback":
        return callback_class()
    raise AttributeError(f"module 'runglass.keras' has no attribute {name!r}")
