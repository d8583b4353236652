"""Between the event files and their index: fills files from it, writes to it in the background what is worth it, and repairs.

watch.py owns one and calls it; store/index/ knows how an index is stored.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, Protocol

from runglass.errors import ValueDamaged
from runglass.ingest.file_tail import OPEN_FLAGS, FileTail
from runglass.ingest.roots import LogRoot
from runglass.ingest.run_loader import RunLoader
from runglass.machine import paused_collection
from runglass.native.columns import Columns
from runglass.native.events import EventScanner
from runglass.native.trace_view import give_back
from runglass.store.index.folder import RootIndex
from runglass.store.index.pack import FileRow, Pack
from runglass.store.index.saved import Identity, SavedFile, read_edges
from runglass.store.model import FileState

logger = logging.getLogger("runglass")

# Smaller files are read faster than they are found in an index.
FILE_BYTES = 32 << 10
# Less than this is not worth a pack: it is read in a few milliseconds.
PACK_BYTES = 4 << 20
# A file that grows is written when this much is new, and as much as half of what the index has;
GROWN_BYTES = 16 << 20
GROWN_SHARE = 0.5
# when it is still, for less;
STILL_S = 60.0
STILL_SHARE = 1 / 32
# and when it is still for long, for anything.
LONG_STILL_S = 1800.0
LOOK_EVERY_S = 10.0
# Files that are frozen in one go: loading waits meanwhile.
FREEZE_FILES = 32
MARK_USED_EVERY_S = 3600.0
# After a write that failed, or that another server is at.
TRY_AGAIN_S = 60.0
# How long loading waits for an index on a slow disk.
PATIENCE_S = 5.0
INDEXED = frozenset({FileState.OK, FileState.CUT_SHORT, FileState.SKIPPED, FileState.DAMAGED})

Filled = Literal["all", "some", "nothing"]


class Loading(Protocol):
    """What loads runs."""

    roots: list[LogRoot]

    @property
    def loading(self) -> threading.Lock:
        """Held while files are read. Whoever holds it sees no scan at work."""
        ...

    def list_loaders(self) -> list[RunLoader]: ...

    def read_again(self, loader: RunLoader, name: str) -> None:
        """Forget what was read of a file and read it anew."""
        ...


class Indexing:
    """The index of some log directories."""

    def __init__(self, cache_dir: Path, loading: Loading, *, clock: Callable[[], float] = time.time) -> None:
        self._loading: Callable[[], Loading | None] = weakref.ref(loading)
        self._clock = clock
        self._indexes = {root.path: RootIndex(cache_dir, root.path) for root in loading.roots}
        self._opened: threading.Thread | None = None
        # Files that were filled by their identity alone.
        self._unproved: list[tuple[RunLoader, FileTail]] = []
        self.filled_files = self.filled_bytes = 0
        # By root: not before this moment, after a write that failed.
        self._next_try: dict[str, float] = {}

    # -- reading

    def open(self) -> None:
        """Open the packs, on a thread of its own: the disk of the cache may hang."""
        if self._opened is None:
            self._opened = threading.Thread(target=self._open, name="runglass-index-open", daemon=True)
            self._opened.start()
        self._opened.join(PATIENCE_S)
        if self._opened.is_alive():
            logger.warning(
                "The index is slow to open; event files are read instead. Choose another --cache-dir."
            )

    def _open(self) -> None:
        for index in self._indexes.values():
            index.look()
            for pack in index.packs:
                self._watch_damage(pack)

    def _watch_damage(self, pack: Pack) -> None:
        # No cycles: the pack is to be let go of with its last row.
        own, damaged = weakref.ref(self), weakref.ref(pack)

        def on_damage(row: int, columns: Columns) -> None:
            indexing, pack = own(), damaged()
            if indexing is None or pack is None:
                raise ValueDamaged("The index of these logs is damaged. Open them again.")
            indexing.repair(pack, row, columns)

        pack.columns.on_damage = on_damage

    def fill(self, loader: RunLoader, root: LogRoot, name: str, found: os.stat_result | None) -> Filled:
        """Fill a new file from the index, if it is the file that the index knows; `some`: it has grown since."""
        index = self._indexes[root.path]
        entry = index.find(_path_in(root, loader, name))
        if entry is None or found is None:
            return "nothing"
        pack, row = entry
        tail = loader.tails[name]
        identity, known = Identity.of(found), row.identity
        is_unchanged = identity == known
        if not is_unchanged:
            # It may have grown; anything else is another file, even if its size is the same.
            if identity[:2] != known[:2] or identity.size <= known.size or identity.size < row.offset:
                return "nothing"
            if not _has_edges(tail.stage.path, row):
                return "nothing"
        with loader.run.lock:
            loader.fill_file(tail, pack, row)
        self.filled_files += 1
        self.filled_bytes += row.offset
        if not is_unchanged:
            tail.stage.state = FileState.READING
            return "some"
        self._unproved.append((loader, tail))
        return "all"

    def repair(self, pack: Pack, row: int, columns: Columns) -> None:
        loading = self._loading()
        for index in self._indexes.values():
            if pack in index.packs:
                index.distrust(pack)
        for loader in loading.list_loaders() if loading is not None else ():
            for tail in list(loader.tails.values()):
                if tail.saved is not None and tail.saved[0] is pack:
                    file = tail.saved[1]
                    rows = pack.columns.part_rows(file.first_tag, file.tag_count)
                    if any(row in pair for pair in rows):
                        loader.repair(tail, pack, file, columns)
                        return
        raise ValueDamaged("The index of these logs is damaged, and its event file is gone.")

    def let_go(self) -> None:
        """Give up memory that reading from packs took."""
        for index in self._indexes.values():
            for pack in index.packs:
                pack.let_go()

    # -- writing, on a thread of its own

    def run(self, stop: threading.Event) -> None:
        """Until `stop`: prove what was taken on trust, then write what is worth it, again and again."""
        marked = time.monotonic()
        while not stop.is_set():
            try:
                self.prove(stop)
                self.write(stop)
                if time.monotonic() - marked > MARK_USED_EVERY_S:
                    marked = time.monotonic()
                    for index in self._indexes.values():
                        index.mark_used()
                self.let_go()
            except Exception:
                logger.exception("Writing the index failed")
            stop.wait(LOOK_EVERY_S)

    def prove(self, stop: threading.Event) -> None:
        """Compare the first and last bytes of files that were filled from the index."""
        loading = self._loading()
        while self._unproved and loading is not None and not stop.is_set():
            loader, tail = self._unproved.pop()
            if tail.saved is None or loader.tails.get(tail.stage.name) is not tail:
                continue
            if not _has_edges(tail.stage.path, tail.saved[1]) and os.path.exists(tail.stage.path):
                self.filled_bytes -= tail.saved[1].offset
                logger.warning("%s is not the file that the index knows; it is read again.", tail.stage.path)
                loading.read_again(loader, tail.stage.name)

    def write(self, stop: threading.Event) -> int:
        """Write the files that are worth it; returns how many."""
        loading = self._loading()
        written = 0
        for root in loading.roots if loading is not None else ():
            assert loading is not None
            due = [
                (loader, tail)
                for loader in loading.list_loaders()
                if loader.root == root.path
                for tail in list(loader.tails.values())
                if self.is_due(tail)
            ]
            if sum(tail.stage.read_bytes for _, tail in due) < PACK_BYTES:
                continue
            index = self._indexes[root.path]
            if time.monotonic() < self._next_try.get(root.path, 0.0):
                continue
            with paused_collection():
                frozen = dict(self._freeze(loading, root, due))
            files = [file for _, file in frozen.values()]
            if not index.write(files, sum(map(_size_of, files)), stop.is_set):
                self._next_try[root.path] = time.monotonic() + TRY_AGAIN_S
                continue
            for pack in index.packs:
                if pack.columns.on_damage is None:
                    self._watch_damage(pack)
            with paused_collection():
                written += self._settle(loading, root, index, frozen)
            del frozen, files
            self.let_go()
            # Columns are small: what they freed lies between others, and the C library keeps it.
            give_back()
        return written

    def is_due(self, tail: FileTail) -> bool:
        stage = tail.stage
        new_bytes = stage.read_bytes - tail.indexed_bytes
        if (
            tail.scanner is None
            or new_bytes <= 0
            or stage.state not in INDEXED
            or stage.read_bytes < FILE_BYTES
        ):
            return False
        still_s = self._clock() - tail.modified_ns / 1e9
        if still_s >= LONG_STILL_S:
            return True
        if still_s >= STILL_S or still_s < 0:
            return new_bytes >= tail.indexed_bytes * STILL_SHARE
        return new_bytes >= max(GROWN_BYTES, tail.indexed_bytes * GROWN_SHARE)

    def _freeze(
        self, loading: Loading, root: LogRoot, due: list[tuple[RunLoader, FileTail]]
    ) -> Iterator[tuple[str, tuple[EventScanner, SavedFile]]]:
        for first in range(0, len(due), FREEZE_FILES):
            with loading.loading:
                for loader, tail in due[first : first + FREEZE_FILES]:
                    path = _path_in(root, loader, tail.stage.name)
                    file = tail.freeze(path) if self.is_due(tail) else None
                    if file is not None and tail.scanner is not None:
                        yield path, (tail.scanner, file)

    def _settle(
        self,
        loading: Loading,
        root: LogRoot,
        index: RootIndex,
        frozen: dict[str, tuple[EventScanner, SavedFile]],
    ) -> int:
        """Use the newest entries, of this or another server, instead of memory and of older packs. Returns how many files are new."""
        settled = 0
        for loader in loading.list_loaders():
            if loader.root != root.path:
                continue
            with loading.loading, loader.run.lock:
                for name, tail in loader.tails.items():
                    path = _path_in(root, loader, name)
                    entry = index.entry(path)
                    if entry is None or entry == tail.saved:
                        continue
                    scanner, file = frozen.get(path, (None, None))
                    # A file that was replaced in the meantime has another scanner.
                    is_new = tail.scanner is not None and tail.scanner is scanner
                    if (is_new and file is not None and entry[1].is_of(file)) or (
                        tail.saved is not None and entry[1].is_of(tail.saved[1])
                    ):
                        loader.settle(tail, *entry)
                        settled += is_new
        return settled


def _path_in(root: LogRoot, loader: RunLoader, name: str) -> str:
    return root.relative(os.path.join(loader.directory, name))


def _has_edges(path: str, row: FileRow) -> bool:
    try:
        fd = os.open(path, OPEN_FLAGS)
    except OSError:
        return False
    try:
        return read_edges(fd, row.offset) == row.edges
    except OSError:
        return False
    finally:
        os.close(fd)


def _size_of(file: SavedFile) -> int:
    """An upper bound of what it takes in a pack."""
    rows = sum(
        (points.count * 25 if points else 0) + (blobs.count * 32 if blobs else 0)
        for *_, points, blobs, _ in file.tags
    )
    return rows + 512 * (len(file.tags) + 1)
