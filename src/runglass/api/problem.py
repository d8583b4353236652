"""What went wrong, as clients see it everywhere: in answers to failed requests and on jobs that failed."""

from __future__ import annotations

from msgspec import Struct

from runglass.errors import RunglassError


class Problem(Struct, frozen=True):
    code: str
    message: str
    # The run, file, parameter or header at fault.
    where: str | None


def describe_problem(error: RunglassError) -> Problem:
    return Problem(error.code, error.message, error.where)
