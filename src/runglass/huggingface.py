"""`from runglass.huggingface import RunglassCallback`: logs a transformers Trainer, which is imported on first use."""

from __future__ import annotations

from typing import Any

from runglass.writer.calls.trainer_callback import callback_class


def __getattr__(name: str) -> Any:
    if name == "RunglassCallback":
        return callback_class()
    raise AttributeError(f"module 'runglass.huggingface' has no attribute {name!r}")
