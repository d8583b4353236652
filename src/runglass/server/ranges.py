"""Which part of a body a Range header asks for. Several ranges at once are answered with the whole body, as HTTP allows."""

from __future__ import annotations

import re

from runglass.server.problems import RangeNotSatisfiable

RANGE = re.compile(r"\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*", re.ASCII)


def parse_range(header: str | None, size_bytes: int) -> range | None:
    """None: all of it. Raises RangeNotSatisfiable for a range behind the end."""
    found = RANGE.fullmatch(header or "")
    if found is None or not any(found.groups()):
        return None
    # More digits than any size has.
    first, last = (each[:20] for each in found.groups())
    if not first:
        start, stop = max(0, size_bytes - int(last)), size_bytes
    else:
        start, stop = int(first), min(size_bytes, int(last) + 1 if last else size_bytes)
        if last and int(last) < start:
            return None
    if start >= stop:
        raise RangeNotSatisfiable(
            f"There are {size_bytes:,} bytes; the range {header!r} has none of them.",
            where="range",
            size_bytes=size_bytes,
        )
    return range(start, stop)
