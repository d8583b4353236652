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

    __slots__ = ("entry", "inode", "is_done", "looked_at", "prefix", "record", "spans", "used")

    def __init__(self, entry: Entry, inode: int, spans: Spans | None = None) -> None:
        self.entry = entry
        self.inode = inode
        self.spans = spans or Spans()
        # Of event files: everything before this byte was fetched or hopped over, and the first record that ends behind it.
        self.prefix = 0
        self.record = 0
        # Of event files: bytes that reading hopped over, and that came because somebody looked at them.
        self.looked_at = Spans()
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
    looked_at: list[Span] = field(default_factory=list)


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
                    [(start, min(end, size)) for start, end in kept.looked_at if start < size],
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
            kept.prefix, kept.record = each.prefix, each.record
            kept.is_done, kept.used = each.is_done, each.used
            kept.looked_at = Spans(each.looked_at)
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

    def forget_unused(self, room_bytes: int, *, unused_s: float = 0.0) -> int:
        """Give up bytes that were fetched because somebody looked at them, of assets and of blobs in event files, longest unused
        first and none of the last `unused_s`, until `room_bytes` are free. Returns how many are."""
        freed = 0
        before = time.time() - unused_s
        with self.changing:
            holes: list[tuple[str, Spans]] = []
            for relative, kept in sorted(self.kept.items(), key=lambda each: (each[1].used, each[0])):
                if freed >= room_bytes or kept.used > before:
                    break
                is_asset = kept.prefix == 0
                looked_at = kept.spans if is_asset else kept.looked_at
                freed += looked_at.count_bytes()
                if is_asset and looked_at.count_bytes():
                    self.place(relative, kept.entry)
                elif looked_at.count_bytes():
                    kept.looked_at = Spans()
                    for start, end in looked_at:
                        kept.spans.remove(start, end)
                    holes.append((relative, looked_at))
                    self._is_unsaved = True
            # The saved state never names bytes that are not there.
            self.save()
            for relative, spans in holes:
                self._punch(relative, spans)
        return freed

    def _punch(self, relative: str, spans: Spans) -> None:
        """Give disk blocks of an event file back. It stays the same file, because reading it has come to its end."""
        path = self.path(relative)
        with open(path, "r+b", buffering=0) as file:
            for start, end in spans:
                _punch_hole(file.fileno(), start, end - start)
        _set_time(path, self.kept[relative].entry)


def _punch_hole(fd: int, start: int, size: int) -> None:
    """Where the system cannot, the bytes stay on disk and are fetched again all the same."""
    if sys.platform != "linux":
        return
    import ctypes

    # FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE
    libc = ctypes.CDLL(None)
    fallocate = getattr(libc, "fallocate64", None) or libc.fallocate
    fallocate(fd, 0x01 | 0x02, ctypes.c_int64(start), ctypes.c_int64(size))


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
