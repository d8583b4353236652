"""The index folder: the packs of every log directory, bounded in size and shared by any number of servers.

Packs are only added and removed, never changed. Within a log directory, the newest entry of an event file counts.
"""

from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from runglass.store.index.layout import SUFFIX
from runglass.store.index.locks import remove_unused, writing
from runglass.store.index.pack import FileRow, Pack, PackDamaged
from runglass.store.index.saved import SavedFile
from runglass.store.index.writer import UNFINISHED, write_pack

logger = logging.getLogger("runglass")

FOLDER = "index"
LIMIT_BYTES = 64 << 30
# Of what would be free without the index.
DISK_SHARE = 0.5
# After this, a temporary file was left by a process that was killed.
LEFT_OVER_S = 3600.0
# Merge beyond so many packs of a log directory, or when this share of them is no longer of use.
MANY_PACKS = 8
DEAD_SHARE = 0.5
DEAD_BYTES = 64 << 20

Entry = tuple[Pack, FileRow]


class RootIndex:
    """The packs of one log directory. Finding is for the loading thread, writing for one other."""

    def __init__(self, cache_dir: Path, root: str, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self.root = os.path.realpath(root)
        self.folder = folder_of(cache_dir, self.root)
        self._top = cache_dir / FOLDER
        self._limit_bytes = limit_bytes
        self._entries: dict[str, Entry] = {}
        # By file name; None for packs that cannot be used.
        self._known: dict[str, Pack | None] = {}
        self._used: set[str] = set()
        # Names of packs that are of no use, and in use.
        self._dead: set[str] = set()
        self._has_complained = False

    def look(self) -> None:
        """Open packs that are new here. Whatever is wrong with one of them, the others serve."""
        try:
            names = sorted(each.name for each in os.scandir(self.folder) if each.name.endswith(SUFFIX))
        except FileNotFoundError:
            return
        except OSError as error:
            self._complain(error)
            return
        for name in names:
            if name in self._known:
                continue
            path = self.folder / name
            try:
                pack = Pack(path)
            except PackDamaged as why:
                logger.warning(
                    "The index file %s is damaged (%s). Its event files are read again.", path, why
                )
                self._known[name] = None
                with suppress(OSError):
                    path.unlink()
                continue
            except (OSError, ValueError) as error:
                self._known[name] = None
                self._complain(error)
                continue
            self._put(pack)
            del pack
            with suppress(OSError):
                os.utime(path)
        self._drop_dead()

    def _put(self, pack: Pack) -> None:
        self._known[pack.path.name] = pack
        for row in pack.files:
            self._entries[pack.paths[row.path]] = pack, row

    def find(self, path: str) -> Entry | None:
        """The newest entry of an event file, by its path below the log directory."""
        self._used.add(path)
        return self._entries.get(path)

    @property
    def packs(self) -> list[Pack]:
        return [pack for pack in self._known.values() if pack is not None]

    def distrust(self, pack: Pack) -> None:
        """Its columns are damaged: nobody is to open it again. What was checked of it stays in use."""
        self._known[pack.path.name] = None
        self._entries = {path: entry for path, entry in self._entries.items() if entry[0] is not pack}
        logger.warning("The index file %s is damaged. Its event files are read again.", pack.path)
        with suppress(OSError):
            pack.path.unlink()

    def mark_used(self) -> None:
        for pack in self.packs:
            with suppress(OSError):
                os.utime(pack.path)
        self._drop_dead()

    def entry(self, path: str) -> Entry | None:
        return self._entries.get(path)

    def write(self, files: list[SavedFile], size_bytes: int, is_stopped: Callable[[], bool]) -> bool:
        """Write event files to a new pack, unless another server did, and with what other packs hold where that pays. False: not now,
        and if it is a fault it is logged."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with writing(self.folder) as is_ours:
                if not is_ours:
                    return False
                # Another server may have written the same in the meantime.
                self.look()
                files = [file for file in files if not self._has(file)]
                if not files:
                    return True
                if not self._make_room(size_bytes):
                    return False
                merged = self._mergeable({file.path for file in files})

                def each() -> Iterator[SavedFile]:
                    for file in files:
                        if is_stopped():
                            raise InterruptedError
                        yield file
                    for pack, row in merged:
                        if is_stopped():
                            raise InterruptedError
                        if pack.is_whole(row):
                            yield pack.read_file(row)

                self._put(Pack(write_pack(self.folder, self.root, each())))
                self._drop_dead()
                return True
        except InterruptedError:
            return False
        except (OSError, PackDamaged) as error:
            self._complain(error)
            return False

    def _has(self, file: SavedFile) -> bool:
        entry = self._entries.get(file.path)
        return entry is not None and entry[1].is_of(file)

    def _mergeable(self, instead: set[str]) -> list[Entry]:
        """Entries to write again: all that are of use, when there are many packs or most of what they hold is not."""
        live = [
            entry
            for path, entry in self._entries.items()
            if path not in instead and (path in self._used or not self._used)
        ]
        total = sum(pack.size_bytes for pack in self.packs)
        dead = total - sum(row.column_bytes for _, row in live)
        if len(self.packs) < MANY_PACKS and (dead < DEAD_BYTES or dead < total * DEAD_SHARE):
            return []
        return live

    def _drop_dead(self) -> None:
        """Remove packs without a current entry, as soon as no process uses them."""
        alive = {id(pack) for pack, _ in self._entries.values()}
        self._dead |= {
            name for name, pack in self._known.items() if pack is not None and id(pack) not in alive
        }
        self._known.update(dict.fromkeys(self._dead))
        self._dead = {name for name in self._dead if not remove_unused(self.folder / name)}

    def _make_room(self, size_bytes: int) -> bool:
        usage = shutil.disk_usage(self.folder)
        files = sorted(_list_files(self._top))
        total = sum(size for _, size, _ in files)
        limit = min(self._limit_bytes, int(DISK_SHARE * (usage.free + total)))
        if size_bytes > limit:
            self._complain(OSError(0, f"it needs {size_bytes:,} bytes, and may take {limit:,} of this disk"))
            return False
        now_ns = time.time_ns()
        own = {pack.path for pack in self.packs}
        for used_ns, size, path in files:
            if path.suffix == UNFINISHED:
                is_due = now_ns - used_ns > LEFT_OVER_S * 1e9
            else:
                is_due = total + size_bytes > limit and path not in own
            if is_due and remove_unused(path):
                total -= size
        if total + size_bytes > limit:
            self._complain(OSError(0, f"it is full ({total:,} of {limit:,} bytes), and all of it is in use"))
            return False
        return True

    def _complain(self, error: Exception) -> None:
        if not self._has_complained:
            self._has_complained = True
            why = getattr(error, "strerror", None) or error
            logger.warning(
                "The index in %s cannot be used: %s. Logs are read from their event files instead."
                " Choose another folder with --cache-dir, or see what is there: runglass cache.",
                self.folder,
                why,
            )


def folder_of(cache_dir: Path, root: str) -> Path:
    return cache_dir / FOLDER / blake2b(os.fsencode(root), digest_size=12).hexdigest()


def _list_files(top: Path) -> Iterator[tuple[int, int, Path]]:
    """(last use in ns, size, path) of all packs, of other versions too, and of what was left unfinished."""
    for folder in _folders(top):
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".pack", UNFINISHED)):
                    with suppress(FileNotFoundError):
                        found = entry.stat()
                        yield found.st_mtime_ns, found.st_size, Path(entry.path)


def _folders(top: Path) -> list[Path]:
    try:
        return sorted(Path(each.path) for each in os.scandir(top) if each.is_dir())
    except OSError:
        return []


class IndexedRoot(NamedTuple):
    """What the index holds of one log directory."""

    # None: no pack of it can be read.
    root: str | None
    files: int
    size_bytes: int
    # Seconds since 1970.
    used_time: float
    folder: Path


def list_indexed(cache_dir: Path) -> list[IndexedRoot]:
    """The longest unused first."""
    found = []
    for folder in _folders(cache_dir / FOLDER):
        root: str | None = None
        paths: set[str] = set()
        size_bytes, used_ns = 0, 0
        for used, size, path in _list_files_of(folder):
            size_bytes += size
            used_ns = max(used_ns, used)
            if path.name.endswith(SUFFIX):
                with suppress(PackDamaged, OSError, ValueError):
                    pack = Pack(path)
                    root = str(pack.about.get("root", "")) or root
                    paths.update(pack.paths)
        if size_bytes:
            found.append(IndexedRoot(root, len(paths), size_bytes, used_ns / 1e9, folder))
    return sorted(found, key=lambda each: each.used_time)


def _list_files_of(folder: Path) -> list[tuple[int, int, Path]]:
    return [each for each in _list_files(folder.parent) if each[2].parent == folder]


def clear(folder: Path) -> bool:
    """Remove what the index holds of one log directory. False if some of it is in use and stays."""
    left = [path for _, _, path in _list_files_of(folder) if not remove_unused(path)]
    if not left:
        with suppress(OSError):
            (folder / "lock").unlink(missing_ok=True)
            folder.rmdir()
    return not left
