"""`runglass cache`: what the cache folder holds, for which logs, and how to be rid of it. Everything in it can be made again."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from runglass.store.index.folder import FOLDER, IndexedRoot, clear, list_indexed

# By folder: what it is for.
PARTS = {
    FOLDER: "event files that were read, so that they open at once",
    "results": "results of long computations",
    "profiles": "profiles that were converted",
    "remote": "parts of remote logs",
}


class CachePart(NamedTuple):
    name: str
    size_bytes: int
    files: int


class CacheReport(NamedTuple):
    folder: Path
    parts: list[CachePart]
    indexed: list[IndexedRoot]

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
        }


def examine(folder: Path) -> CacheReport:
    parts = []
    for name in PARTS:
        sizes = [size for _, size in _walk(folder / name)]
        if sizes:
            parts.append(CachePart(name, sum(sizes), len(sizes)))
    return CacheReport(folder, parts, list_indexed(folder))


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
        if part.name == FOLDER:
            for each in reversed(report.indexed):
                what = each.root if each.root is not None else "of another version of Runglass, or damaged"
                lines.append(
                    f"  {'':<10}{_size(each.size_bytes):>10}    {what}: {each.files:,} event files, last used {_ago(each.used_time)}"
                )
    lines += ["", "All of it can be made again. To remove it: runglass cache --clear [LOGDIR …]"]
    return "\n".join(lines)


def clear_cache(folder: Path, logdirs: Sequence[str]) -> tuple[int, list[str]]:
    """Remove everything, or what is kept of some log directories. Returns the bytes removed and what stayed because it is in use."""
    wanted = {os.path.realpath(each) for each in logdirs}
    removed, left = 0, []
    for each in list_indexed(folder):
        if wanted and each.root not in wanted:
            continue
        if clear(each.folder):
            removed += each.size_bytes
        else:
            left.append(each.root or str(each.folder))
    if not wanted:
        for name in PARTS:
            if name == FOLDER:
                continue
            for path, size in _walk(folder / name):
                with suppress(OSError):
                    path.unlink()
                    removed += size
    return removed, left


def _ago(then: float) -> str:
    days = int((time.time() - then) / 86400)
    return "today" if days < 1 else "yesterday" if days == 1 else f"{days:,} days ago"


def _size(size_bytes: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}" if unit == "B" else f"{size_bytes:.1f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} TB"
