"""`from runglass.keras import RunglassCallback`: logs a Keras training. Imports Keras on first use of the class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runglass.writer.calls.keras_callback import callback_class

if TYPE_CHECKING:
    # For type checkers, which need not have the framework; at run time it is a subclass of the framework's class too.
    from runglass.writer.calls.keras_callback import TrainingHooks as RunglassCallback

__all__ = ["RunglassCallback"]


def __getattr__(name: str) -> Any:
    if name == "RunglassCallback":
        return callback_class()
    raise AttributeError(f"module 'runglass.keras' has no attribute {name!r}")
