"""A logger for PyTorch Lightning with the directories and tags of its TensorBoardLogger."""

from __future__ import annotations

import os
import re
import warnings
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from runglass.errors import BadArgument
from runglass.writer.files.sinks import file_system, local_path
from runglass.writer.values.arrays import to_number

# The metric of a session if the training names none; -1 means that it has no value.
DEFAULT_METRIC = "hp_metric"


class LoggerHooks:
    """Logs a Lightning training, with the directories, tags and arguments of Lightning's TensorBoardLogger.

        trainer = Trainer(logger=RunglassLogger("logs", name="digits"))

    `version`: by default the next free number; the run is `save_dir/name/version_0`. `log_graph` needs `example_input_array` on the
    module. `default_hp_metric`: log `hp_metric` for hyperparameters without metrics. `prefix`: what tags begin with. `sub_dir`: a
    directory below the version. Other arguments go to runglass.SummaryWriter, which is `logger.experiment`.
    """

    # A mixin for lightning.pytorch.loggers.Logger.

    NAME_HPARAMS_FILE = "hparams.yaml"
    LOGGER_JOIN_CHAR = "-"

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
        """`save_dir` may be any URL that fsspec knows. `kwargs` go to runglass.SummaryWriter."""
        super().__init__()
        # At once, so that log, versions and checkpoints share one place.
        self._save_dir = os.path.expanduser(os.path.expandvars(save_dir))
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
        """The directory of the versions of this experiment."""
        return join_expanded(self._save_dir, self._name)

    @property
    def version(self) -> int | str:
        """The given version, or one more than the highest that exists."""
        if self._version is None:
            found = (re.fullmatch(r"version_(\d+)", name) for name in folders_in(self.root_dir))
            self._version = 1 + max((int(each[1]) for each in found if each), default=-1)
        return self._version

    @property
    def sub_dir(self) -> str | None:
        return self._sub_dir

    @property
    def log_dir(self) -> str:
        version = self.version if isinstance(self.version, str) else f"version_{self.version}"
        return join_expanded(self.root_dir, version, self._sub_dir or "")

    def open_writer(self) -> Any:
        if self._writer is None:
            from runglass.writer.calls.summary_writer import SummaryWriter

            self._writer = SummaryWriter(self.log_dir, **self._writer_arguments)
        return self._writer

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        writer = self.open_writer()
        for name, value in metrics.items():
            tag = f"{self._prefix}{self.LOGGER_JOIN_CHAR}{name}" if self._prefix else name
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
            # A version is one run, also if a callback logs more of its parameters later.
            self.open_writer().add_hparams(
                dict(flat_params(named)), dict(metrics), run_name="", global_step=step or 0
            )

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        if not self._is_graph_logged:
            return
        inputs = getattr(model, "example_input_array", None) if input_array is None else input_array
        if inputs is None:
            warnings.warn(
                "The graph of the model is not logged. Tracing it needs an input: set "
                "example_input_array on the LightningModule.",
                stacklevel=2,
            )
            return
        writer = self.open_writer()
        try:
            # As Lightning does with a batch: moves it to the device of the model.
            for hook in ("_on_before_batch_transfer", "_apply_batch_transfer_handler"):
                inputs = getattr(model, hook, unchanged)(inputs)
            with self._tracing():
                writer.add_graph(model, inputs)
        except Exception as error:
            # This runs hooks and forward of the module, which may raise anything.
            warnings.warn(f"The graph of the model is not logged. {str(error) or repr(error)}", stacklevel=2)

    def save(self) -> None:
        """Writes the hyperparameters as YAML beside the log, where Lightning finds them when it loads a checkpoint."""
        if self._writer is not None:
            self._writer.flush()
        if lacks_file(self.log_dir, self.NAME_HPARAMS_FILE):
            directory = local_path(self.log_dir) or self.log_dir
            self._save_yaml(os.path.join(directory, self.NAME_HPARAMS_FILE), self.hparams)

    def finalize(self, status: str) -> None:
        self.save()
        if self._writer is not None:
            self._writer.close()

    def _save_yaml(self, path: str, hparams: dict[str, Any]) -> None:
        raise NotImplementedError

    def _tracing(self) -> AbstractContextManager[Any]:
        """Inside, a LightningModule without a trainer can be traced, such as one inside another module."""
        return nullcontext()


def unchanged(value: Any) -> Any:
    return value


def join_expanded(*parts: str) -> str:
    """The parts that are not empty, joined, with environment variables replaced."""
    return os.path.expandvars(os.path.join("", *filter(None, parts)))


def folders_in(directory: str) -> list[str]:
    """Names of the folders in a directory, by path or URL; empty if it does not exist."""
    path = local_path(directory)
    if path is not None:
        return [each.name for each in os.scandir(path) if each.is_dir()] if os.path.isdir(path) else []
    filesystem, root = file_system(directory)
    # Other processes may have written since the last listing.
    filesystem.invalidate_cache(root)
    listed = filesystem.ls(root, detail=True) if filesystem.isdir(root) else []
    return [each["name"].rstrip("/").rpartition("/")[2] for each in listed if each["type"] == "directory"]


def lacks_file(directory: str, name: str) -> bool:
    """Whether the directory, a path or URL, exists and has no file of this name."""
    path = local_path(directory)
    if path is not None:
        return os.path.isdir(path) and not os.path.isfile(os.path.join(path, name))
    filesystem, root = file_system(directory)
    return filesystem.isdir(root) and not filesystem.isfile(f"{root}/{name}")


def flat_params(params: Mapping[str, Any], parent: str = "") -> Iterator[tuple[str, Any]]:
    """Nested dicts as one with a/b names; values that are neither a number nor a str as str."""
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
    """A subclass of Lightning's Logger. Imports the package `lightning` or `pytorch_lightning`."""
    try:
        from lightning.pytorch.core import module
        from lightning.pytorch.core.saving import save_hparams_to_yaml
        from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
        from lightning.pytorch.utilities import rank_zero_only
    except ImportError:
        from pytorch_lightning.core import module
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
    members["_tracing"] = staticmethod(getattr(module, "_jit_is_scripting", nullcontext))
    members["__module__"] = "runglass.lightning"
    members["__doc__"] = LoggerHooks.__doc__
    return type("RunglassLogger", (LoggerHooks, Logger), members)
