"""Limits on what one request may ask for, with the same messages everywhere. Reads no data."""

from __future__ import annotations

from runglass.errors import BadRequest


def check_count(count: int, limit: int, *, what: str, where: str) -> None:
    if count > limit:
        raise BadRequest(f"This asks for {count:,} {what}; at most {limit:,} are allowed.", where=where)


def check_range(given: tuple[float, float] | None, *, where: str) -> None:
    if given is not None and given[0] > given[1]:
        raise BadRequest(
            f"`{where}` is {list(given)}; the first number must not exceed the second.", where=where
        )
