"""Finds runs, event files and assets below the log directories a user names. Reads directories only, never a file's contents."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from runglass.ingest.assets import RUN_FOLDER, AssetFolder, AssetRule, find_owner
from runglass.ingest.roots import LogRoot
from runglass.machine import OUT_OF_RESOURCES
from runglass.store.files import stat_file

EVENT_FILE_MARK = "tfevents"
# What the kernel shows of itself: a link there leads to every process and all that it has open.
KERNEL_FOLDERS = ("/proc", "/sys")


class FoundAsset(NamedTuple):
    # Below the run's directory, as the file system spells it.
    relative: str
    rule: AssetRule
    stat: os.stat_result


class FoundRun(Struct, frozen=True):
    name: str
    directory: str
    # The directory as the user wrote it.
    shown: str
    # Event files by name, each with its stat, or None if stat failed.
    files: tuple[tuple[str, os.stat_result | None], ...]
    # Regular files only, in any order.
    assets: tuple[FoundAsset, ...] = ()


def is_event_file(name: str) -> bool:
    return EVENT_FILE_MARK in name


class _Way(NamedTuple):
    """How a walk from a root comes to a directory."""

    # Its path without links.
    real: str
    # Real paths of the directories whose links led here. A link to or above one of them is a loop.
    hops: tuple[str, ...]


class Walk(Struct):
    """What a walk found besides the runs."""

    # Directories reached through a symbolic link. A new one needs a notification watch of its own.
    linked: set[str] = field(default_factory=set)
    # Directories that could not be listed, with the reason.
    unreadable: dict[str, str] = field(default_factory=dict)
    # Some of them only because descriptors or memory ran out.
    is_refused: bool = False
    # By root and directory: many walks begin in one directory.
    ways: dict[tuple[str, str], _Way | None] = field(default_factory=dict)


class _Folder(NamedTuple):
    path: str
    # Below the root, "" for the root itself.
    relative: str
    real: str
    hops: tuple[str, ...]
    # Which files in it are assets, and its path below the run's directory; "" for that directory itself.
    kind: AssetFolder
    below: str


def walk_runs(root: LogRoot, start: str, walk: Walk, *, is_deep: bool = True) -> Iterator[FoundRun]:
    """Every run at or below `start` (a directory at or below the root). Follows links, but not loops or into the kernel's folders.

    Without `is_deep`, only the run at `start` with the folders that belong to it.
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
    relative = root.relative(start)
    owner, kind = find_owner(relative.split(os.sep) if relative else ())
    below = os.sep.join(relative.split(os.sep)[owner:])
    shown_root = os.path.join(root.shown, "")
    way = _find_way(root.path, start, walk)
    if way is None:
        return
    pending = [_Folder(start, relative, way.real, way.hops, kind, below)]
    while pending:
        first = pending.pop()
        # List a run's directory together with the folders below it whose files belong to the run.
        group = [first]
        assets: list[FoundAsset] = []
        runs: list[tuple[_Folder, list[tuple[str, os.stat_result | None]]]] = []
        further: list[_Folder] = []
        for folder in group:
            files: list[tuple[str, os.stat_result | None]] = []
            try:
                with os.scandir(folder.path) as entries:
                    for entry in entries:
                        _look_at(entry, folder, files, assets, group, further, walk)
            except OSError as error:
                if not isinstance(error, FileNotFoundError):
                    walk.unreadable[folder.path] = error.strerror or str(error)
                    walk.is_refused |= error.errno in OUT_OF_RESOURCES
                continue
            if files:
                files.sort()
                runs.append((folder, files))
            if folder is first and not is_deep:
                further.clear()
        if further:
            further.sort(reverse=True)
            pending.extend(further)
        if assets:
            if first.kind is not RUN_FOLDER:
                # The walk started inside a run and does not see all of its assets.
                assets.clear()
            if not (runs and runs[0][0] is first) and any(asset.rule.makes_run for asset in assets):
                runs.insert(0, (first, []))
        for folder, files in runs:
            shown = shown_root + folder.relative if folder.relative else root.shown
            own = tuple(assets) if folder is first else ()
            yield FoundRun(root.run_name(folder.relative), folder.path, shown, tuple(files), own)


def _look_at(
    entry: os.DirEntry[str],
    folder: _Folder,
    files: list[tuple[str, os.stat_result | None]],
    assets: list[FoundAsset],
    group: list[_Folder],
    further: list[_Folder],
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
    below, folders = "", further
    if kind is not RUN_FOLDER:
        below, folders = os.path.join(folder.below, entry.name), group
    relative = f"{folder.relative}/{entry.name}" if folder.relative else entry.name
    if not entry.is_symlink():
        real = f"{folder.real}{os.sep}{entry.name}"
        folders.append(_Folder(entry.path, relative, real, folder.hops, kind, below))
        return
    real = os.path.realpath(entry.path)
    hops = (*folder.hops, folder.real)
    if not _is_loop(real, hops):
        walk.linked.add(entry.path)
        folders.append(_Folder(entry.path, relative, real, hops, kind, below))


def find_regular_file(path: str) -> os.stat_result | None:
    """Its stat; None if there is nothing, or a directory, pipe or device."""
    found = _stat(path)
    return found if found is not None and stat.S_ISREG(found.st_mode) else None


def _stat(path: str) -> os.stat_result | None:
    try:
        return stat_file(path)
    except OSError:
        return None


def _is_loop(real: str, hops: tuple[str, ...]) -> bool:
    if any(real == folder or real.startswith(folder + "/") for folder in KERNEL_FOLDERS):
        return True
    return any(hop == real or hop.startswith(real.rstrip(os.sep) + os.sep) for hop in hops)


def _find_way(top: str, path: str, walk: Walk) -> _Way | None:
    """None: there is a loop on the way, so a walk from `top` does not come here."""
    if len(path) <= len(top):
        return _Way(os.path.realpath(path), ())
    above, name = os.path.split(path)
    if (top, above) not in walk.ways:
        walk.ways[top, above] = _find_way(top, above, walk)
    way = walk.ways[top, above]
    if way is None or not os.path.islink(path):
        return way and _Way(os.path.join(way.real, name), way.hops)
    real, hops = os.path.realpath(path), (*way.hops, way.real)
    if _is_loop(real, hops):
        return None
    walk.linked.add(path)
    return _Way(real, hops)
