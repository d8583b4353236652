"""Answers about a trace that several views ask for: computed once, and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from runglass.query.profiles.model import Trace

P = ParamSpec("P")
V = TypeVar("V")


def kept(make: Callable[Concatenate[Trace, P], V]) -> Callable[Concatenate[Trace, P], V]:
    """For functions whose other arguments can be keys. Nobody may change what they give."""
    name = f"{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def found(trace: Trace, /, *args: P.args, **named: P.kwargs) -> V:
        key = name, args, tuple(sorted(named.items()))
        return trace.computed.get(key, lambda: make(trace, *args, **named))

    return found
