"""Declarations of hyperparameters and metrics, and the calls that write them.

Names, arguments and bytes are those of tensorboard.plugins.hparams.api.
"""

from __future__ import annotations

import os
import random
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.hparams import EXPERIMENT_TAG, DatasetType, HParamType, SessionOutcome
from runglass.schema.struct import wire_value
from runglass.schema.summary import SUMMARY
from runglass.writer.calls import tensorflow_bridge
from runglass.writer.calls.default_writer import (
    SummaryFileWriter,
    create_file_writer,
    should_record_summaries,
    state,
)
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.values import hparams as hparam_values

TYPES = {int: HParamType.FLOAT64, float: HParamType.FLOAT64, bool: HParamType.BOOL, str: HParamType.STRING}


class Domain(ABC):
    """The values that a hyperparameter can take.

    >>> RealInterval(0.0, 1.0).sample_uniform()
    """

    @property
    @abstractmethod
    def dtype(self) -> type:
        """float, int, bool or str."""

    @abstractmethod
    def sample_uniform(self, rng: Any = random) -> Any:
        """A random value, all equally likely; `rng` is a random.Random or the module random."""

    @abstractmethod
    def info(self) -> dict[str, Any]:
        """The fields of the domain in an HParamInfo message."""


class Interval(Domain):
    """From `min_value` to `max_value`, both included."""

    def __init__(self, min_value: Any, max_value: Any) -> None:
        if min_value > max_value:
            raise BadArgument(f"min_value {min_value} is above max_value {max_value}.", where="min_value")
        self._min_value = min_value
        self._max_value = max_value

    @property
    def min_value(self) -> Any:
        return self._min_value

    @property
    def max_value(self) -> Any:
        return self._max_value

    def info(self) -> dict[str, Any]:
        interval = {"min_value": float(self._min_value), "max_value": float(self._max_value)}
        return {"type": HParamType.FLOAT64, "domain_interval": interval}

    def __str__(self) -> str:
        return f"[{self._min_value}, {self._max_value}]"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._min_value!r}, {self._max_value!r})"


class IntInterval(Interval):
    """Whole numbers from `min_value` to `max_value`, both included.

    >>> HParam("layers", IntInterval(1, 8))
    """

    def __init__(self, min_value: int, max_value: int) -> None:
        for name, value in (("min_value", min_value), ("max_value", max_value)):
            if not isinstance(value, int):
                raise BadArgument(f"{name} of an IntInterval must be an int, got {value!r}.", where=name)
        super().__init__(min_value, max_value)

    @property
    def dtype(self) -> type:
        return int

    def sample_uniform(self, rng: Any = random) -> int:
        return int(rng.randint(self._min_value, self._max_value))


class RealInterval(Interval):
    """Numbers from `min_value` to `max_value`, both included.

    >>> HParam("dropout", RealInterval(0.0, 0.5))
    """

    def __init__(self, min_value: float, max_value: float) -> None:
        for name, value in (("min_value", min_value), ("max_value", max_value)):
            if not isinstance(value, int | float):
                raise BadArgument(f"{name} of a RealInterval must be a float, got {value!r}.", where=name)
        super().__init__(float(min_value), float(max_value))

    @property
    def dtype(self) -> type:
        return float

    def sample_uniform(self, rng: Any = random) -> float:
        return float(rng.uniform(self._min_value, self._max_value))


class Discrete(Domain):
    """Some values of one type, sorted. Without values `dtype` is required.

    >>> HParam("optimizer", Discrete(["adam", "sgd"]))
    """

    def __init__(self, values: Iterable[Any], dtype: type | None = None) -> None:
        self._values = list(values)
        if dtype is None:
            if not self._values:
                raise BadArgument(
                    "A Discrete without values needs a dtype: int, float, bool or str.", where="dtype"
                )
            dtype = type(self._values[0])
        if dtype not in TYPES:
            raise BadArgument(f"dtype must be int, float, bool or str, got {dtype.__name__}.", where="dtype")
        for value in self._values:
            if not isinstance(value, dtype):
                raise BadArgument(
                    f"Every value must be of type {dtype.__name__}, got {value!r}.", where="values"
                )
        self._dtype = dtype
        self._values.sort()

    @property
    def dtype(self) -> type:
        return self._dtype

    @property
    def values(self) -> list[Any]:
        return list(self._values)

    def sample_uniform(self, rng: Any = random) -> Any:
        return rng.choice(self._values)

    def info(self) -> dict[str, Any]:
        values = [wire_value(value) for value in self._values]
        return {"type": TYPES[self._dtype], **given(domain_discrete=values and {"values": values})}

    def __str__(self) -> str:
        return f"{{{', '.join(repr(value) for value in self._values)}}}"

    def __repr__(self) -> str:
        return f"Discrete({self._values!r})"


class HParam:
    """A hyperparameter. It is equal only to itself, so that it can be a key of a dict.

    >>> HParam("lr", RealInterval(1e-4, 1e-1))
    """

    def __init__(
        self,
        name: str,
        domain: Domain | None = None,
        display_name: str | None = None,
        description: str | None = None,
    ) -> None:
        if not isinstance(domain, Domain | None):
            raise BadArgument(
                f"domain of HParam {name!r} must be a Discrete, IntInterval or RealInterval, got {domain!r}.",
                where="domain",
            )
        self._name = name
        self._domain = domain
        self._display_name = display_name
        self._description = description

    @property
    def name(self) -> str:
        return self._name

    @property
    def domain(self) -> Domain | None:
        return self._domain

    @property
    def display_name(self) -> str | None:
        return self._display_name

    @property
    def description(self) -> str | None:
        return self._description

    def info(self) -> dict[str, Any]:
        """An HParamInfo message."""
        texts = given(name=self._name, display_name=self._display_name, description=self._description)
        return {**texts, **(self._domain.info() if self._domain else {})}

    def __str__(self) -> str:
        return f"<HParam {self._name!r}: {self._domain}>"

    def __repr__(self) -> str:
        return (
            f"HParam(name={self._name!r}, domain={self._domain!r}, "
            f"display_name={self._display_name!r}, description={self._description!r})"
        )


class Metric:
    """A scalar tag for comparing sessions; `group` is the subdirectory of the session that holds it.

    >>> Metric("accuracy", display_name="Accuracy")
    """

    TRAINING: ClassVar = DatasetType.TRAINING
    VALIDATION: ClassVar = DatasetType.VALIDATION

    def __init__(
        self,
        tag: str,
        group: str | None = None,
        display_name: str | None = None,
        description: str | None = None,
        dataset_type: int | None = None,
    ) -> None:
        if dataset_type not in (None, Metric.TRAINING, Metric.VALIDATION):
            raise BadArgument(
                f"dataset_type must be Metric.TRAINING, Metric.VALIDATION or None, got {dataset_type!r}.",
                where="dataset_type",
            )
        self._name = given(group=group, tag=tag)
        self._info = given(display_name=display_name, description=description, dataset_type=dataset_type)

    def info(self) -> dict[str, Any]:
        """A MetricInfo message."""
        return {"name": self._name, **self._info}


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not empty: on the wire, an empty field equals a missing one."""
    return {name: value for name, value in fields.items() if value}


def hparams(
    hparams: Mapping[Any, Any],
    trial_id: str | None = None,
    start_time_secs: float | None = None,
    *,
    writer: Any = None,
) -> bool:
    """Writes the values of one session to the default writer of runglass.summary, or to `writer`; returns whether it did.

    Keys are names or HParam objects. Sessions with the same `trial_id`, or without one with equal values, are repetitions
    of one trial.

    >>> with summary.create_file_writer("logs/trial").as_default():
    ...     hparams.hparams({"lr": 0.1})
    """
    return write_value(hparams_value(hparams, trial_id, start_time_secs), writer)


def hparams_pb(
    hparams: Mapping[Any, Any], trial_id: str | None = None, start_time_secs: float | None = None
) -> bytes:
    """The same as the bytes of a Summary message.

    >>> hparams.hparams_pb({"lr": 0.1})
    """
    return encode(SUMMARY, {"value": [hparams_value(hparams, trial_id, start_time_secs)]})


def hparams_value(hparams: Mapping[Any, Any], trial_id: str | None, start_time_secs: float | None) -> bytes:
    if not isinstance(trial_id, str | None):
        raise BadArgument(f"trial_id must be a str, got {trial_id!r}.", where="trial_id")
    named: dict[str, Any] = {}
    for key, value in hparams.items():
        name = key.name if isinstance(key, HParam) else key
        if name in named:
            raise BadArgument(f"Hyperparameter {name!r} has two values; pass one.", where="hparams")
        named[name] = value
    return hparam_values.session_start(
        named,
        start_time_s=time.time() if start_time_secs is None else start_time_secs,
        group_name=trial_id,
    )


def hparams_config(
    hparams: Sequence[HParam],
    metrics: Sequence[Metric],
    time_created_secs: float | None = None,
    *,
    writer: Any = None,
) -> bool:
    """Writes what an experiment varies and measures, once, to the directory above its sessions; returns whether it did.

    >>> hparams.hparams_config(hparams=[HParam("lr")], metrics=[Metric("accuracy")])
    """
    return write_value(config_value(hparams, metrics, time_created_secs), writer)


def hparams_config_pb(
    hparams: Sequence[HParam], metrics: Sequence[Metric], time_created_secs: float | None = None
) -> bytes:
    """The same as the bytes of a Summary message.

    >>> hparams.hparams_config_pb(hparams=[HParam("lr")], metrics=[Metric("accuracy")])
    """
    return encode(SUMMARY, {"value": [config_value(hparams, metrics, time_created_secs)]})


def config_value(
    hparams: Sequence[HParam], metrics: Sequence[Metric], time_created_secs: float | None
) -> bytes:
    experiment = {
        "hparam_infos": [each.info() for each in hparams],
        "metric_infos": [each.info() for each in metrics],
        # As in TensorBoard, left out unless given.
        **given(time_created_secs=time_created_secs),
    }
    return hparam_values.hparams_value(EXPERIMENT_TAG, {"experiment": experiment})


def write_value(value: bytes, writer: Any) -> bool:
    if writer is None:
        if state.writer is None and has_tensorflow_writer():
            warn_of_tensorflow_writer()
        if state.writer is None or not should_record_summaries():
            return False
        writer = state.writer
    events_of(writer).add_values([value], 0)
    return True


def has_tensorflow_writer() -> bool:
    """Whether tf.summary would record now."""
    tensorflow = tensorflow_bridge.loaded_tensorflow()
    return (
        tensorflow is not None
        and tensorflow.executing_eagerly()
        and bool(tensorflow.summary.should_record_summaries())
    )


# Once: a search has many sessions.
@cache
def warn_of_tensorflow_writer() -> None:
    warnings.warn(
        "The hyperparameters are not written: the default writer is TensorFlow's. Make it with "
        "runglass.summary.create_file_writer, or pass such a writer, or a runglass.SummaryWriter, as writer=.",
        stacklevel=4,
    )


def events_of(writer: Any) -> EventWriter:
    """The event writer behind any of our writers."""
    events = writer if hasattr(writer, "add_values") else getattr(writer, "events", None)
    if events is None:
        raise BadArgument(
            "writer must be a runglass.SummaryWriter or a writer of runglass.summary.create_file_writer, "
            f"got {type(writer).__name__}.",
            where="writer",
        )
    found: EventWriter = events
    return found


class SessionHooks:
    """The hooks of the Keras callback; does not import Keras."""

    def __init__(
        self,
        writer: str | os.PathLike[str] | SummaryFileWriter | EventWriter | Any,
        hparams: Mapping[Any, Any],
        trial_id: str | None = None,
    ) -> None:
        super().__init__()
        # Checks the hyperparameters now, before a model is built; the result is not needed.
        hparams_value(hparams, trial_id, None)
        self._hparams = dict(hparams)
        self._trial_id = trial_id
        self._owned = create_file_writer(writer) if isinstance(writer, str | os.PathLike) else None
        self._events = events_of(self._owned or writer)

    def on_train_begin(self, logs: Any = None) -> None:
        hparams(self._hparams, self._trial_id, writer=self._events)

    def on_train_end(self, logs: Any = None) -> None:
        end = hparam_values.session_end(SessionOutcome.SUCCESS, end_time_s=time.time())
        self._events.add_values([end], 0)
        if self._owned is not None:
            self._owned.close()
        else:
            self._events.flush()


@cache
def keras_callback_class() -> type:
    """A subclass of keras.callbacks.Callback; imports Keras."""
    import keras

    return type("KerasCallback", (SessionHooks, keras.callbacks.Callback), {"__module__": "runglass.hparams"})
