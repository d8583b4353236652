"""Event, the message in every record of an event file. Graphs and run metadata stay bytes here."""

from __future__ import annotations

from enum import IntEnum

from runglass.native.wire import Field, Message
from runglass.schema.summary import SUMMARY

FILE_VERSION = "brain.Event:2"


class SessionStatus(IntEnum):
    UNSPECIFIED = 0
    START = 1
    STOP = 2
    CHECKPOINT = 3


class LogLevel(IntEnum):
    UNKNOWN = 0
    DEBUGGING = 10
    INFO = 20
    WARN = 30
    ERROR = 40
    FATAL = 50


SOURCE_METADATA = Message("SourceMetadata", Field(1, "writer", "string"))
LOG_MESSAGE = Message("LogMessage", Field(1, "level", "enum"), Field(2, "message", "string"))
SESSION_LOG = Message(
    "SessionLog",
    Field(1, "status", "enum"),
    Field(2, "checkpoint_path", "string"),
    Field(3, "msg", "string"),
)
TAGGED_RUN_METADATA = Message(
    "TaggedRunMetadata", Field(1, "tag", "string"), Field(2, "run_metadata", "bytes")
)
EVENT = Message(
    "Event",
    Field(1, "wall_time", "double"),
    Field(2, "step", "int64"),
    Field(3, "file_version", "string", oneof="what"),
    Field(4, "graph_def", "bytes", oneof="what"),
    Field(5, "summary", SUMMARY, oneof="what"),
    Field(6, "log_message", LOG_MESSAGE, oneof="what"),
    Field(7, "session_log", SESSION_LOG, oneof="what"),
    Field(8, "tagged_run_metadata", TAGGED_RUN_METADATA, oneof="what"),
    Field(9, "meta_graph_def", "bytes", oneof="what"),
    Field(10, "source_metadata", SOURCE_METADATA),
)
