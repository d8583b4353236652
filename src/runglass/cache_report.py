"""`runglass cache`: what the cache folder holds, for which logs, and how to be rid of it. Everything in it can be made again."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from runglass.ingest.remote import folders
from runglass.ingest.remote.address import is_remote, split_address
from runglass.ingest.remote.folders import KeptMirror, list_mirrors, remove_mirror
from runglass.store.index import folder as index
from runglass.store.index.folder import IndexedRoot, clear, list_indexed

# By folder: what it is for.
PARTS = {
    index.FOLDER: "event files that were read, so that they open at once",
    "results": "results of long computations",
    "profiles": "profiles that were converted",
    folders.FOLDER: "what was fetched of remote logs",
}
UNKNOWN = "of another version of Runglass, or damaged"


class CachePart(NamedTuple):
    name: str
    size_bytes: int
    files: int


class CacheReport(NamedTuple):
    folder: Path
    parts: list[CachePart]
    indexed: list[IndexedRoot]
    mirrors: list[KeptMirror]

    def to_json(self) -> dict[str, object]:
        return {
            "folder": str(self.folder),
            "parts": [{**part._asdict(), "for": PARTS[part.name]} for part in self.parts],
            "indexed": [
                {
                    "logdir": each.root,
                    "files": each.files,
                    "size_bytes": each.size_bytes,
                    "used_time": each.used_time,
                }
                for each in self.indexed
            ],
            "remote": [
                {"location": each.location, "size_bytes": each.size_bytes, "used_time": each.used_time}
                for each in self.mirrors
            ],
        }


class Cleared(NamedTuple):
    removed_bytes: int
    # What stayed, because a process uses it.
    left: list[str]
    # Log directories that nothing was kept of.
    unknown: list[str]


def examine(folder: Path) -> CacheReport:
    mirrors = list_mirrors(folder)
    parts = []
    for name in PARTS:
        sizes = [size for _, size in _walk(folder / name)]
        # Files of mirrors are mostly holes.
        total = sum(each.size_bytes for each in mirrors) if name == folders.FOLDER else sum(sizes)
        if sizes:
            parts.append(CachePart(name, total, len(sizes)))
    named = {os.path.realpath(each.folder): each.location for each in mirrors}
    indexed = [
        each._replace(root=named.get(os.path.dirname(each.root), each.root) if each.root else None)
        for each in list_indexed(folder)
    ]
    return CacheReport(folder, parts, indexed, mirrors)


def _walk(top: Path) -> list[tuple[Path, int]]:
    found = []
    for folder, _, names in os.walk(top):
        for name in names:
            path = Path(folder, name)
            with suppress(OSError):
                found.append((path, path.lstat().st_size))
    return found


def render(report: CacheReport) -> str:
    if not report.parts:
        return f"{report.folder} holds nothing of Runglass."
    total = sum(part.size_bytes for part in report.parts)
    lines = [f"{report.folder}: {_size(total)}"]
    for part in report.parts:
        lines.append(f"  {part.name:<10}{_size(part.size_bytes):>10}  {PARTS[part.name]}")
        if part.name == index.FOLDER:
            for each in reversed(report.indexed):
                files = f"{each.files:,} event file{'' if each.files == 1 else 's'}"
                lines.append(_line(each.size_bytes, f"{each.root or UNKNOWN}: {files}", each.used_time))
        if part.name == folders.FOLDER:
            for mirror in reversed(report.mirrors):
                lines.append(_line(mirror.size_bytes, mirror.location or UNKNOWN, mirror.used_time))
    lines += ["", "All of it can be made again. To remove it: runglass cache --clear [LOGDIR …]"]
    return "\n".join(lines)


def _line(size_bytes: int, what: str, used_time: float) -> str:
    return f"  {'':<10}{_size(size_bytes):>10}    {what}, last used {_ago(used_time)}"


def clear_cache(folder: Path, logdirs: Sequence[str]) -> Cleared:
    """Remove everything, or what is kept of some log directories, but not what a process uses."""
    wanted = {_name(each): each for each in logdirs}
    removed, left, found = 0, [], set()
    trees = {}
    for mirror in list_mirrors(folder):
        tree = os.path.realpath(mirror.folder / "tree")
        trees[tree] = name = mirror.location or str(mirror.folder)
        if wanted and name not in wanted:
            continue
        found.add(name)
        if remove_mirror(mirror.folder):
            removed += mirror.size_bytes
        else:
            left.append(name)
    for each in list_indexed(folder):
        name = trees.get(each.root or "", each.root or str(each.folder))
        if wanted and name not in wanted:
            continue
        found.add(name)
        if clear(each.folder):
            removed += each.size_bytes
        elif name not in left:
            left.append(name)
    if not wanted:
        for name in ("results", "profiles"):
            for path, size in _walk(folder / name):
                with suppress(OSError):
                    path.unlink()
                    removed += size
    return Cleared(removed, left, [text for name, text in wanted.items() if name not in found])


def _name(logdir: str) -> str:
    return split_address(logdir).shown if is_remote(logdir) else os.path.realpath(logdir)


def _ago(then: float) -> str:
    days = int((time.time() - then) / 86400)
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days:,} days ago"


def _size(size_bytes: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} TB"
