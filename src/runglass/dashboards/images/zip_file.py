"""A zip that is sent while it is made: its files are loaded one by one and never held together. Knows nothing of pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from runglass.api.sink import Sink

UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"|?*\\\ud800-\udfff]+')
PART_LIMIT = 100
# Names that Windows takes for devices, whatever follows the first dot.
DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


def write_zip(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Pieces of a zip with these files, not compressed: pictures are already. Of two with one name, both are in it."""
    sink = Sink()
    taken: set[str] = set()
    with ZipFile(sink, "w", ZIP_STORED) as archive:
        for name, data in files:
            archive.writestr(ZipInfo(_free(name, taken)), data)
            yield sink.take()
    yield sink.take()


def safe_path(*names: str) -> str:
    """Run, tag and file name as a path inside the zip: it leads nowhere else, and every system can write it."""
    parts = [part for name in names for part in name.split("/")]
    return "/".join(_safe_part(part) for part in parts if part.strip(". "))


def _safe_part(part: str) -> str:
    part = UNSAFE.sub("_", part).strip(" ").rstrip(".")[:PART_LIMIT].rstrip(". ")
    return f"_{part}" if DEVICES.match(part) else part


def _free(name: str, taken: set[str]) -> str:
    """Not the name of a file before it, on systems that do not tell large letters from small ones either."""
    stem, dot, ending = name.rpartition(".")
    free, number = name, 1
    while free.lower() in taken:
        number += 1
        free = f"{stem}_{number}{dot}{ending}"
    taken.add(free.lower())
    return free
