"""Parses the locations that a user wants to open. Imports little, because the command needs it before it serves the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from runglass.clickhouse.address import is_database, parse_address
from runglass.errors import BadRequest
from runglass.ingest.roots import LogRoot, name_roots, parse_root, parse_spec


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
    databases = [path for path in paths if is_database(path)]
    if databases and len(paths) > 1:
        raise BadRequest(
            f"{parse_address(databases[0]).shown} is a database, which is opened alone. To bring directories into it: "
            "runglass ingest LOGDIR --to DATABASE.",
            where="logdir",
        )
    if databases:
        return [LogRoot(parse_address(databases[0]).shown, databases[0])]
    return name_roots(parse_spec(spec) if spec else [parse_root(path) for path in paths])
