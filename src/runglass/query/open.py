"""Opens logs: the only place that makes a DataSource, from directories here and elsewhere. Callers never see its class."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from runglass.clickhouse.address import is_database, parse_address
from runglass.errors import BadRequest
from runglass.ingest.remote.locations import RemoteLocations
from runglass.ingest.roots import LogRoot
from runglass.ingest.watch import LogdirWatch
from runglass.machine import cache_folder
from runglass.query.local import LocalSource
from runglass.query.locations import Location, is_local
from runglass.query.source import Capability, DataSource
from runglass.store.budget import MemoryBudget, default_budget_bytes
from runglass.store.stage import Store


class OpenLogs(Protocol):
    """A source, and how to keep it up to date."""

    @property
    def source(self) -> DataSource: ...

    def list_missing(self) -> list[str]:
        """Locations that do not exist, as the user wrote them."""
        ...

    def list_unreadable(self) -> dict[str, str]:
        """Directories that the last walk could not list, with the reason."""
        ...

    def load(self) -> None:
        """Bring the source up to date before returning."""
        ...

    def start(self) -> None:
        """Keep the source up to date in the background, until `stop`."""
        ...

    def stop(self) -> None: ...


def open_logs(
    locations: Sequence[Location],
    *,
    reload_interval_s: float = 0.0,
    threads: int | None = None,
    memory_budget_bytes: int | None = None,
    keeps_overwritten: bool = False,
    cache_dir: Path | None = None,
    database: str = "",
    on_note: Callable[[str], None] = lambda note: None,
) -> OpenLogs:
    """A source of some locations. It is empty before `load` or `start`.

    `reload_interval_s`: how often to poll file systems that do not report changes; with 0 the source is not live.
    `memory_budget_bytes`: how much memory data may take; None for any amount, 0 for half of this machine's.
    `keeps_overwritten`: show every attempt of a restarted run, even if a query asks for the latest.
    `cache_dir`: where event files that were read before are found as an index, and written while the source is live; None: nowhere.
    `database`: a database that the directories are brought into, and that answers.
    `on_note`: called with messages for the user, from any thread.
    """
    if database or any(is_database(each.path) for each in locations):
        return _open_database(locations, database, reload_interval_s, keeps_overwritten, on_note)
    remote = RemoteLocations(
        [LogRoot(each.shown, each.path, each.name) for each in locations], cache=cache_folder.path()
    )
    roots = remote.roots
    store = Store([root.shown for root in roots])
    budget = None
    if memory_budget_bytes is not None:
        budget = MemoryBudget(memory_budget_bytes or default_budget_bytes())
    watch = LogdirWatch(
        store,
        roots,
        reload_interval_s=reload_interval_s,
        threads=threads,
        budget=budget,
        cache_dir=cache_dir,
        on_note=on_note,
        awaited_bytes=remote.awaited_bytes,
        list_troubles=remote.list_troubles,
    )

    def is_missing(root: LogRoot) -> bool:
        is_gone = remote.is_missing(root.path)
        return not os.path.exists(root.path) if is_gone is None else is_gone

    capabilities = {Capability.ASSETS} | ({Capability.LIVE} if reload_interval_s > 0 else set())
    source = LocalSource(
        store,
        keeps_overwritten=keeps_overwritten,
        capabilities=frozenset(capabilities),
        list_missing=lambda: [root.shown for root in roots if is_missing(root)],
        list_remote=remote.list_status,
    )
    return _OpenDirectories(source, watch, remote)


def _open_database(
    locations: Sequence[Location],
    database: str,
    reload_interval_s: float,
    keeps_overwritten: bool,
    on_note: Callable[[str], None],
) -> OpenLogs:
    from runglass.clickhouse.open import OpenDatabase, OpenStore

    if not database:
        address = parse_address(locations[0].path)
        return OpenDatabase(address, reload_interval_s=reload_interval_s, keeps_overwritten=keeps_overwritten)
    for each in locations:
        if not is_local(each):
            raise BadRequest(
                f"--store takes directories of this machine, and {each.shown} is not one.", where="store"
            )
    return OpenStore(
        parse_address(database),
        [LogRoot(each.shown, each.path, each.name) for each in locations],
        reload_interval_s=reload_interval_s,
        keeps_overwritten=keeps_overwritten,
        on_note=on_note,
    )


class _OpenDirectories:
    def __init__(self, source: DataSource, watch: LogdirWatch, remote: RemoteLocations) -> None:
        self.source = source
        self._watch = watch
        self._remote = remote

    def list_missing(self) -> list[str]:
        return self.source.list_missing()

    def list_unreadable(self) -> dict[str, str]:
        troubles = {health.path: health.reason for health in self._remote.list_troubles().values()}
        return {**self._watch.unreadable, **troubles}

    def load(self) -> None:
        self._remote.load()
        self._watch.load()

    def start(self) -> None:
        self._watch.start()
        self._remote.start(interval_s=self._watch.reload_interval_s, on_change=self._watch.load)

    def stop(self) -> None:
        self._watch.stop()
        self._remote.stop()
