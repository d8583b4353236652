"""Hyperparameters as the bytes of a Summary.Value: what is tuned, and how each session started and ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.hparams import (
    EXPERIMENT_TAG,
    HPARAMS_PLUGIN,
    SESSION_END_TAG,
    SESSION_START_TAG,
    HParamType,
    SessionOutcome,
)
from runglass.schema.struct import wire_value
from runglass.schema.summary import DataClass
from runglass.writer.summaries import summary_value

HParam = bool | int | float | str

# The plugin keeps its data in the metadata and wants a tensor beside it that holds nothing.
NOTHING = np.zeros(0, dtype=np.float32)


def session_start(
    hparams: Mapping[str, HParam], *, start_time_s: float, group_name: str | None = None
) -> bytes:
    """Sessions with one group name are repetitions of one trial; by default those with equal hyperparameters."""
    plain = {name: plain_hparam(name, value) for name, value in sorted(hparams.items())}
    info = {
        "hparams": {name: wire_value(value) for name, value in plain.items()},
        "group_name": group_name or derived_group_name(plain),
        "start_time_secs": start_time_s,
    }
    return hparams_value(SESSION_START_TAG, {"session_start_info": info})


def session_end(outcome: SessionOutcome, *, end_time_s: float) -> bytes:
    return hparams_value(
        SESSION_END_TAG, {"session_end_info": {"status": outcome, "end_time_secs": end_time_s}}
    )


def experiment(
    domains: Mapping[str, Sequence[HParam] | tuple[float, float]],
    metrics: Sequence[str],
    *,
    description: str = "",
    time_created_s: float = 0.0,
) -> bytes:
    """`domains` names every hyperparameter with its range, a tuple, or its possible values, a list."""
    info: dict[str, Any] = {
        "hparam_infos": [hparam_info(name, domain) for name, domain in domains.items()],
        "metric_infos": [{"name": {"tag": tag}} for tag in metrics],
    }
    if description:
        info["description"] = description
    if time_created_s:
        info["time_created_secs"] = time_created_s
    return hparams_value(EXPERIMENT_TAG, {"experiment": info})


def hparam_info(name: str, domain: Sequence[HParam]) -> dict[str, Any]:
    if isinstance(domain, tuple):
        low, high = domain
        interval = {"min_value": float(low), "max_value": float(high)}
        return {"name": name, "type": HParamType.FLOAT64, "domain_interval": interval}
    values = [plain_hparam(name, value) for value in domain]
    if all(isinstance(value, bool) for value in values):
        kind = HParamType.BOOL
    elif all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        kind = HParamType.FLOAT64
    else:
        kind = HParamType.STRING
    return {
        "name": name,
        "type": kind,
        "domain_discrete": {"values": [wire_value(value) for value in values]},
    }


def hparams_value(tag: str, data: dict[str, Any]) -> bytes:
    content = encode(HPARAMS_PLUGIN, data)
    return summary_value(tag, NOTHING, plugin="hparams", data_class=DataClass.TENSOR, content=content)


def plain_hparam(name: str, value: object) -> HParam:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool | int | float | str):
        return plain
    raise BadArgument(f"Hyperparameter {name!r} must be a bool, number or str, got {type(value).__name__}.")


def derived_group_name(hparams: Mapping[str, HParam]) -> str:
    """The name that TensorBoard's own API derives, so that sessions from both fall into one group."""
    text = json.dumps(hparams, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
