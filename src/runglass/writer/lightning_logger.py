"""A logger for PyTorch Lightning with the directories and tags of its TensorBoardLogger."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from runglass.errors import BadArgument
from runglass.writer.arrays import to_number

HPARAMS_FILE = "hparams.yaml"
# What sessions are compared by when the training names nothing; -1 says that it has no value.
DEFAULT_METRIC = "hp_metric"


class LoggerHooks:
    """What the logger does, to be mixed with Lightning's Logger."""

    def __init__(
        self,
        save_dir: str | os.PathLike[str],
        name: str | None = "lightning_logs",
        version: int | str | None = None,
        log_graph: bool = False,
        default_hp_metric: bool = True,
        prefix: str = "",
        sub_dir: str | os.PathLike[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """`kwargs` go to runglass.SummaryWriter."""
        super().__init__()
        self._save_dir = os.fspath(save_dir)
        self._name = name or ""
        self._version = version
        self._is_graph_logged = log_graph
        self._default_hp_metric = default_hp_metric
        self._prefix = prefix
        self._sub_dir = None if sub_dir is None else os.fspath(sub_dir)
        self._writer_arguments = kwargs
        self._writer: Any = None
        self.hparams: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def save_dir(self) -> str:
        return self._save_dir

    @property
    def root_dir(self) -> str:
        """Where the versions of this experiment lie."""
        return os.path.join(self._save_dir, self._name)

    @property
    def version(self) -> int | str:
        """One past the highest that exists, unless it was given."""
        if self._version is None:
            self._version = 1 + max(self._versions(), default=-1)
        return self._version

    @property
    def log_dir(self) -> str:
        version = self.version if isinstance(self.version, str) else f"version_{self.version}"
        return os.path.join(self.root_dir, version, self._sub_dir or "")

    def open_writer(self) -> Any:
        if self._writer is None:
            from runglass.writer.summary_writer import SummaryWriter

            self._writer = SummaryWriter(self.log_dir, **self._writer_arguments)
        return self._writer

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        writer = self.open_writer()
        for name, value in metrics.items():
            tag = f"{self._prefix}-{name}" if self._prefix else name
            if isinstance(value, Mapping):
                writer.add_scalars(tag, value, step)
            else:
                writer.add_scalar(tag, value, step)

    def log_hyperparams(
        self,
        params: Mapping[str, Any] | Namespace | None,
        metrics: Mapping[str, Any] | float | None = None,
        step: int | None = None,
    ) -> None:
        named = vars(params) if isinstance(params, Namespace) else dict(params or {})
        self.hparams.update(named)
        if metrics is None:
            metrics = {DEFAULT_METRIC: -1} if self._default_hp_metric else {}
        elif not isinstance(metrics, Mapping):
            metrics = {DEFAULT_METRIC: metrics}
        if metrics:
            self.open_writer().add_hparams(dict(flat_params(named)), dict(metrics), global_step=step or 0)

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        if not self._is_graph_logged:
            return
        inputs = getattr(model, "example_input_array", None) if input_array is None else input_array
        if inputs is None:
            raise BadArgument(
                "log_graph needs an input to trace the model with: set example_input_array on the LightningModule.",
                where="input_array",
            )
        self.open_writer().add_graph(model, inputs)

    def save(self) -> None:
        """The hyperparameters as YAML beside the log, from where Lightning loads them with a checkpoint."""
        if self._writer is not None:
            self._writer.flush()
        path = os.path.join(self.log_dir, HPARAMS_FILE)
        if os.path.isdir(self.log_dir) and not os.path.isfile(path):
            self._save_yaml(path, self.hparams)

    def finalize(self, status: str) -> None:
        self.save()
        if self._writer is not None:
            self._writer.close()

    def _save_yaml(self, path: str, hparams: dict[str, Any]) -> None:
        raise NotImplementedError

    def _versions(self) -> Iterator[int]:
        if os.path.isdir(self.root_dir):
            for entry in os.scandir(self.root_dir):
                found = re.fullmatch(r"version_(\d+)/?", entry.name)
                if found and entry.is_dir():
                    yield int(found[1])


def flat_params(params: Mapping[str, Any], parent: str = "") -> Iterator[tuple[str, Any]]:
    """Nested dictionaries as one with a/b names; what is neither number nor text as its text."""
    for name, value in params.items():
        path = f"{parent}/{name}" if parent else str(name)
        if isinstance(value, Namespace):
            value = vars(value)
        if isinstance(value, Mapping):
            yield from flat_params(value, path)
        elif isinstance(value, bool | int | float | str):
            yield path, value
        else:
            try:
                yield path, to_number(value, path)
            except BadArgument:
                yield path, str(value)


@cache
def logger_class() -> type:
    """A subclass of Lightning's Logger, from the package `lightning` or `pytorch_lightning`; imports it."""
    try:
        from lightning.pytorch.core.saving import save_hparams_to_yaml
        from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
        from lightning.pytorch.utilities import rank_zero_only
    except ImportError:
        from pytorch_lightning.core.saving import save_hparams_to_yaml
        from pytorch_lightning.loggers.logger import Logger, rank_zero_experiment
        from pytorch_lightning.utilities import rank_zero_only

    def save_yaml(path: str, hparams: dict[str, Any]) -> None:
        save_hparams_to_yaml(path, hparams)

    # In distributed training only the first process writes.
    hooks = ("log_metrics", "log_hyperparams", "log_graph", "save", "finalize")
    members: dict[str, Any] = {name: rank_zero_only(getattr(LoggerHooks, name)) for name in hooks}
    members["experiment"] = property(rank_zero_experiment(LoggerHooks.open_writer))
    members["_save_yaml"] = staticmethod(save_yaml)
    members["__module__"] = "runglass.lightning"
    return type("RunglassLogger", (LoggerHooks, Logger), members)
