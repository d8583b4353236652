"""What a user names to be opened. Light: the command parses locations before the page is served."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from runglass.ingest.roots import name_roots, parse_root, parse_spec


class Location(Protocol):
    """A place that a user named."""

    @property
    def shown(self) -> str:
        """As the user wrote it."""
        ...

    @property
    def path(self) -> str: ...

    @property
    def name(self) -> str:
        """What the names of its runs begin with; "" for nothing."""
        ...


def parse_locations(paths: Sequence[str], *, spec: str = "") -> Sequence[Location]:
    """What to open: `paths`, or with `spec` TensorBoard's `name:path,name2:path2`. Raises BadRequest."""
    return name_roots(parse_spec(spec) if spec else [parse_root(path) for path in paths])
