"""A store in memory that fails on command: what no real store can be asked to do."""

from __future__ import annotations

from collections.abc import Callable

from runglass.ingest.remote.model import Entry, ObjectChanged, Trouble
from runglass.ingest.remote.storage import Traffic


class Shelf:
    """Objects by path. `fails` is raised by every call, `fails_on` by those about one path."""

    def __init__(self) -> None:
        self.objects: dict[str, tuple[bytes, Entry]] = {}
        self.traffic = Traffic()
        self.denied: list[str] = []
        self.fails: Trouble | None = None
        self.fails_on: dict[str, Trouble] = {}
        # A listing of the past, and what happens in the middle of a read.
        self.stale: dict[str, Entry] | None = None
        self.on_read: Callable[[str], None] = lambda path: None
        self.clock = 1000.0
        self.asked: list[tuple[str, int, int]] = []
        self.opened = 0

    def put(self, path: str, data: bytes, *, tag: str | None = None) -> None:
        self.clock += 1
        made = f"v{self.clock}" if tag is None else tag
        self.objects[path] = data, Entry(path, len(data), made, self.clock)

    def open(self, address: object) -> Shelf:
        self.opened += 1
        self._fail("")
        return self

    def _fail(self, path: str) -> None:
        if self.fails is not None:
            raise self.fails
        if path in self.fails_on:
            raise self.fails_on[path]

    def list_entries(self, is_wanted: Callable[[str], bool]) -> dict[str, Entry]:
        self._fail("")
        self.traffic.lists += 1
        now = {path: entry for path, (_, entry) in self.objects.items()}
        return dict(self.stale) if self.stale is not None else now

    def look_at(self, entry: Entry) -> Entry | None:
        self._fail(entry.key)
        self.traffic.reads += 1
        found = self.objects.get(entry.key)
        return None if found is None else found[1]

    def read(self, entry: Entry, start: int, end: int) -> bytes:
        self._fail(entry.key)
        self.on_read(entry.key)
        if entry.key not in self.objects:
            raise Trouble("missing", "gone", "")
        data = self.objects[entry.key][0][start:end]
        self.asked.append((entry.key, start, end))
        self.traffic.reads += 1
        self.traffic.read_bytes += len(data)
        if len(data) != end - start:
            raise ObjectChanged(entry.key)
        return data

    def close(self) -> None:
        pass
