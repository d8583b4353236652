"""Turns every error of a request into one JSON shape: `{"error": {"code", "message", "where"}}`.

Errors of HTTP itself are defined here; those about data are in runglass.errors.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection

import msgspec

from runglass.api.problem import Problem, describe_problem
from runglass.api.route import encode_json
from runglass.errors import RunglassError

logger = logging.getLogger("runglass")


class ErrorAnswer(msgspec.Struct, frozen=True):
    # What went wrong.
    error: Problem


class NotFound(RunglassError):
    code = "not_found"
    http_status = 404


class ProjectUnknown(RunglassError):
    """A project that is not there, or not for who asks."""

    code = "project_unknown"
    http_status = 404


class MethodNotAllowed(RunglassError):
    code = "method_not_allowed"
    http_status = 405

    def __init__(self, message: str, *, where: str, allow: str) -> None:
        super().__init__(message, where=where)
        self.allow = allow


def check_method(method: str, allowed: Collection[str], path: str) -> str:
    """The method whose route answers: a GET route also answers HEAD."""
    wanted = "GET" if method == "HEAD" else method
    if wanted not in allowed:
        allow = ", ".join(
            each for name in allowed for each in (("GET", "HEAD") if name == "GET" else (name,))
        )
        raise MethodNotAllowed(f"{path} takes {' or '.join(allowed)}, not {method}.", where=path, allow=allow)
    return wanted


class RangeNotSatisfiable(RunglassError):
    code = "range_not_satisfiable"
    http_status = 416

    def __init__(self, message: str, *, where: str, size_bytes: int) -> None:
        super().__init__(message, where=where)
        self.size_bytes = size_bytes


class Stopping(RunglassError):
    code = "stopping"
    http_status = 503


class PageMissing(RunglassError):
    code = "page_missing"
    http_status = 503


def encode_problem(error: Exception) -> tuple[int, bytes]:
    """HTTP status and body. An unexpected error is logged, and the user gets the number of the log entry."""
    if isinstance(error, RunglassError):
        return error.http_status, encode_json(ErrorAnswer(describe_problem(error)))
    number = os.urandom(4).hex()
    logger.error("Internal error %s", number, exc_info=error)
    message = f"The server failed on this request. Its log has the reason; search for {number}."
    return 500, encode_json(ErrorAnswer(Problem("internal", message, number)))
