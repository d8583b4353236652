"""Turns every error of a request into one JSON shape: `{"error": {"code", "message", "where"}}`.

Errors of HTTP itself are defined here; those about data are in runglass.errors.
"""

from __future__ import annotations

import logging
import os

import msgspec

from runglass.api.route import encode_json
from runglass.errors import RunglassError

logger = logging.getLogger("runglass")


class Problem(msgspec.Struct, frozen=True):
    code: str
    message: str
    # The run, file, parameter or header at fault.
    where: str | None


class ErrorAnswer(msgspec.Struct, frozen=True):
    error: Problem


class NotFound(RunglassError):
    code = "not_found"
    http_status = 404


class MethodNotAllowed(RunglassError):
    code = "method_not_allowed"
    http_status = 405

    def __init__(self, message: str, *, where: str, allow: str) -> None:
        super().__init__(message, where=where)
        self.allow = allow


def check_method(method: str, allowed: str, path: str) -> None:
    """A route has one method; a GET route also answers HEAD."""
    if method != allowed and not (method == "HEAD" and allowed == "GET"):
        allow = "GET, HEAD" if allowed == "GET" else allowed
        raise MethodNotAllowed(f"{path} takes {allowed}, not {method}.", where=path, allow=allow)


class PageMissing(RunglassError):
    code = "page_missing"
    http_status = 503


def encode_problem(error: Exception) -> tuple[int, bytes]:
    """HTTP status and body. An unexpected error is logged, and the user gets the number of the log entry."""
    if isinstance(error, RunglassError):
        problem = Problem(error.code, error.message, error.where)
        return error.http_status, encode_json(ErrorAnswer(problem))
    number = os.urandom(4).hex()
    logger.error("Internal error %s", number, exc_info=error)
    message = f"The server failed on this request. Its log has the reason; search for {number}."
    return 500, encode_json(ErrorAnswer(Problem("internal", message, number)))
