"""From a request about one profile to its answer: what is asked is computed, in a thread."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from runglass.api.route import Answer, Later
from runglass.dashboards.profile.loaded import Loaded, known_profiles
from runglass.dashboards.profile.shape import ProfileRef
from runglass.errors import BadRequest
from runglass.query.source import DataSource

LIMIT_PS = (1 << 62) - 1


def ask(source: DataSource, ref: ProfileRef, answer: Callable[[Loaded], Answer | Struct]) -> Later:
    return Later(lambda: answer(known_profiles.of(source).load(source, ref)))


def whole_range(from_ps: float, to_ps: float) -> tuple[int, int]:
    """A range in whole picoseconds."""
    if to_ps < from_ps:
        raise BadRequest("`to_ps` is before `from_ps`.", where="to_ps")
    # Beyond, there is nothing; their difference must fit into 64 bits.
    return max(min(int(from_ps), LIMIT_PS), -LIMIT_PS), max(min(int(to_ps), LIMIT_PS), -LIMIT_PS)
