"""A callback for the Trainer of Hugging Face transformers with the tags of its TensorBoardCallback."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any


class TrainerHooks:
    """Logs a transformers Trainer, with the tags and directories of its own TensorBoardCallback.

        trainer = Trainer(model, args, train_dataset=data, callbacks=[RunglassCallback()])

    `writer`: a runglass.SummaryWriter to log into; by default one in the logging directory of the training.
    """

    # A mixin for transformers.TrainerCallback.

    def __init__(self, writer: Any = None) -> None:
        """`writer` is a runglass.SummaryWriter; by default the callback opens one in the logging directory of the training."""
        super().__init__()
        self._writer = writer
        # Kept, so that later logs go to the same run, and the trials of a search to neighbouring ones.
        self._directory = ""
        self._logdir = ""

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not state.is_world_process_zero:
            return
        self._choose_run(args, state)
        writer = self._open_writer(args, state)
        writer.add_text("args", args.to_json_string())
        config: Any = getattr(kwargs.get("model"), "config", None)
        if hasattr(config, "to_json_string"):
            writer.add_text("model_config", config.to_json_string())

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        if not state.is_world_process_zero:
            return
        writer = self._open_writer(args, state)
        for tag, value in split_tags(logs or {}).items():
            if isinstance(value, int | float):
                writer.add_scalar(tag, value, state.global_step)
            elif isinstance(value, str):
                writer.add_text(tag, value, state.global_step)
            else:
                warnings.warn(
                    f"The Trainer logged {tag!r} as {type(value).__name__}, which is not a number and is left out.",
                    stacklevel=2,
                )

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._close_writer()

    def _choose_run(self, args: Any, state: Any) -> None:
        self._directory = self._directory or logging_dir(args)
        trial = state.trial_name if state.is_hyper_param_search else None
        logdir = os.path.join(self._directory, trial) if trial else self._directory
        # A pruned trial leaves its writer open.
        if self._logdir and self._logdir != logdir:
            self._close_writer()
        self._logdir = logdir

    def _open_writer(self, args: Any, state: Any) -> Any:
        if self._writer is None:
            from runglass.writer.calls.summary_writer import SummaryWriter

            if not self._logdir:
                self._choose_run(args, state)
            self._writer = SummaryWriter(self._logdir)
        return self._writer

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def logging_dir(args: Any) -> str:
    """As in transformers: older versions have an argument for it, newer ones an environment variable."""
    from runglass.writer.files.run_writers import default_log_dir

    chosen = getattr(args, "logging_dir", None) or os.environ.get("TENSORBOARD_LOGGING_DIR")
    return os.path.expanduser(chosen) if chosen else os.path.join(args.output_dir, default_log_dir(""))


def split_tags(logs: Mapping[str, Any]) -> dict[str, Any]:
    """eval_loss becomes eval/loss, test_loss becomes test/loss, anything else train/…"""
    tags = {}
    for name, value in logs.items():
        group, separator, rest = name.partition("_")
        tags[f"{group}/{rest}" if separator and group in ("eval", "test") else f"train/{name}"] = value
    return tags


@cache
def callback_class() -> type:
    """A subclass of transformers.TrainerCallback; imports transformers."""
    from transformers import TrainerCallback

    return type(
        "RunglassCallback",
        (TrainerHooks, TrainerCallback),
        {"__module__": "runglass.huggingface", "__doc__": TrainerHooks.__doc__},
    )
