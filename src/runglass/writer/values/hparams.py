"""Hyperparameters as the bytes of a Summary.Value: what an experiment tunes, and how each session started and ended."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
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
from runglass.writer.values.arrays import to_number, type_name
from runglass.writer.values.summaries import summary_value

HParam = bool | int | float | str

# The plugin keeps its data in the metadata and expects an empty tensor beside it.
NOTHING = np.zeros(0, dtype=np.float32)


def session_start(
    hparams: Mapping[str, HParam | None], *, start_time_s: float, group_name: str | None = None
) -> bytes:
    """Sessions with the same group name are repetitions of one trial. By default the name follows from the hyperparameters;
    with "" the session belongs to no group.

    A hyperparameter that is None is left out.
    """
    plain = plain_hparams(hparams)
    info: dict[str, Any] = {
        "hparams": {name: wire_value(value) for name, value in plain.items()},
        "start_time_secs": start_time_s,
    }
    if group_name != "":
        info["group_name"] = group_name or derived_group_name(plain)
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
    """`domains` maps each hyperparameter to its range, a tuple, or its possible values, a list."""
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
    return {
        "name": name,
        "type": common_type(values),
        "domain_discrete": {"values": [wire_value(value) for value in values]},
    }


def common_type(values: Sequence[HParam]) -> HParamType:
    if all(isinstance(value, bool) for value in values):
        return HParamType.BOOL
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return HParamType.FLOAT64
    return HParamType.STRING


def torch_experiment(
    hparams: Mapping[str, HParam | None], metrics: Sequence[str], domains: Mapping[str, Sequence[HParam]]
) -> bytes:
    """Every hyperparameter of one trial with its type, and with its possible values if they are in `domains`."""
    for name, domain in domains.items():
        if name not in hparams or not isinstance(domain, list | tuple):
            raise BadArgument(
                f"hparam_domain_discrete[{name!r}] must be a list of values for a key of hparam_dict, got {domain!r}.",
                where="hparam_domain_discrete",
            )
    infos = [
        hparam_info(name, list(domains[name]))
        if name in domains
        else {"name": name, "type": common_type([plain_hparam(name, value)])}
        for name, value in hparams.items()
        if value is not None
    ]
    return hparams_value(
        EXPERIMENT_TAG,
        {"experiment": {"hparam_infos": infos, "metric_infos": [{"name": {"tag": tag}} for tag in metrics]}},
    )


def hparams_value(tag: str, data: dict[str, Any]) -> bytes:
    content = encode(HPARAMS_PLUGIN, data)
    return summary_value(tag, NOTHING, plugin="hparams", data_class=DataClass.TENSOR, content=content)


def plain_hparams(hparams: Mapping[str, HParam | None]) -> dict[str, HParam]:
    """Sorted by name; those that are None are left out."""
    for name in hparams:
        if not isinstance(name, str):
            raise BadArgument(f"The name of a hyperparameter must be a str, got {name!r}.")
    return {name: plain_hparam(name, value) for name, value in sorted(hparams.items()) if value is not None}


def plain_hparam(name: str, value: object) -> HParam:
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        raise BadArgument(f"Hyperparameter {name!r} is an integer too large for a float. Log str(value).")
    if isinstance(value, bool | int | float | str) and not isinstance(value, np.generic):
        return value
    if isinstance(value, np.str_):
        return str(value)
    with suppress(BadArgument):
        if not isinstance(value, list | tuple | dict | set | None):
            return to_number(value, f"Hyperparameter {name!r}")
    raise BadArgument(
        f"Hyperparameter {name!r} must be a bool, number or str, got {type_name(value)}. Log str(value)."
    )


def derived_group_name(hparams: Mapping[str, HParam]) -> str:
    """The same name that TensorBoard's API derives, so that sessions of both form one group."""
    text = json.dumps(hparams, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
