"""Finds runs and event files below the log directories a user names. Reads directories only, never a file's contents."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from runglass.errors import BadRequest

EVENT_FILE_MARK = "tfevents"
_WINDOWS_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class LogRoot:
    """One directory (or single event file) to look into, and the name its runs go under."""

    # As the user wrote it; shown, never opened.
    shown: str
    path: str
    # Prefix of the run names; "" for none.
    name: str = ""

    def run_name(self, relative: str) -> str:
        name = relative.replace(os.sep, "/") or "."
        # Names that are not UTF-8 on disk could not be sent anywhere.
        name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return f"{self.name}/{name}" if self.name else name


@dataclass(frozen=True, slots=True)
class FoundRun:
    name: str
    directory: str
    # Event files in name order, each with its stat, or None where it could not be had.
    files: tuple[tuple[str, os.stat_result | None], ...]


def parse_root(text: str, *, name: str = "") -> LogRoot:
    if re.match(r"^[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise BadRequest(
            f"Log directory {text!r}: remote locations are not supported yet. Mount or copy it, and name the local path.", where="logdir"
        )
    return LogRoot(shown=text, path=str(Path(text).expanduser().absolute()), name=name)


def parse_spec(spec: str) -> list[LogRoot]:
    """TensorBoard's --logdir_spec: `name:path,name2:path2`, names optional.  "a:/x,/y" -> a under /x, and /y"""
    roots = []
    for item in filter(None, (piece.strip() for piece in spec.split(","))):
        name, colon, path = item.partition(":")
        is_plain = not colon or item.startswith("/") or "://" in item or _WINDOWS_DRIVE.match(item) is not None
        roots.append(parse_root(item) if is_plain else parse_root(path, name=name))
    if not roots:
        raise BadRequest(f"--logdir_spec {spec!r} names no directory; expected name:path,name2:path2.", where="logdir_spec")
    return roots


def name_roots(roots: list[LogRoot]) -> list[LogRoot]:
    """Give each of several unnamed roots the name of its directory, so that equal run names stay apart."""
    if len(roots) < 2:
        return roots
    taken = {root.name for root in roots if root.name}
    named = []
    for root in roots:
        name = root.name
        if not name:
            stem = os.path.basename(root.path) or "root"
            name = next(each for each in (stem, *(f"{stem}-{n}" for n in range(2, len(roots) + 2))) if each not in taken)
            taken.add(name)
        named.append(LogRoot(root.shown, root.path, name))
    return named


def is_event_file(name: str) -> bool:
    return EVENT_FILE_MARK in name


@dataclass(slots=True)
class Walk:
    """What a walk learnt besides the runs."""

    # Directories reached through a symbolic link: one that appears later needs a notification watch of its own.
    linked: set[str] = field(default_factory=set)
    # Directories that could not be listed, with the reason.
    unreadable: dict[str, str] = field(default_factory=dict)


def walk_runs(root: LogRoot, start: str, walk: Walk) -> Iterator[FoundRun]:
    """Every run at or below `start` (a directory at or below the root), links followed, loops left out."""
    relative = os.path.relpath(start, root.path)
    above = _ancestors(root.path, start)
    if above is None:
        return
    pending = [(start, "" if relative == "." else relative, above)]
    if not os.path.isdir(start):
        found = _stat(start)
        if found is not None and stat.S_ISREG(found.st_mode):
            yield FoundRun(root.run_name(""), os.path.dirname(start), ((os.path.basename(start), found),))
        return
    while pending:
        directory, relative, above = pending.pop()
        files: list[tuple[str, os.stat_result | None]] = []
        folders: list[tuple[str, str, frozenset[tuple[int, int]]]] = []
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    _look_at(entry, relative, above, files, folders, walk)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                walk.unreadable[directory] = error.strerror or str(error)
            continue
        folders.sort(reverse=True)
        pending.extend(folders)
        if files:
            files.sort(key=lambda file: file[0])
            yield FoundRun(root.run_name(relative), directory, tuple(files))


def _look_at(
    entry: os.DirEntry[str],
    relative: str,
    above: frozenset[tuple[int, int]],
    files: list[tuple[str, os.stat_result | None]],
    folders: list[tuple[str, str, frozenset[tuple[int, int]]]],
    walk: Walk,
) -> None:
    try:
        is_folder = entry.is_dir()
    except OSError:
        is_folder = False
    if is_folder:
        found = _stat(entry.path)
        if found is None:
            return
        identity = (found.st_dev, found.st_ino)
        if identity in above:
            return
        if entry.is_symlink():
            walk.linked.add(entry.path)
        folders.append((entry.path, f"{relative}/{entry.name}" if relative else entry.name, above | {identity}))
    elif is_event_file(entry.name):
        files.append((entry.name, _stat(entry.path)))


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _ancestors(top: str, start: str) -> frozenset[tuple[int, int]] | None:
    """Identities of the directories from the top down to `start`; None when `start` is gone."""
    identities = set()
    path = start
    while True:
        found = _stat(path)
        if found is None:
            return None
        identities.add((found.st_dev, found.st_ino))
        if path == top or len(path) <= len(top):
            return frozenset(identities)
        path = os.path.dirname(path)
