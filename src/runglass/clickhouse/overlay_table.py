"""Shared marks in a table of a database: a row for every change of a field, of which the newest counts. Any number of servers share it.

A database has no lock that a writer could hold. So versions come from its clock, and a writer reads again after writing: it learns
what others have written meanwhile, before it or after it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from runglass.clickhouse.client import Client, EngineError
from runglass.clickhouse.native_format import to_text
from runglass.errors import RunglassError
from runglass.overlay.model import (
    Key,
    Mark,
    MarkChange,
    OverlayUnavailable,
    Shared,
    Value,
    Written,
    forget_removed,
    merge,
)
from runglass.overlay.shared import SharedMarks

# Not among the tables with versions: who may not change those can still share marks, and old rows are never read differently.
TABLE = """CREATE TABLE IF NOT EXISTS {db}.mark_rows (
    project String, of String, name String, field String, value String, by String, at Float64, version UInt64
) ENGINE = ReplacingMergeTree(version) ORDER BY (project, of, name, field)"""
COLUMNS = ("project", "of", "name", "field", "value", "by", "at", "version")
TYPES = ("String", "String", "String", "String", "String", "String", "Float64", "UInt64")
# A row becomes visible at most so long after its version was taken.
LATE_US = 60_000_000

Marks = Mapping[str, Mapping[Key, Mark]]
_VALUES: msgspec.json.Decoder[Value] = msgspec.json.Decoder(Value)


class _Known(Struct, frozen=True):
    revision: int = 0
    # By project.
    marks: Marks = {}
    # The newest version among them.
    newest: int = 0
    problem: str = ""
    whole_from: int = 0


class OverlayTable(SharedMarks):
    """Reads in a thread of its own: whoever follows must not wait for a database that is slow."""

    def __init__(self, connect: Callable[[], Client]) -> None:
        super().__init__()
        self._connect = connect
        self._client: Client | None = None
        # Held while the table is read and written.
        self._lock = threading.Lock()
        self._known = _Known(problem="Shared marks have not been read from the database yet.")
        self._is_wanted = threading.Event()
        self._is_closed = False
        self._is_wanted.set()
        self._thread = threading.Thread(target=self._run, name="runglass-marks", daemon=True)
        self._thread.start()

    def read(self, project: str) -> Shared:
        known = self._known
        marks = known.marks.get(project, {})
        return Shared(known.revision, marks, known.problem, known.whole_from, late_by=LATE_US)

    def look(self) -> None:
        self._is_wanted.set()

    def close(self) -> None:
        self._is_closed = True
        self._is_wanted.set()
        # An embedded engine must not be in use when the process ends.
        self._thread.join(timeout=5)

    def catch_up(self) -> None:
        """Read what is new. What is wrong with the database becomes the problem that pages show."""
        before = self._known
        with self._lock:
            try:
                self._read_new()
            except RunglassError as error:
                why = f"Shared marks cannot be read from the database: {error.message}"
                self._known = msgspec.structs.replace(self._known, problem=why)
        if self._known != before:
            self._notify()

    def write(self, project: str, changes: Sequence[MarkChange], *, by: str) -> Written:
        try:
            with self._lock:
                written = self._write(project, changes, by)
        except RunglassError as error:
            why = f"The database does not take shared marks: {error.message}"
            self._known = msgspec.structs.replace(self._known, problem=why)
            self._notify()
            raise OverlayUnavailable(f"{why} Nothing was changed.", where="shared_overlay") from error
        self._notify()
        return written

    def _run(self) -> None:
        while not self._is_closed:
            self._is_wanted.wait()
            self._is_wanted.clear()
            if not self._is_closed:
                self.catch_up()
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _write(self, project: str, changes: Sequence[MarkChange], by: str) -> Written:
        client, now_us, _ = self._read_new()
        revision = max(self._known.revision + 1, now_us)
        before = self._known.marks.get(project, {})
        after, written = merge(before, changes, by=by, at=now_us / 1e6, revision=revision)
        mine = [mark for mark in after.values() if mark.version == revision]
        if not mine:
            return msgspec.structs.replace(written, revision=self._known.revision)
        table = f"{client.address.database}.mark_rows"
        client.insert(table, COLUMNS, TYPES, _columns_of(project, mine))
        try:
            _, _, rows = self._read_new()
        except RunglassError:
            # It is written; what others did meanwhile is seen with the next look.
            return written
        asked = {change.key: change.value for change in changes}
        told = {mark.key: mark for mark in written.replaced}
        for of, mark in rows:
            seen = before.get(mark.key)
            if of == project and (0 if seen is None else seen.version) < mark.version < revision:
                told[mark.key] = mark
        replaced = [mark for key, mark in told.items() if key in asked and mark.value != asked[key]]
        now = self._known.marks[project]
        return Written(self._known.revision, [now[mark.key] for mark in written.marks], replaced)

    def _read_new(self) -> tuple[Client, int, list[tuple[str, Mark]]]:
        """Bring what is known up to date; returns the client, the time by the clock of the database, and the rows of the last minute."""
        client = self._client = self._client or self._connect()
        known = self._known
        try:
            rows = self._read_rows(client, known.newest - LATE_US if known.newest else 0)
        except EngineError as error:
            if not error.is_missing:
                raise
            self._make(client)
            rows = []
        is_older = known.newest > 0 and all(mark.version != known.newest for _, mark in rows)
        if is_older:
            # The table was emptied, or an older copy was put back.
            rows = self._read_rows(client, 0)
        now_us = int(client.query("SELECT toUnixTimestamp64Micro(now64(6)) AS now")["now"][0])
        marks = _fold({} if is_older else known.marks, rows, now_s=now_us / 1e6)
        newest = max((mark.version for _, mark in rows), default=0)
        if is_older or marks != known.marks:
            # Grows with whatever is seen later, also if that was written earlier.
            revision = max(known.revision + 1, newest)
            whole_from = revision if is_older else known.whole_from
            self._known = _Known(revision, marks, newest, "", whole_from)
        elif known.problem:
            self._known = msgspec.structs.replace(known, problem="", newest=newest)
        return client, now_us, rows

    def _read_rows(self, client: Client, since: int) -> list[tuple[str, Mark]]:
        """Rows of all projects after a version, in the order of their versions; some may be replaced by later ones."""
        found = client.query(
            f"SELECT {', '.join(COLUMNS)} FROM {client.address.database}.mark_rows WHERE version > {max(since, 0)} "
            "ORDER BY version"
        )
        try:
            return [(to_text(project), _mark_of(*values)) for project, *values in found.rows()]
        except msgspec.DecodeError as error:
            raise EngineError(
                f"{client.address.shown}: mark_rows has a row that is not a mark ({error}). Remove it.",
                where=client.address.shown,
            ) from None

    def _make(self, client: Client) -> None:
        db = client.address.database
        client.command(f"CREATE DATABASE IF NOT EXISTS {db}")
        client.command(TABLE.replace("{db}", db))


def _mark_of(of: bytes, name: bytes, field: bytes, value: bytes, by: bytes, at: float, version: int) -> Mark:
    return Mark(
        of="view" if of == b"view" else "run",
        name=to_text(name),
        field=to_text(field),
        value=_VALUES.decode(value),
        by=to_text(by),
        at=at,
        version=version,
    )


def _columns_of(project: str, marks: Sequence[Mark]) -> list[list[object]]:
    rows = [
        (project, each.of, each.name, each.field, _text_of(each.value), each.by, each.at, each.version)
        for each in marks
    ]
    return [list(column) for column in zip(*rows, strict=True)]


def _text_of(value: Value) -> str:
    return msgspec.json.encode(value).decode()


def _fold(known: Marks, rows: Iterable[tuple[str, Mark]], *, now_s: float) -> Marks:
    marks = {project: dict(each) for project, each in known.items()}
    for project, mark in rows:
        of_project = marks.setdefault(project, {})
        before = of_project.get(mark.key)
        if before is None or before.version <= mark.version:
            of_project[mark.key] = mark
    return {project: forget_removed(each, now=now_s) for project, each in marks.items()}
