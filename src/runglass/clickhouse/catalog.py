"""The runs of a database as a server knows them: polled by their generation, so that listing them asks nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from runglass.clickhouse.client import Client
from runglass.clickhouse.native_format import to_text
from runglass.clickhouse.rows import FileRow
from runglass.store.model import Family, FileHealth, FileState, RunInfo
from runglass.store.reach import Place

# Clocks of a cluster differ, and a row may become visible after a younger one: look back this far.
OVERLAP_US = 60_000_000


class RunRow(Struct):
    run_id: int
    info: RunInfo
    place: Place
    tag_set: int
    # Of the database, and of this source.
    generation: int
    changed_at: int
    files_json: bytes
    _files: dict[int, FileRow] | None = None

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def files(self) -> dict[int, FileRow]:
        """By id."""
        if self._files is None:
            rows = msgspec.json.decode(self.files_json, type=list[FileRow])
            self._files = {row.file_id: row for row in rows}
        return self._files

    @property
    def only_file(self) -> int | None:
        """The id of the file of a run that has one."""
        if self.info.files != 1:
            return None
        (file,) = self.files
        return file

    def healths(self) -> list[FileHealth]:
        return [
            FileHealth(
                run=self.name,
                path=file.shown,
                state=file.state,
                size_bytes=file.size_bytes,
                read_bytes=file.read_bytes,
                records=file.records,
                skipped_records=file.skipped_records,
                byte=file.byte,
                reason=file.reason,
                advice=file.advice,
            )
            for file in sorted(self.files.values(), key=lambda file: file.name_text)
        ]


class Catalog:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._changed = threading.Condition()
        self.runs: dict[str, RunRow] = {}
        self.unreadable: list[FileHealth] = []
        # The clock of the database, in microseconds, which all servers in front of it share.
        self.generation = 0
        self.removed_at = 0
        self.is_loaded = False
        # Why the database does not answer; "" if it does.
        self.trouble = ""
        self._polling = threading.Lock()

    def poll(self) -> bool:
        """Ask for what is new; returns whether there is anything."""
        with self._polling:
            return self._poll()

    def _poll(self) -> bool:
        db = self._client.address.database
        since = max(0, max((run.generation for run in self.runs.values()), default=0) - OVERLAP_US)
        newest = self._client.query(
            f"SELECT run_id, max(generation) AS at FROM {db}.run_rows WHERE generation > {since} GROUP BY run_id"
        )
        known = {run.run_id: run.generation for run in self.runs.values()}
        wanted = [
            identity
            for identity, at in zip(newest["run_id"].tolist(), newest["at"].tolist(), strict=True)
            if known.get(identity) != at
        ]
        changed = self._read(wanted) if wanted else []
        unreadable = self._read_unreadable()
        was_loaded, was_trouble = self.is_loaded, self.trouble
        if not changed and unreadable == self.unreadable and was_loaded and not was_trouble:
            return False
        self._apply(changed, unreadable)
        return True

    def _apply(self, changed: list[tuple[RunRow, bool]], unreadable: list[FileHealth]) -> None:
        with self._changed:
            newest = max((row.generation for row, _ in changed), default=0)
            first = not self.is_loaded
            self.generation = max(self.generation + 1, newest) if not first else max(newest, 1)
            for row, is_removed in changed:
                if is_removed:
                    if self.runs.pop(row.name, None) is not None:
                        self.removed_at = self.generation
                else:
                    # What was there at the first look changed when it was written, not now.
                    row.changed_at = row.generation if first else self.generation
                    self.runs[row.name] = row
            self.unreadable = unreadable
            self.is_loaded = True
            self.trouble = ""
            self._changed.notify_all()

    def fail(self, reason: str) -> None:
        """Keep what is known, and say what is wrong."""
        with self._changed:
            if reason != self.trouble:
                self.trouble = reason
                self.generation += 1
                self._changed.notify_all()

    def wait(self, generation: int, timeout_s: float) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self.generation != generation, timeout_s)
            return self.generation

    def _read(self, wanted: Sequence[int]) -> list[tuple[RunRow, bool]]:
        db = self._client.address.database
        only = f"WHERE run_id IN ({','.join(map(str, wanted))})" if len(wanted) < 20_000 else ""
        found = self._client.query(
            "SELECT run_id, run, is_removed, root, directory, tag_set, file_rows, start_time, last_wall_time, series, points, files, "
            f"size_bytes, health, restarts, assets, asset_bytes, families, generation FROM {db}.run_rows FINAL {only} "
            "ORDER BY run"
        )
        rows = []
        for (
            identity,
            run,
            is_removed,
            root,
            directory,
            tag_set,
            files,
            *numbers,
            health,
            restarts,
            assets,
            asset_bytes,
            families,
            generation,
        ) in found.rows():
            start_time, last_wall_time, series, points, file_count, size_bytes = numbers
            info = RunInfo(
                name=to_text(run),
                start_time=start_time,
                last_wall_time=last_wall_time,
                series=series,
                points=points,
                files=file_count,
                size_bytes=size_bytes,
                health=FileState(to_text(health)),
                restarts=restarts,
                assets=assets,
                asset_bytes=asset_bytes,
                families=frozenset(Family(to_text(each)) for each in families),
            )
            row = RunRow(
                identity, info, Place(to_text(root), to_text(directory)), tag_set, generation, 0, files
            )
            rows.append((row, bool(is_removed)))
        return rows

    def _read_unreadable(self) -> list[FileHealth]:
        db = self._client.address.database
        found = self._client.query(
            f"SELECT unreadable FROM {db}.location_rows FINAL WHERE unreadable != '[]'"
        )
        return [
            each for text in found["unreadable"] for each in msgspec.json.decode(text, type=list[FileHealth])
        ]


class Poller:
    """Polls a catalog until it is stopped; a database that does not answer is asked less and less often."""

    def __init__(self, catalog: Catalog, *, every_s: float) -> None:
        self._catalog = catalog
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="runglass-poll", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        from runglass.errors import RunglassError

        pause_s = self._every_s
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                self._catalog.poll()
                # A poll that is slow must not become all that the database does.
                pause_s = max(self._every_s, 5 * (time.monotonic() - began))
            except RunglassError as error:
                self._catalog.fail(error.message)
                pause_s = min(30.0, 2 * max(pause_s, 0.5))
            self._stop.wait(pause_s)
