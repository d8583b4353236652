"""`from runglass.huggingface import RunglassCallback`: logs a transformers Trainer, which is imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runglass.writer.calls.trainer_callback import callback_class

if TYPE_CHECKING:
    # For type checkers, which need not have the framework; at run time it is a subclass of the framework's class too.
    from runglass.writer.calls.trainer_callback import TrainerHooks as RunglassCallback

__all__ = ["RunglassCallback"]


def __getattr__(name: str) -> Any:
    if name == "RunglassCallback":
        return callback_class()
    raise AttributeError(f"module 'runglass.huggingface' has no attribute {name!r}")
