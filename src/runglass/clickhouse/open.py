"""Opens a database as logs: alone, or together with log directories that are brought into it while they are shown."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from runglass.clickhouse.address import Address
from runglass.clickhouse.catalog import Catalog, Poller
from runglass.clickhouse.client import Client, connect
from runglass.clickhouse.ingest import Ingester
from runglass.clickhouse.schema import bring_up_to_date, check_version
from runglass.clickhouse.source import ClickHouseSource
from runglass.errors import RunglassError
from runglass.ingest.roots import LogRoot
from runglass.ingest.watch import LogdirWatch
from runglass.query.source import DataSource
from runglass.store.budget import MemoryBudget
from runglass.store.stage import RunStage, Store

POLL_EVERY_S = 1.0
# Small inserts cost the database more than they bring.
COMMIT_EVERY_S = 1.0
# What directories hold while they are brought in; the rest of their rows is in a temporary file.
FOLLOWED_BYTES = 512 << 20


class OpenDatabase:
    def __init__(
        self, address: Address, *, reload_interval_s: float = 0.0, keeps_overwritten: bool = False
    ) -> None:
        self._client = connect(address)
        self._catalog = Catalog(self._client)
        is_live = reload_interval_s > 0
        self.source: DataSource = ClickHouseSource(
            self._client, self._catalog, is_live=is_live, keeps_overwritten=keeps_overwritten
        )
        self._is_live = is_live
        self._poller = Poller(self._catalog, every_s=POLL_EVERY_S)

    def list_missing(self) -> list[str]:
        return []

    def list_unreadable(self) -> dict[str, str]:
        return {each.path: each.reason for each in self._catalog.unreadable}

    def load(self) -> None:
        check_version(self._client)
        self._catalog.poll()

    def start(self) -> None:
        try:
            self.load()
        except RunglassError as error:
            self._catalog.fail(error.message)
        if self._is_live:
            self._poller.start()

    def drop(self) -> None:
        """Remove the database with everything in it."""
        self._client.command(f"DROP DATABASE IF EXISTS {self._client.address.database} SYNC")

    def stop(self) -> None:
        self._poller.stop()
        self._client.close()


class Following:
    """Log directories that are brought into a database: once, or until it is stopped."""

    def __init__(
        self,
        client: Client,
        roots: Sequence[LogRoot],
        *,
        reload_interval_s: float = 0.0,
        keep_s: float | None = None,
        on_note: Callable[[str], None] = lambda note: None,
        on_commit: Callable[[], object] = lambda: None,
    ) -> None:
        self.store = Store([root.shown for root in roots])
        self.watch = LogdirWatch(
            self.store,
            list(roots),
            reload_interval_s=reload_interval_s,
            budget=MemoryBudget(FOLLOWED_BYTES),
            on_note=on_note,
        )
        self.ingester = Ingester(client, self.store)
        self._client = client
        # Runs without a value for longer than this are not brought in: they would be removed again.
        self._keep_s = keep_s
        self._on_note = on_note
        self._on_commit = on_commit
        self._seen = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def load(self) -> None:
        """One pass over the directories, and everything new in them into the database."""
        self.watch.load()
        self.commit()

    def commit(self) -> None:
        generation = self.store.generation
        runs = [
            run
            for run in list(self.store.runs.values())
            if run.changed_at > self._seen and not self._is_old(run)
        ]
        try:
            self.ingester.write(runs)
        except RunglassError:
            self.ingester.forget()
            raise
        self._seen = generation
        self._on_commit()

    def _is_old(self, run: RunStage) -> bool:
        last = run.info().last_wall_time
        return self._keep_s is not None and last is not None and last < time.time() - self._keep_s

    def start(self) -> None:
        self.watch.start()
        self._thread = threading.Thread(target=self._run, name="runglass-ingest", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        generation = -1
        pause_s = COMMIT_EVERY_S
        trouble = ""
        while not self._stop.is_set():
            generation = self.store.wait_for_change(generation, timeout_s=0.5)
            try:
                if trouble:
                    bring_up_to_date(self._client)
                self.commit()
                if trouble:
                    self._on_note("The database answers again.")
                trouble, pause_s = "", COMMIT_EVERY_S
            except RunglassError as error:
                if error.message != trouble:
                    self._on_note(error.message)
                trouble, pause_s = error.message, min(30.0, 2 * pause_s)
                generation = -1
            self._stop.wait(pause_s)

    def stop(self) -> None:
        self._stop.set()
        self.watch.stop()
        if self._thread is not None:
            self._thread.join(timeout=30)
            if not self._thread.is_alive():
                # What was read after its last pass.
                with suppress(RunglassError):
                    self.commit()


class OpenStore(OpenDatabase):
    """Log directories in front of a database that keeps what they hold."""

    def __init__(
        self,
        address: Address,
        roots: Sequence[LogRoot],
        *,
        reload_interval_s: float = 0.0,
        keeps_overwritten: bool = False,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        super().__init__(address, reload_interval_s=reload_interval_s, keeps_overwritten=keeps_overwritten)
        bring_up_to_date(self._client)
        self._following = Following(
            self._client,
            roots,
            reload_interval_s=reload_interval_s,
            on_note=on_note,
            on_commit=self._catalog.poll,
        )

    def load(self) -> None:
        self._following.load()
        self._catalog.poll()

    def start(self) -> None:
        if not self._is_live:
            self.load()
            return
        self._following.start()
        self._poller.start()

    def stop(self) -> None:
        self._following.stop()
        super().stop()
