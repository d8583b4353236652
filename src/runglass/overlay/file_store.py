"""Shared marks in a file: read when it changes, replaced as a whole by one writer at a time, whichever server that is.

A file that is damaged is left as it is, and what was known before stays readable.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from runglass.overlay.model import (
    Key,
    Mark,
    MarkChange,
    OverlayUnavailable,
    Shared,
    Written,
    forget_removed,
    merge,
)
from runglass.overlay.shared import SharedMarks
from runglass.whole_file import Identity, identify, locked, replace

FORMAT = "runglass-shared-overlay"
VERSION = 1
MAX_FILE_BYTES = 256 * 2**20


class _File(Struct, frozen=True):
    format: str
    version: int
    revision: int
    # The marks of every project; "" is that of a server without projects.
    projects: dict[str, list[Mark]]


class _Known(Struct, frozen=True):
    revision: int = 0
    marks: Mapping[str, Mapping[Key, Mark]] = {}
    # Why the file cannot be read, and why the last change could not be written; "" if it can.
    unread: str = ""
    unwritten: str = ""
    whole_from: int = 0


class _Damaged(Exception):
    pass


class OverlayFile(SharedMarks):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        # Held while the file is read and written. What is known is replaced whole, so that reading it never waits for a disk.
        self._lock = threading.Lock()
        self._identity: Identity | None = None
        self._known = _Known()
        with self._lock:
            self._catch_up()

    def read(self, project: str) -> Shared:
        known = self._known
        problem = known.unread or known.unwritten
        return Shared(known.revision, known.marks.get(project, {}), problem, known.whole_from)

    def write(self, project: str, changes: Sequence[MarkChange], *, by: str) -> Written:
        try:
            with locked(self.path), self._lock:
                self._catch_up()
                known = self._known
                if known.unread:
                    raise OverlayUnavailable(f"{known.unread} Nothing was changed.", where=self.path.name)
                now = time.time()
                # Grows even when the file is put back from a copy.
                revision = max(known.revision + 1, int(now * 1000))
                before = known.marks.get(project, {})
                after, written = merge(before, changes, by=by, at=now, revision=revision)
                if after != before:
                    self._replace(revision, {**known.marks, project: forget_removed(after, now=now)})
                else:
                    written = msgspec.structs.replace(written, revision=known.revision)
        except OSError as error:
            why = f"The file of shared marks cannot be written: {error.strerror or error}."
            with self._lock:
                self._known = msgspec.structs.replace(self._known, unwritten=why)
            self._notify()
            raise OverlayUnavailable(f"{why} Nothing was changed.", where=self.path.name) from error
        self._notify()
        return written

    def look(self) -> None:
        with self._lock:
            before = self._known
            self._catch_up()
            is_same = before is self._known
        if not is_same:
            self._notify()

    def close(self) -> None:
        pass

    def _catch_up(self) -> None:
        """Read the file if it is another one than before. One that vanished leaves what is known, and the next change writes it again."""
        now = identify(self.path)
        if now == self._identity:
            return
        self._identity = now
        if now is None:
            self._known = msgspec.structs.replace(self._known, unread="")
            return
        try:
            read = _read(self.path)
        except _Damaged as error:
            why = f"The file of shared marks cannot be used: {error}. It stays as it is; repair or remove it."
            self._known = msgspec.structs.replace(self._known, unread=why)
            return
        marks = {project: {mark.key: mark for mark in marks} for project, marks in read.projects.items()}
        before = self._known
        # A copy from before: pages take a higher number for news.
        is_older = before.revision > 0 and read.revision <= before.revision
        revision = before.revision + 1 if is_older else read.revision
        self._known = _Known(revision, marks, whole_from=revision if is_older else before.whole_from)

    def _replace(self, revision: int, marks: Mapping[str, Mapping[Key, Mark]]) -> None:
        projects = {project: list(each.values()) for project, each in marks.items()}
        data = msgspec.json.encode(_File(FORMAT, VERSION, revision, projects))
        replace(self.path, data + b"\n")
        self._identity = identify(self.path)
        self._known = _Known(revision, marks, whole_from=self._known.whole_from)


def _read(path: Path) -> _File:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise _Damaged(str(error.strerror)) from None
    if len(data) > MAX_FILE_BYTES:
        raise _Damaged(f"it has more than {MAX_FILE_BYTES:,} bytes")
    head = None
    with suppress(msgspec.DecodeError):
        head = msgspec.json.decode(data, type=_Head)
    if head is not None and (head.format, head.version) != (FORMAT, VERSION):
        raise _Damaged(f"it is {head.format!r} {head.version}, and this version reads {FORMAT!r} {VERSION}")
    try:
        return msgspec.json.decode(data, type=_File)
    except msgspec.DecodeError as error:
        raise _Damaged(f"it is damaged ({error})") from None


class _Head(Struct, frozen=True):
    format: str
    version: int
