"""Keeps the mirror of one remote location up to date: looks, fetches what changed, and looks again, less often while nothing does.

A store that cannot be reached is a state that is shown, never an end: what was read stays, and looking goes on.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from runglass.ingest.assets import find_owner
from runglass.ingest.logdir import is_event_file
from runglass.ingest.remote.address import Address
from runglass.ingest.remote.fetch import Fetcher
from runglass.ingest.remote.folders import MirrorFolder
from runglass.ingest.remote.mirror import Mirror, why_no_file
from runglass.ingest.remote.model import Emptied, Entry, ObjectChanged, Trouble
from runglass.ingest.remote.prices import estimate_usd
from runglass.ingest.remote.storage import PARALLEL, Storage, Traffic, open_storage
from runglass.ingest.remote.troubles import explain
from runglass.store.model import RemoteStatus

logger = logging.getLogger("runglass")

# How often the limit of all mirrors is looked at.
ROOM_EVERY_S = 3600.0
# What was looked at since may still be read.
RECENT_S = 60.0
# The first picture of a second visit comes from the mirror; importing a backend would take the interpreter from it.
HEAD_START_S = 0.3
# After something changed, and at most, while nothing does.
QUICK_S = 5.0
SLOW_S = 30.0
SLOWER = 1.5
# Listing may take at most this share of the time, unless it would be looked at less often than that.
LIST_SHARE = 0.05
SLOWEST_S = 300.0
# How long to wait after a trouble: at first, and at most.
WAITS = {
    "lost": (1.0, 30.0),
    "throttled": (10.0, 300.0),
    "denied": (30.0, 300.0),
    "missing": (5.0, 30.0),
    "failed": (5.0, 60.0),
}
# A listing may lack objects that are there. So many of those it lacks are asked for one by one before it is believed.
MAX_ASKED = 256


class RemoteLocation:
    def __init__(
        self,
        address: Address,
        folder: MirrorFolder,
        *,
        open_with: Callable[[Address], Storage] = open_storage,
    ) -> None:
        self.address = address
        self._folder = folder
        self.mirror = Mirror(folder.path, location=address.shown)
        name = address.path.rstrip("/").rpartition("/")[2]
        # The address of one event file, as a log directory may be one.
        self.path = self.mirror.path(name) if is_event_file(name) else self.mirror.tree
        self._open_with = open_with
        self._storage: Storage | None = None
        self._traffic = Traffic()
        self._pieces = ThreadPoolExecutor(PARALLEL, "runglass-fetch")
        self._files = ThreadPoolExecutor(PARALLEL, "runglass-fetch-file")
        self._fetcher = Fetcher(self.mirror, self._pieces, self._find_storage)
        self._looking = threading.Lock()
        self.listed: dict[str, Entry] = {}
        # By path: objects that could not be fetched or have no place here.
        self.troubles: dict[str, Trouble] = {}
        self.trouble: Trouble | None = None
        # Bytes that the look in progress still fetches.
        self.awaited_bytes = 0
        self.has_looked = False
        self.looked_at: float | None = None
        self.interval_s = 0.0
        # How long the last listing took.
        self._listing_s = 0.0
        # When the room of all mirrors is due to be looked at.
        self._room_at = 0.0
        self._stop = threading.Event()

    # -- one look

    def look(self) -> bool:
        """Bring the mirror up to date as far as possible. Returns whether anything changed."""
        with self._looking:
            before = self.trouble and self.trouble.state
            changed = False
            try:
                storage = self._connect()
                missing = None
                began = time.monotonic()
                try:
                    self.listed = storage.list_entries(_is_wanted)
                except Emptied as trouble:
                    self.listed, missing = {}, trouble
                self._listing_s = time.monotonic() - began
                changed = self._compare(storage, self.listed)
                self.trouble = missing or self._find_common_trouble()
                if missing is None:
                    self.looked_at = time.time()
            except Trouble as trouble:
                self.trouble = trouble
            except OSError as error:
                self.trouble = Trouble(
                    "failed",
                    f"the cache folder cannot be written: {error.strerror or error}",
                    "Make room there, or choose another one with --cache_dir.",
                )
            except Exception as error:
                logger.error("Looking at %s failed: %s", self.address.shown, type(error).__name__)
                self.trouble = explain(error, self.address)
            if self.trouble is not None and self.trouble.state == "lost":
                self._disconnect()
            self.awaited_bytes = 0
            with suppress(OSError):
                self.mirror.save()
            self.has_looked = True
            return changed or before != (self.trouble and self.trouble.state)

    def _connect(self) -> Storage:
        if self._storage is None:
            self._storage = self._open_with(self.address)
        return self._storage

    def _disconnect(self) -> None:
        if self._storage is not None:
            self._traffic = self._count()
            with suppress(Exception):
                self._storage.close()
            self._storage = None

    def _find_storage(self) -> Storage:
        if self._storage is None:
            if self.trouble is not None:
                raise self.trouble
            return self._connect()
        return self._storage

    def _compare(self, storage: Storage, listed: dict[str, Entry]) -> bool:
        troubles = {
            path: Trouble("denied", "access is denied", "Check what the credentials may read.")
            for path in storage.denied
        }
        folders = {path.rpartition("/")[0] for path in listed if "/" in path}
        events: list[tuple[str, Entry]] = []
        changed = False
        for relative, entry in listed.items():
            if not _is_wanted(relative):
                continue
            why = why_no_file(relative) or ("a folder has the same name" if relative in folders else "")
            if why:
                troubles[relative] = Trouble("failed", f"it cannot be read: {why}", "Rename the object.")
                continue
            kept = self.mirror.kept.get(relative)
            if kept is not None and kept.entry == entry and kept.is_done:
                continue
            if is_event_file(relative.rpartition("/")[2]):
                events.append((relative, entry))
            elif kept is None or not self._is_stale(storage, kept.entry, entry):
                self.mirror.place(relative, entry)
                changed = True
        for relative in self._find_gone(storage, listed):
            self.mirror.remove(relative)
            changed = True
        # The newest first: they are looked at most.
        events.sort(key=lambda each: -each[1].modified)
        self.awaited_bytes = sum(entry.size_bytes for _, entry in events)
        changed |= self._fetch(storage, events, troubles)
        self.troubles = troubles
        return changed

    def _is_stale(self, storage: Storage, known: Entry, listed: Entry) -> bool:
        """Whether a listing shows an object as it was before. Its own clock decides, and the object itself."""
        is_older = listed.size_bytes < known.size_bytes or 0 < listed.modified < known.modified
        return is_older and storage.look_at(known) == known

    def _find_gone(self, storage: Storage, listed: dict[str, Entry]) -> Iterable[str]:
        lacking = [relative for relative in self.mirror.kept if relative not in listed]
        asked = lacking[:MAX_ASKED]

        def is_gone(relative: str) -> bool:
            try:
                return storage.look_at(self.mirror.kept[relative].entry) is None
            except Trouble:
                return False

        gone = [each for each, yes in zip(asked, self._files.map(is_gone, asked), strict=True) if yes]
        return lacking if len(gone) == MAX_ASKED else gone

    def _fetch(self, storage: Storage, events: list[tuple[str, Entry]], troubles: dict[str, Trouble]) -> bool:
        # Once the connection is lost, every further file would wait for it anew.
        is_lost = threading.Event()

        def fetch(relative: str, entry: Entry) -> bool:
            if is_lost.is_set() or self._stop.is_set():
                return False
            try:
                return self._fetch_one(storage, relative, entry)
            except Trouble as trouble:
                troubles[relative] = trouble
                if trouble.state in ("lost", "throttled"):
                    is_lost.set()
                return False
            finally:
                self.awaited_bytes -= entry.size_bytes

        done = list(self._files.map(lambda each: fetch(*each), events))
        return any(done)

    def _fetch_one(self, storage: Storage, relative: str, entry: Entry) -> bool:
        """Fetch what is new of one event file; again from its front if it changes meanwhile."""
        kept = self.mirror.kept.get(relative)
        if kept is not None and kept.entry != entry and self._is_stale(storage, kept.entry, entry):
            return False
        for _ in range(3):
            try:
                self._fetcher.fetch_events(relative, entry)
                return True
            except ObjectChanged:
                now = storage.look_at(entry)
                if now is None:
                    self.mirror.remove(relative)
                    return True
                if now.size_bytes < entry.size_bytes:
                    self.mirror.remove(relative)
                entry = now
        raise Trouble("failed", "it changes while it is read", "Runglass tries again by itself.")

    def _find_common_trouble(self) -> Trouble | None:
        """What holds for the store as a whole and not for one object."""
        for trouble in self.troubles.values():
            if trouble.state in ("lost", "throttled"):
                return trouble
        return None

    # -- for as long as it runs

    def start(self, *, interval_s: float, on_change: Callable[[], None]) -> None:
        threading.Thread(
            target=self._run, args=(interval_s, on_change), name="runglass-remote", daemon=True
        ).start()

    def _run(self, interval_s: float, on_change: Callable[[], None]) -> None:
        quick, slow = max(QUICK_S, interval_s), max(SLOW_S, interval_s)
        wait, troubled = quick, 0
        is_first = True
        if self.mirror.kept:
            self._stop.wait(HEAD_START_S)
        while not self._stop.is_set():
            changed = self.look()
            if self._stop.is_set():
                return
            if interval_s == 0:
                on_change()
                return
            if self.trouble is not None:
                first, most = WAITS[self.trouble.state]
                self.interval_s = wait = min(most, first * 2**troubled)
                # Not without end: no float holds 2¹⁰²⁴, and a store may be away for a night.
                troubled = min(troubled + 1, 10)
            else:
                wait = quick if changed or troubled else min(slow, wait * SLOWER)
                self.interval_s = max(wait, min(self._listing_s / LIST_SHARE, SLOWEST_S))
                troubled = 0
            if changed or is_first:
                on_change()
            is_first = False
            self.make_room()
            self._stop.wait(self.interval_s)

    def make_room(self) -> None:
        """Keep all mirrors together within their limit. Looks at them once an hour, however often it is called."""
        now = time.monotonic()
        if now < self._room_at:
            return
        self._room_at = now + ROOM_EVERY_S
        with suppress(OSError):
            excess = self._folder.make_room()
            if excess:
                self.mirror.forget_unused(excess, unused_s=RECENT_S)

    def stop(self) -> None:
        self._stop.set()
        self._files.shutdown(wait=False, cancel_futures=True)
        self._pieces.shutdown(wait=False, cancel_futures=True)
        with suppress(OSError):
            self.mirror.save()
        self._disconnect()
        self._folder.close()

    # -- as a provider of files

    def make_present(self, path: str, ranges: Iterable[tuple[int, int]]) -> None:
        relative = self.mirror.relative(path)
        is_asset = not is_event_file(os.path.basename(path))
        self._fetcher.make_present(relative, list(ranges), is_asset=is_asset)

    def reveal(self, folder: str) -> None:
        below = self.mirror.relative(folder) if len(folder) > len(self.mirror.tree) else ""
        for relative, entry in list(self.listed.items()):
            if relative.rpartition("/")[0] != below or relative in self.mirror.kept or why_no_file(relative):
                continue
            try:
                found = entry if entry.size_bytes >= 0 else self._find_storage().look_at(entry)
                if found is not None:
                    self.mirror.place(relative, found)
            except Trouble as trouble:
                raise OSError(0, trouble.reason) from None

    def stat(self, path: str | int) -> os.stat_result:
        with self.mirror.changing:
            # No link is ever made in a mirror.
            return os.stat(path) if isinstance(path, int) else os.stat(path, follow_symlinks=False)

    # -- what is told

    def _count(self) -> Traffic:
        now = self._storage.traffic if self._storage is not None else Traffic()
        before = self._traffic
        return Traffic(before.lists + now.lists, before.reads + now.reads, before.read_bytes + now.read_bytes)

    def status(self) -> RemoteStatus:
        traffic, trouble = self._count(), self.trouble
        return RemoteStatus(
            location=self.address.shown,
            state=trouble.state if trouble is not None else "current" if self.has_looked else "connecting",
            reason=trouble.reason if trouble is not None else "",
            advice=trouble.advice if trouble is not None else "",
            interval_s=self.interval_s,
            looked_at=self.looked_at,
            requests=traffic.lists + traffic.reads,
            fetched_bytes=traffic.read_bytes,
            cost_usd=estimate_usd(
                self.address.scheme,
                lists=traffic.lists,
                reads=traffic.reads,
                read_bytes=traffic.read_bytes,
            ),
        )


def _is_wanted(relative: str) -> bool:
    """Whether the walk of a log directory would look at such a file."""
    parts = relative.split("/")
    return is_event_file(parts[-1]) or find_owner(parts[:-1])[1].match(parts[-1]) is not None
