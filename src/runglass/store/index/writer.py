"""Writes packs. A pack gets its name when all of it is on the disk, so one that is found is whole or was damaged later."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from runglass.native.pack_rows import PackRows
from runglass.native.records import crc32c
from runglass.store.index.layout import (
    ALIGNED_BYTES,
    EDGE_BYTES,
    EXTRA,
    FILE,
    FOOTER_END,
    MAGIC,
    SUFFIX,
    TABLE_PLACE,
    TABLES,
)
from runglass.store.index.saved import SavedFile

UNFINISHED = ".tmp"
BUFFER_BYTES = 1 << 20


def write_pack(folder: Path, root: str, files: Iterable[SavedFile]) -> Path:
    """Write event files below `root` to a new pack; returns its path. Raises OSError, and then leaves nothing behind."""
    name = f"{time.time_ns():020d}-{os.urandom(4).hex()}"
    unfinished = folder / f"{name}{UNFINISHED}"
    try:
        with open(unfinished, "xb", buffering=BUFFER_BYTES) as out:
            pack = _PackWriter(out, root)
            for file in files:
                pack.add(file)
            pack.finish()
            out.flush()
            os.fsync(out.fileno())
        finished = folder / f"{name}{SUFFIX}"
        os.replace(unfinished, finished)
        sync_folder(folder)
        return finished
    finally:
        with suppress(OSError):
            unfinished.unlink()


def sync_folder(folder: Path) -> None:
    """Make a new name in it last. Not all systems can, and none needs it to stay consistent."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


class _PackWriter:
    def __init__(self, out: IO[bytes], root: str) -> None:
        self._out = out
        self._files: list[tuple[Any, ...]] = []
        self._extras: list[tuple[Any, ...]] = []
        self._numbers: dict[str, dict[bytes, int]] = {"path": {}, "name": {}, "meta": {}}
        self._rows = PackRows(out, len(MAGIC), self._numbers["name"], self._numbers["meta"])
        self._about = {"root": root, "time": time.time()}
        out.write(MAGIC)

    def add(self, file: SavedFile) -> None:
        rows = self._rows
        began, first_tag = rows.at, rows.tag_count
        rows.add(file.tags)
        first_extra = len(self._extras)
        for extra in file.extras:
            tag = self._number("name", extra.tag.encode("utf-8", "surrogatepass"))
            self._extras.append((extra.field, tag, *extra[2:]))
        self._files.append(
            (
                self._number("path", os.fsencode(file.path)),
                *file.identity,
                len(file.head),
                len(file.last),
                file.head.ljust(EDGE_BYTES, b"\0"),
                file.last.ljust(EDGE_BYTES, b"\0"),
                file.stop,
                file.lost,
                file.first_lost,
                *file.state,
                first_tag,
                len(file.tags),
                first_extra,
                len(file.extras),
                rows.at - began,
            )
        )

    def _number(self, kind: str, text: bytes) -> int:
        return self._numbers[kind].setdefault(text, len(self._numbers[kind]))

    def finish(self) -> None:
        rows = self._rows
        tables: dict[str, Any] = {
            "about": json.dumps(self._about).encode(),
            "files": np.array(self._files, FILE).tobytes(),
            "extras": np.array(self._extras, EXTRA).tobytes(),
            "tags": rows.tags,
            "parts": rows.parts,
            "checks": rows.checks,
            "starts": rows.starts,
            "summaries": rows.summaries,
            "pyramids": rows.pyramids,
        }
        for kind, numbers in self._numbers.items():
            tables[f"{kind}s"] = b"".join(numbers)
            tables[f"{kind}_ends"] = np.cumsum([len(text) for text in numbers], dtype="i8").tobytes()
        places = []
        at = rows.at
        for name in TABLES:
            data = tables[name]
            places.append(TABLE_PLACE.pack(at, len(data), crc32c(data)))
            self._out.write(data)
            padding = -len(data) % ALIGNED_BYTES
            self._out.write(b"\0" * padding)
            at += len(data) + padding
        footer = b"".join(places)
        size = at + len(footer) + FOOTER_END.size + len(MAGIC)
        self._out.write(footer + FOOTER_END.pack(size, crc32c(footer + MAGIC)) + MAGIC)
