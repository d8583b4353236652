"""The metadata of the hparams plugin: experiments, and the start and end of sessions."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from runglass.native.wire import Field, Message, decode
from runglass.schema.struct import LIST_VALUE, VALUE, plain_list, plain_value


class SessionOutcome(IntEnum):
    """SessionEndInfo.status."""

    UNKNOWN = 0
    SUCCESS = 1
    FAILURE = 2
    RUNNING = 3


class HParamType(IntEnum):
    UNSET = 0
    STRING = 1
    BOOL = 2
    FLOAT64 = 3


class DatasetType(IntEnum):
    UNKNOWN = 0
    TRAINING = 1
    VALIDATION = 2


EXPERIMENT_TAG = "_hparams_/experiment"
SESSION_START_TAG = "_hparams_/session_start_info"
SESSION_END_TAG = "_hparams_/session_end_info"

INTERVAL = Message("Interval", Field(1, "min_value", "double"), Field(2, "max_value", "double"))
HPARAM_INFO = Message(
    "HParamInfo",
    Field(1, "name", "string"),
    Field(2, "display_name", "string"),
    Field(3, "description", "string"),
    Field(4, "type", "enum"),
    Field(5, "domain_discrete", LIST_VALUE, oneof="domain"),
    Field(6, "domain_interval", INTERVAL, oneof="domain"),
    Field(7, "differs", "bool"),
)
METRIC_NAME = Message("MetricName", Field(1, "group", "string"), Field(2, "tag", "string"))
METRIC_INFO = Message(
    "MetricInfo",
    Field(1, "name", METRIC_NAME),
    Field(3, "display_name", "string"),
    Field(4, "description", "string"),
    Field(5, "dataset_type", "enum"),
)
EXPERIMENT = Message(
    "Experiment",
    Field(1, "description", "string"),
    Field(2, "user", "string"),
    Field(3, "time_created_secs", "double"),
    Field(4, "hparam_infos", HPARAM_INFO, repeated=True),
    Field(5, "metric_infos", METRIC_INFO, repeated=True),
    Field(6, "name", "string"),
)
SESSION_START = Message(
    "SessionStartInfo",
    Field(1, "hparams", VALUE, key="string"),
    Field(2, "model_uri", "string"),
    Field(3, "monitor_url", "string"),
    Field(4, "group_name", "string"),
    Field(5, "start_time_secs", "double"),
)
SESSION_END = Message("SessionEndInfo", Field(1, "status", "enum"), Field(2, "end_time_secs", "double"))
HPARAMS_PLUGIN = Message(
    "HParamsPluginData",
    Field(1, "version", "int32"),
    Field(2, "experiment", EXPERIMENT, oneof="data"),
    Field(3, "session_start_info", SESSION_START, oneof="data"),
    Field(4, "session_end_info", SESSION_END, oneof="data"),
)


def plain_hparams(content: bytes) -> dict[str, Any]:
    """A decoded HParamsPluginData whose values are plain Python. Raises WireError if it is none."""
    data = decode(HPARAMS_PLUGIN, content)
    start = data.get("session_start_info", {})
    if "hparams" in start:
        start["hparams"] = {name: plain_value(value) for name, value in start["hparams"].items()}
    for info in data.get("experiment", {}).get("hparam_infos", []):
        if "domain_discrete" in info:
            info["domain_discrete"] = plain_list(info["domain_discrete"])
    return data
