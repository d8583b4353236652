"""Regular expressions that users write: read, or why not. Looking for one may take forever: see api/matching.py."""

from __future__ import annotations

import re

from runglass.errors import BadRequest

MAX_PATTERN = 1_000
# What reading one raises: it is wrong, nested too deep, or repeats too often.
UNREADABLE = (re.error, RecursionError, OverflowError)


def compile_pattern(q: str, *, flags: int = re.IGNORECASE, where: str = "q") -> re.Pattern[str]:
    if len(q) > MAX_PATTERN:
        raise BadRequest(
            f"The pattern has {len(q):,} characters; at most {MAX_PATTERN:,} are allowed.", where=where
        )
    try:
        return re.compile(q, flags)
    except UNREADABLE as error:
        raise BadRequest(f"This is not a regular expression: {error}.", where=where) from None
