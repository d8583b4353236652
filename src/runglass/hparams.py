"""`from runglass import hparams as hp`: the calls of tensorboard.plugins.hparams.api, without TensorBoard."""

from __future__ import annotations

from typing import Any

from runglass.writer.calls.hparams_api import (
    Discrete,
    Domain,
    HParam,
    IntInterval,
    Metric,
    RealInterval,
    hparams,
    hparams_config,
    hparams_config_pb,
    hparams_pb,
    keras_callback_class,
)

__all__ = [
    "Discrete",
    "Domain",
    "HParam",
    "IntInterval",
    "Metric",
    "RealInterval",
    "hparams",
    "hparams_config",
    "hparams_config_pb",
    "hparams_pb",
]


def __getattr__(name: str) -> Any:
    # A subclass of a Keras class, so it is made on first use.
    if name == "KerasCallback":
        return keras_callback_class()
    raise AttributeError(f"module 'runglass.hparams' has no attribute {name!r}")
