"""The errors that users of Runglass can catch, each with a stable code and an HTTP status. Those of HTTP itself are in server/.

A message says where, what was found against what was expected, what it means, and what to do.
"""

from __future__ import annotations


class RunglassError(Exception):
    """Base of all errors whose text is meant for the user."""

    code = "internal"
    http_status = 500

    def __init__(self, message: str, *, where: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where

    # Not KeyError's, which would put the message in quotes.
    def __str__(self) -> str:
        return self.message


class BadRequest(RunglassError):
    """An invalid request or flag."""

    code = "bad_request"
    http_status = 400


class NameUnknown(RunglassError, KeyError):
    """A name that is not there. How all names are listed depends on who asks: over HTTP or in Python."""

    http_status = 404
    http_list = ""
    python_list = ""

    def __init__(self, message: str, *, where: str | None = None, has_list: bool = False) -> None:
        """`has_list`: there are names to list."""
        super().__init__(message, where=where)
        self.has_list = has_list

    def __str__(self) -> str:
        return f"{self.message} {self.python_list}" if self.has_list and self.python_list else self.message


class RunUnknown(NameUnknown):
    """A run that is not there; the message has the closest names."""

    code = "run_unknown"
    http_list = "GET api/runs lists all runs."
    python_list = "log.runs lists all runs."


class SeriesUnknown(NameUnknown):
    """A tag that the run does not have; the message has the closest ones."""

    code = "series_unknown"
    http_list = "GET api/tags lists all tags."
    python_list = "log.tags(run) lists all tags."


class GraphUnknown(NameUnknown):
    """A graph, or a node of one, that is not there."""

    code = "graph_unknown"


class EmbeddingUnknown(NameUnknown):
    """An embedding that is not there, or one of its steps."""

    code = "embedding_unknown"


class ProfileUnknown(NameUnknown):
    """A profile that is not there, or one of its tracks or events."""

    code = "profile_unknown"


class SampleGone(RunglassError):
    """A value that is no longer in its series."""

    code = "sample_gone"
    http_status = 404


class AssetGone(RunglassError):
    """A file of a run that was listed, or that another file names, and that is not there."""

    code = "asset_gone"
    http_status = 404


class AssetChanged(RunglassError):
    """A file of a run that is another one now, or has other bytes, than when it was listed or opened."""

    code = "asset_changed"
    http_status = 409


class AssetRefused(RunglassError):
    """A file that a run may not read: outside its directory, not a regular file, or without permission."""

    code = "asset_refused"
    http_status = 403


class Forbidden(RunglassError):
    """A missing or wrong token, or a Host or Origin that this server does not answer."""

    code = "forbidden"
    http_status = 403


class TooLarge(RunglassError):
    """A request body or query over its size limit."""

    code = "too_large"
    http_status = 413


class ValueDamaged(RunglassError):
    """A stored value whose bytes fail their checksum or cannot be decoded."""

    code = "value_damaged"
    http_status = 422


class GraphDamaged(RunglassError):
    """Bytes that hold no graph."""

    code = "graph_damaged"
    http_status = 422


class EmbeddingDamaged(RunglassError):
    """Files that hold no vectors."""

    code = "embedding_damaged"
    http_status = 422


class ProfileDamaged(RunglassError):
    """Files that hold no trace."""

    code = "profile_damaged"
    http_status = 422


class ProfileNotOpen(RunglassError):
    """A trace that must be converted first: that is a job."""

    code = "profile_not_open"
    http_status = 409


class ExpressionError(BadRequest):
    """A text that is not a valid expression; the message names the column."""


class SqlError(BadRequest):
    """An SQL query that the engine refuses, or that asks for more than it may."""

    code = "sql_error"


class PortTaken(RunglassError):
    """A port that another program listens on."""

    code = "port_taken"


class BadArgument(RunglassError, ValueError):
    """A wrong argument to a writer or reader call, naming the argument and the fix."""

    code = "bad_argument"
    http_status = 400


class WorkUnknown(RunglassError):
    """The name of a work that no dashboard declares."""

    code = "work_unknown"
    http_status = 404


class JobUnknown(RunglassError):
    """An id without a running job and without a cached result."""

    code = "job_unknown"
    http_status = 404


class JobNotDone(RunglassError):
    """The result of a job that is still running or was cancelled."""

    code = "job_not_done"
    http_status = 409


class JobStalled(RunglassError):
    """A job whose code made no call for longer than its work allows."""

    code = "job_stalled"


class JobMemory(RunglassError):
    """A job that takes, or is estimated to take, more memory than it may."""

    code = "job_memory"


class JobProcessDied(RunglassError):
    """A worker process that ended before its result, or could not be started."""

    code = "job_process_died"
