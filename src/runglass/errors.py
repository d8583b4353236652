"""The errors that several layers raise, each with a stable code and an HTTP status. A layer's own errors are defined there.

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


class BadRequest(RunglassError):
    """An invalid request or flag."""

    code = "bad_request"
    http_status = 400


class RunUnknown(RunglassError):
    code = "run_unknown"
    http_status = 404


class SeriesUnknown(RunglassError):
    code = "series_unknown"
    http_status = 404


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


class PortTaken(RunglassError):
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
