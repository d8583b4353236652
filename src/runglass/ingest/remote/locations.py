"""All remote locations of one source: opens them, hands their mirrors to the watch, and tells how they are doing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from runglass.errors import RunglassError
from runglass.ingest.remote.address import is_remote, parse_address
from runglass.ingest.remote.folders import MirrorFolder
from runglass.ingest.remote.follow import RemoteLocation
from runglass.ingest.roots import LogRoot
from runglass.store import files
from runglass.store.model import FileHealth, FileState, RemoteStatus


class RemoteLocations:
    def __init__(self, roots: Sequence[LogRoot], *, cache: Path | None) -> None:
        """`cache`: where mirrors are kept; None for folders that are deleted in the end."""
        self._by_path: dict[str, tuple[LogRoot, RemoteLocation]] = {}
        # The same directories as local ones.
        self.roots: list[LogRoot] = []
        opened: dict[str, RemoteLocation] = {}
        for root in roots:
            if not is_remote(root.path):
                self.roots.append(root)
                continue
            location = opened.get(root.path)
            if location is None:
                address = parse_address(root.path)
                location = opened[root.path] = RemoteLocation(address, MirrorFolder(cache, address.shown))
                files.provide(location.mirror.tree, location)
            mirrored = LogRoot(root.shown, location.path, root.name)
            self.roots.append(mirrored)
            self._by_path[location.path] = mirrored, location

    @property
    def _each(self) -> list[RemoteLocation]:
        return [location for _, location in self._by_path.values()]

    def __bool__(self) -> bool:
        return bool(self._by_path)

    def is_missing(self, path: str) -> bool | None:
        """Whether a mirrored location does not exist; None if the path is none."""
        if path not in self._by_path:
            return None
        _, location = self._by_path[path]
        return location.trouble is not None and location.trouble.state == "missing"

    def load(self) -> None:
        """Look at all of them once. Raises if one cannot be read and never was."""
        if not self._by_path:
            return
        with ThreadPoolExecutor(len(self._by_path), "runglass-remote") as pool:
            list(pool.map(RemoteLocation.look, self._each))
        for location in self._each:
            location.make_room()
            trouble = location.trouble
            if trouble is not None and location.looked_at is None and not location.mirror.kept:
                shown = location.address.shown
                # Whoever loads once does not try again, as a server would.
                advice = trouble.advice if trouble.state in ("denied", "missing") else "Try again later."
                raise RunglassError(f"{shown}: {trouble.reason}. {advice}", where=shown)

    def start(self, *, interval_s: float, on_change: Callable[[], None]) -> None:
        for location in self._each:
            location.start(interval_s=interval_s, on_change=on_change)

    def stop(self) -> None:
        for location in self._each:
            files.withdraw(location.mirror.tree)
            location.stop()

    # -- what the watch and the source tell

    def awaited_bytes(self) -> int | None:
        """What the first look still fetches; None when it is over."""
        if all(location.has_looked for location in self._each):
            return None
        return sum(location.awaited_bytes for location in self._each)

    def list_status(self) -> list[RemoteStatus]:
        return [location.status() for location in self._each]

    def list_troubles(self) -> dict[str, FileHealth]:
        """Locations and objects that cannot be read now, as files that cannot be read, by path."""
        healths = {}
        for path, (root, location) in self._by_path.items():
            if location.trouble is not None:
                what = location.trouble
                shown = "; what was read is shown" if location.mirror.kept else ""
                healths[path] = _health("", root.shown, f"{what.reason}{shown}", what.advice)
            for relative, what in list(location.troubles.items()):
                if location.trouble is None or what.state != location.trouble.state:
                    run = root.run_name(relative.rpartition("/")[0])
                    healths[location.mirror.path(relative)] = _health(
                        run, f"{root.shown}/{relative}", what.reason, what.advice
                    )
        return healths


def _health(run: str, path: str, reason: str, advice: str) -> FileHealth:
    return FileHealth(
        run=run,
        path=path,
        state=FileState.UNREADABLE,
        size_bytes=0,
        read_bytes=0,
        records=0,
        skipped_records=0,
        byte=None,
        reason=reason,
        advice=advice,
    )
