"""Finds runs, event files and assets below the log directories a user names. Reads directories only, never a file's contents."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from runglass.errors import BadRequest
from runglass.ingest.assets import RUN_FOLDER, AssetFolder, AssetRule, find_owner
from runglass.store.reach import shown_name

EVENT_FILE_MARK = "tfevents"
_WINDOWS_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


class LogRoot(Struct, frozen=True):
    """One directory (or single event file) to look into, and the name its runs go under."""

    # As the user wrote it; shown, never opened.
    shown: str
    path: str
    # Prefix of the run names; "" for none.
    name: str = ""

    def run_name(self, relative: str) -> str:
        name = shown_name(relative) or "."
        return f"{self.name}/{name}" if self.name else name


class FoundAsset(NamedTuple):
    # Below the run's directory, as the file system spells it.
    relative: str
    rule: AssetRule
    stat: os.stat_result


class FoundRun(Struct, frozen=True):
    name: str
    directory: str
    # The directory in the words of the user.
    shown: str
    # Event files in name order, each with its stat, or None where it could not be had.
    files: tuple[tuple[str, os.stat_result | None], ...]
    # Regular files alone; in no order.
    assets: tuple[FoundAsset, ...] = ()


def parse_root(text: str, *, name: str = "") -> LogRoot:
    if re.match(r"^[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise BadRequest(
            f"Log directory {text!r}: remote locations are not supported yet. Mount or copy it, and name the local path.",
            where="logdir",
        )
    return LogRoot(shown=text, path=str(Path(text).expanduser().absolute()), name=name)


def parse_spec(spec: str) -> list[LogRoot]:
    """TensorBoard's --logdir_spec: `name:path,name2:path2`, names optional.  "a:/x,/y" -> a under /x, and /y"""
    roots = []
    for item in filter(None, (piece.strip() for piece in spec.split(","))):
        name, colon, path = item.partition(":")
        is_drive = os.name == "nt" and _WINDOWS_DRIVE.match(item) is not None
        is_plain = not colon or item.startswith("/") or "://" in item or is_drive
        roots.append(parse_root(item) if is_plain else parse_root(path, name=name))
    names = [root.name for root in roots if root.name]
    for name in names:
        if names.count(name) > 1:
            raise BadRequest(
                f"--logdir_spec {spec!r} gives the name {name!r} twice. Name every directory differently.",
                where="logdir_spec",
            )
    if not roots:
        raise BadRequest(
            f"--logdir_spec {spec!r} names no directory; expected name:path,name2:path2.", where="logdir_spec"
        )
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
            name = next(
                each
                for each in (stem, *(f"{stem}-{n}" for n in range(2, len(roots) + 2)))
                if each not in taken
            )
            taken.add(name)
        named.append(LogRoot(root.shown, root.path, name))
    return named


def is_event_file(name: str) -> bool:
    return EVENT_FILE_MARK in name


class Walk(Struct):
    """What a walk learnt besides the runs."""

    # Directories reached through a symbolic link: one that appears later needs a notification watch of its own.
    linked: set[str] = field(default_factory=set)
    # Directories that could not be listed, with the reason.
    unreadable: dict[str, str] = field(default_factory=dict)


class _Folder(NamedTuple):
    path: str
    # Below the root, "" for the root itself.
    relative: str
    # Where it really is.
    real: str
    # Real directories in which a link was followed on the way here: leading back above any of them would be a loop.
    hops: tuple[str, ...]
    # What its assets are, and the folder below the run's directory that it is; "" for that directory itself.
    kind: AssetFolder
    below: str


def walk_runs(root: LogRoot, start: str, walk: Walk, *, is_deep: bool = True) -> Iterator[FoundRun]:
    """Every run at or below `start` (a directory at or below the root), links followed, loops left out.

    Without `is_deep` the run at `start` alone, with the folders that belong to it.
    """
    found = _stat(start)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        if start == root.path:
            shown = os.path.dirname(root.shown)
            yield FoundRun(
                root.run_name(""), os.path.dirname(start), shown, ((os.path.basename(start), found),)
            )
        return
    relative = relative_to(root, start)
    owner, kind = find_owner(relative.split(os.sep) if relative else ())
    below = os.sep.join(relative.split(os.sep)[owner:])
    pending = [_Folder(start, relative, os.path.realpath(start), _hops(root.path, start, walk), kind, below)]
    while pending:
        first = pending.pop()
        # A run's directory and the folders below it whose files belong to it are looked at together.
        group = [first]
        assets: list[FoundAsset] = []
        runs: list[tuple[_Folder, list[tuple[str, os.stat_result | None]]]] = []
        further: list[_Folder] = []
        for folder in group:
            files: list[tuple[str, os.stat_result | None]] = []
            folders: list[_Folder] = []
            try:
                with os.scandir(folder.path) as entries:
                    for entry in entries:
                        _look_at(entry, folder, files, assets, folders, walk)
            except OSError as error:
                if not isinstance(error, FileNotFoundError):
                    walk.unreadable[folder.path] = error.strerror or str(error)
                continue
            group.extend(each for each in folders if each.kind is not RUN_FOLDER)
            if is_deep or folder is not first:
                further.extend(each for each in folders if each.kind is RUN_FOLDER)
            if files:
                files.sort(key=lambda file: file[0])
                runs.append((folder, files))
        further.sort(reverse=True)
        pending.extend(further)
        # Where the walk begins inside a run, that run is not looked at as a whole: its assets are somebody else's to find.
        own = tuple(assets) if first.kind is RUN_FOLDER else ()
        if any(asset.rule.makes_run for asset in own) and (not runs or runs[0][0] is not first):
            runs.insert(0, (first, []))
        for folder, files in runs:
            shown = os.path.join(root.shown, folder.relative) if folder.relative else root.shown
            yield FoundRun(
                root.run_name(folder.relative),
                folder.path,
                shown,
                tuple(files),
                own if folder is first else (),
            )


def _look_at(
    entry: os.DirEntry[str],
    folder: _Folder,
    files: list[tuple[str, os.stat_result | None]],
    assets: list[FoundAsset],
    folders: list[_Folder],
    walk: Walk,
) -> None:
    try:
        is_folder = entry.is_dir()
    except OSError:
        is_folder = False
    if not is_folder:
        if is_event_file(entry.name):
            files.append((entry.name, _stat(entry.path)))
            return
        rule = folder.kind.match(entry.name)
        if rule is not None:
            found = find_regular_file(entry.path)
            if found is not None:
                assets.append(FoundAsset(os.path.join(folder.below, entry.name), rule, found))
        return
    kind = folder.kind.enter(entry.name)
    below = "" if kind is RUN_FOLDER else os.path.join(folder.below, entry.name)
    relative = f"{folder.relative}/{entry.name}" if folder.relative else entry.name
    if not entry.is_symlink():
        folders.append(
            _Folder(entry.path, relative, f"{folder.real}{os.sep}{entry.name}", folder.hops, kind, below)
        )
        return
    real = os.path.realpath(entry.path)
    hops = (*folder.hops, folder.real)
    if not any(hop == real or hop.startswith(real.rstrip(os.sep) + os.sep) for hop in hops):
        walk.linked.add(entry.path)
        folders.append(_Folder(entry.path, relative, real, hops, kind, below))


def relative_to(root: LogRoot, path: str) -> str:
    """A directory at or below the root, as seen from there; "" for the root itself."""
    relative = os.path.relpath(path, root.path)
    return "" if relative == "." else relative


def find_regular_file(path: str) -> os.stat_result | None:
    """None for what is not there, and for a directory, pipe or device."""
    found = _stat(path)
    return found if found is not None and stat.S_ISREG(found.st_mode) else None


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _hops(top: str, start: str, walk: Walk) -> tuple[str, ...]:
    """The links between the top and a directory below it, as a walk from the top would have met them."""
    hops = []
    path = start
    while len(path) > len(top):
        if os.path.islink(path):
            hops.append(os.path.realpath(os.path.dirname(path)))
            walk.linked.add(path)
        path = os.path.dirname(path)
    return tuple(reversed(hops))
