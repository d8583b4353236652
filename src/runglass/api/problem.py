"""What went wrong, as clients see it everywhere: in answers to failed requests and on jobs that failed."""

from __future__ import annotations

from msgspec import Struct

from runglass.errors import NameUnknown, RunglassError


class Problem(Struct, frozen=True):
    code: str
    message: str
    # The run, file, parameter or header at fault.
    where: str | None


def describe_problem(error: RunglassError) -> Problem:
    message = error.message
    if isinstance(error, NameUnknown) and error.has_list and error.http_list:
        message = f"{message} {error.http_list}"
    return Problem(error.code, message, error.where)
