"""A zip file that is streamed as it is produced: only one of its files is in memory at a time. Knows nothing of pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from runglass.api.sink import Sink

UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\\ud800-\udfff]+')
PART_LIMIT = 100
# Windows reserves these names, whatever follows the first dot.
DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


def write_zip(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Pieces of a zip with these files. Not compressed, because pictures are already. Files of the same name are all kept."""
    sink = Sink()
    taken: set[str] = set()
    with ZipFile(sink, "w", ZIP_STORED) as archive:
        for name, data in files:
            archive.writestr(ZipInfo(_free(name, taken)), data)
            yield sink.take()
    yield sink.take()


def safe_path(*names: str) -> str:
    """Run, tag and file name as a path inside the zip that stays inside and is valid on every system."""
    parts = [part for name in names for part in name.split("/")]
    return "/".join(_safe_part(part) for part in parts if part.strip(". "))


def _safe_part(part: str) -> str:
    part = UNSAFE.sub("_", part).strip(" ").rstrip(".")[:PART_LIMIT].rstrip(". ")
    return f"_{part}" if DEVICES.match(part) else part


def _free(name: str, taken: set[str]) -> str:
    """A name that no earlier file has, also on systems that ignore case."""
    stem, dot, ending = name.rpartition(".")
    free, number = name, 1
    while free.lower() in taken:
        number += 1
        free = f"{stem}_{number}{dot}{ending}"
    taken.add(free.lower())
    return free
