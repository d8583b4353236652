"""Parses the locations that a user wants to open. Imports little, because the command needs it before it serves the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from runglass.ingest.roots import name_roots, parse_root, parse_spec


class Location(Protocol):
    """A place to open."""

    @property
    def shown(self) -> str:
        """As the user wrote it."""
        ...

    @property
    def path(self) -> str:
        """A path, or an address with its credentials."""
        ...

    @property
    def name(self) -> str:
        """Prefix of its run names; "" for none."""
        ...


def is_local(location: Location) -> bool:
    """Whether it is a path, which can be looked at without opening it."""
    return "://" not in location.path


def parse_locations(paths: Sequence[str], *, spec: str = "") -> Sequence[Location]:
    """Parse `paths`, or with `spec` TensorBoard's `name:path,name2:path2`. Raises BadRequest."""
    return name_roots(parse_spec(spec) if spec else [parse_root(path) for path in paths])
