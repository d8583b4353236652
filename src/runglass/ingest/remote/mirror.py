"""The local side of a remote log directory: a folder of the user's cache with the same files, of which only fetched bytes are there.

A file has the size and time of its object; `Kept` knows which of its bytes are present. An object that was replaced gets a new
file, so that one inode is one state of the object; only event files grow in place. What is on disk is trusted only as far as the
saved state names it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct, field

from runglass.ingest.remote.model import Entry
from runglass.ingest.remote.spans import Span, Spans

STATE_VERSION = 1
MAX_NAME_BYTES = 255
WINDOWS_FORBIDDEN = frozenset('<>:"|?*\\')


class Kept:
    """What the mirror has of one object."""

    __slots__ = ("entry", "inode", "is_done", "prefix", "record", "spans", "used")

    def __init__(self, entry: Entry, inode: int, spans: Spans | None = None) -> None:
        self.entry = entry
        self.inode = inode
        self.spans = spans or Spans()
        # Of event files: everything before this byte was fetched or hopped over, and the first record that ends behind it.
        self.prefix = 0
        self.record = 0
        # Whether everything that reading the file needs is there.
        self.is_done = False
        self.used = time.time()


class _SavedKept(Struct, array_like=True):
    entry: Entry
    inode: int
    size_bytes: int
    spans: list[Span]
    prefix: int
    record: int
    is_done: bool
    used: float


class _Saved(Struct):
    version: int
    location: str
    files: dict[str, _SavedKept] = field(default_factory=dict)


class Mirror:
    def __init__(self, folder: Path, *, location: str) -> None:
        """`folder` belongs to this process alone; see `MirrorFolders`."""
        self.folder = folder
        self.location = location
        self.tree = os.path.realpath(folder / "tree")
        self.kept: dict[str, Kept] = {}
        # Held while a file's bytes and times change, so that nobody sees one without the other.
        self.changing = threading.RLock()
        self._is_unsaved = False
        self._made: set[str] = set()
        os.makedirs(self.tree, mode=0o700, exist_ok=True)
        self._restore()

    def path(self, relative: str) -> str:
        return os.path.join(self.tree, *relative.split("/"))

    def relative(self, path: str) -> str:
        return path[len(self.tree) + 1 :].replace(os.sep, "/")

    # -- changing files

    def place(self, relative: str, entry: Entry, data: bytes | None = None) -> Kept:
        """A new file for a new state of an object: its first bytes, or only a name with the size of the object."""
        path = self.path(relative)
        self._make_folder(os.path.dirname(path))
        unfinished = self.folder / f"new-{threading.get_ident()}"
        with open(unfinished, "wb") as file:
            if data is None:
                file.truncate(entry.size_bytes)
            else:
                file.write(data)
            inode = os.fstat(file.fileno()).st_ino
        _set_time(unfinished, entry)
        kept = Kept(entry, inode)
        if data is None:
            kept.is_done = True
        else:
            kept.prefix = len(data)
            kept.spans.add(0, len(data))
        with self.changing:
            os.replace(unfinished, path)
            self.kept[relative] = kept
            self._is_unsaved = True
        return kept

    def write(self, relative: str, kept: Kept, at: int, data: bytes) -> None:
        with self.changing:
            if self.kept.get(relative) is not kept:
                return
            path = self.path(relative)
            with open(path, "r+b", buffering=0) as file:
                file.seek(at)
                left = memoryview(data)
                while left:
                    left = left[file.write(left) :]
            _set_time(path, kept.entry)
            kept.spans.add(at, at + len(data))
            self._is_unsaved = True

    def finish(self, relative: str, kept: Kept, entry: Entry) -> None:
        """All of an event file that reading needs is there: give it the size and time of its object."""
        with self.changing:
            path = self.path(relative)
            kept.entry = entry
            kept.is_done = True
            if os.stat(path).st_size != entry.size_bytes:
                os.truncate(path, entry.size_bytes)
            _set_time(path, entry)
            self._is_unsaved = True

    def read(self, relative: str, at: int, size: int) -> bytes:
        with open(self.path(relative), "rb", buffering=0) as file:
            file.seek(at)
            return file.read(size)

    def remove(self, relative: str) -> None:
        with self.changing:
            self.kept.pop(relative, None)
            self._is_unsaved = True
            path = self.path(relative)
            with suppress(FileNotFoundError):
                os.unlink(path)
            # Folders exist for their files only.
            above = os.path.dirname(path)
            while len(above) > len(self.tree):
                try:
                    os.rmdir(above)
                except OSError:
                    return
                self._made.discard(above)
                above = os.path.dirname(above)

    def _make_folder(self, folder: str) -> None:
        if folder not in self._made:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            self._made.add(folder)

    # -- what survives

    def save(self) -> None:
        # All of it under the lock: whoever ends the process waits for a save that is under way.
        with self.changing:
            if not self._is_unsaved:
                return
            files = {}
            for relative, kept in self.kept.items():
                size = kept.entry.size_bytes if kept.is_done else kept.prefix
                files[relative] = _SavedKept(
                    kept.entry,
                    kept.inode,
                    size,
                    [(start, min(end, size)) for start, end in kept.spans if start < size],
                    kept.prefix,
                    kept.record,
                    kept.is_done,
                    kept.used,
                )
            data = msgspec.msgpack.encode(_Saved(STATE_VERSION, self.location, files))
            unfinished = self.folder / "state.new"
            unfinished.write_bytes(data)
            os.replace(unfinished, self.folder / "state")
            self._is_unsaved = False

    def _restore(self) -> None:
        try:
            saved = msgspec.msgpack.decode((self.folder / "state").read_bytes(), type=_Saved)
        except (OSError, msgspec.MsgspecError):
            saved = _Saved(STATE_VERSION, self.location)
        if (saved.version, saved.location) != (STATE_VERSION, self.location):
            saved = _Saved(STATE_VERSION, self.location)
        for relative, each in saved.files.items():
            kept = Kept(each.entry, each.inode, Spans(each.spans))
            kept.prefix, kept.record, kept.is_done, kept.used = (
                each.prefix,
                each.record,
                each.is_done,
                each.used,
            )
            path = self.path(relative)
            with suppress(OSError):
                found = os.stat(path, follow_symlinks=False)
                if found.st_ino == each.inode and found.st_size >= each.size_bytes:
                    if found.st_size > each.size_bytes:
                        # Bytes that came after the state was saved.
                        os.truncate(path, each.size_bytes)
                        _set_time(path, each.entry)
                    self.kept[relative] = kept
        for folder, _, names in os.walk(self.tree):
            for name in names:
                path = os.path.join(folder, name)
                if self.relative(path) not in self.kept:
                    os.unlink(path)

    def forget_unused(self, room_bytes: int) -> int:
        """Give up fetched bytes of assets, longest unused first, until `room_bytes` are free; returns how many are."""
        freed = 0
        with self.changing:
            assets = [(kept.used, relative, kept) for relative, kept in self.kept.items() if kept.prefix == 0]
            for _, relative, kept in sorted(assets, key=lambda each: each[:2]):
                if freed >= room_bytes:
                    break
                present = kept.spans.count_bytes()
                if present:
                    self.place(relative, kept.entry)
                    freed += present
        return freed


def _set_time(path: str | Path, entry: Entry) -> None:
    # Without a time of its own, an object has the same one always; its identity is the inode.
    with suppress(OverflowError, OSError):
        os.utime(path, (entry.modified, entry.modified))


def why_no_file(relative: str) -> str:
    """Why an object cannot be a file here; "" if it can. Names in a store may be anything, also a way out of a folder."""
    for part in relative.split("/"):
        if part in ("", ".", ".."):
            return "its name has a part that is empty, '.' or '..'"
        if "\0" in part or (sys.platform == "win32" and (WINDOWS_FORBIDDEN & set(part) or part[-1] in ". ")):
            return "its name has a character that no file here can have"
        if len(os.fsencode(part)) > MAX_NAME_BYTES:
            return f"a part of its name is longer than {MAX_NAME_BYTES} bytes"
    return ""
