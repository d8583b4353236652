"""The event writers of one run: its own, and one for each run below it. They open on first use, and again after close.

Does not know what is written.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from runglass.schema.event import SessionStatus
from runglass.writer import RUN_DIR_VARIABLE
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.files.record_buffer import WriterClosed

OPENING_WAIT_S = 1.0


class SilentWriter:
    """Accepts what an EventWriter accepts and writes nothing: for processes that must not log."""

    is_closed = False

    def add_scalar(self, *arguments: Any, **named: Any) -> None:
        pass

    def try_scalar(self, *arguments: Any) -> bool:
        return True

    def add_arriving_scalar(self, *arguments: Any) -> bool:
        return True

    def add_arrival(self, arrival: Any) -> None:
        pass

    def take_arrived(self) -> bool:
        return False

    def add_values(self, *arguments: Any, **named: Any) -> None:
        pass

    def last_step(self, tag: str) -> int | None:
        return None

    def add_later(self, *arguments: Any, **named: Any) -> None:
        pass

    def add_event(self, *arguments: Any, **named: Any) -> None:
        pass

    def add_payload(self, payload: bytes) -> None:
        pass

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


class RunWriters:
    """`purge_step` voids what earlier writers of this run logged from there on. A silent run makes no file."""

    def __init__(
        self,
        run_dir: str,
        *,
        purge_step: int | None,
        is_silent: bool,
        max_queue: int,
        flush_secs: float,
        filename_suffix: str,
    ) -> None:
        self.given_dir = run_dir
        # Training may change its working directory; the run stays where it began.
        self.run_dir = run_dir if "://" in run_dir else os.path.abspath(run_dir)
        self.is_silent = is_silent
        self._purge_step = purge_step
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._filename_suffix = filename_suffix
        self._by_directory: dict[str, EventWriter | SilentWriter] = {}
        # So that threads that find no writer make one, not one each.
        self._opening = threading.RLock()
        # The first writer raises where it cannot write; from then on training goes on without.
        self._is_amid_training = False
        self._open_own()
        self._is_amid_training = True

    @property
    def own(self) -> EventWriter | SilentWriter:
        """The writer of the run itself."""
        own = self._by_directory.get(self.run_dir)
        return self._open_own() if own is None or own.is_closed else own

    @property
    def opened(self) -> dict[str, EventWriter | SilentWriter]:
        """The writers that are open, by directory as the user spells it; empty after close, until something is logged again."""
        return {
            self.given_dir + directory.removeprefix(self.run_dir): each
            for directory, each in self._by_directory.items()
            if not each.is_closed
        }

    def writer(self, directory: str) -> EventWriter | SilentWriter:
        """The writer of a run below this one."""
        writer = self._by_directory.get(directory)
        if writer is not None and not writer.is_closed:
            return writer
        # With a timeout: in a forked child the thread that holds the lock may not exist.
        is_first = self._opening.acquire(timeout=OPENING_WAIT_S)
        try:
            writer = self._by_directory.get(directory)
            if writer is None or writer.is_closed:
                writer = self._by_directory[directory] = self._new_writer(directory)
            return writer
        finally:
            if is_first:
                self._opening.release()

    def write(self, log: Callable[[EventWriter | SilentWriter], None]) -> None:
        while True:
            # Another thread may close it at any moment; what is logged meanwhile goes to a new file.
            with suppress(WriterClosed):
                return log(self.own)

    def last_steps(self, tags: Sequence[str]) -> dict[str, int]:
        """Where the scalars of each tag ended in this run, by this writer or one before."""
        own = {tag: step for tag in tags if (step := self.own.last_step(tag)) is not None}
        others = [tag for tag in tags if tag not in own]
        if not others or self.is_silent:
            return own
        # Reads event files with modules that few writers need.
        from runglass.writer.files.past_steps import last_steps

        self.own.flush()
        return last_steps(self.run_dir, others) | own

    def past_points(self, run: str, tag: str) -> list[tuple[float, int, float]]:
        """Wall time, step and value of the scalars of a tag in a run below this one."""
        if self.is_silent:
            return []
        from runglass.writer.files.past_steps import past_points

        self.flush()
        return past_points(os.path.join(self.run_dir, run), tag)

    def past_hparams(self) -> dict[str, Any] | None:
        """The hyperparameters that an earlier writer logged in this run; None if there are none."""
        if self.is_silent:
            return None
        from runglass.writer.files.past_steps import past_hparams

        return past_hparams(self.run_dir)

    def flush(self) -> None:
        for writer in list(self._by_directory.values()):
            writer.flush()

    def close(self) -> None:
        writers, self._by_directory = self._by_directory, {}
        for writer in writers.values():
            writer.close()

    def __getstate__(self) -> dict[str, Any]:
        """A copy, and what another process gets, is closed: its first call opens a file of its own."""
        return {**self.__dict__, "_by_directory": {}, "_opening": None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._opening = threading.RLock()

    def _open_own(self) -> EventWriter | SilentWriter:
        own = self.writer(self.run_dir)
        if self._purge_step is not None:
            own.add_event({"session_log": {"status": SessionStatus.START}}, self._purge_step)
            # Only what was there before is void.
            self._purge_step = None
        return own

    def _new_writer(self, directory: str) -> EventWriter | SilentWriter:
        if self.is_silent:
            return SilentWriter()
        return EventWriter(
            directory,
            max_queue=self._max_queue,
            flush_secs=self._flush_secs,
            filename_suffix=self._filename_suffix,
            is_amid_training=self._is_amid_training,
        )


def default_log_dir(comment: str) -> str:
    """`runs/Nov15_09-30-00_host<comment>`; inside `runglass run` the directory of that run."""
    around = os.environ.get(RUN_DIR_VARIABLE)
    if around:
        return around
    return os.path.join("runs", f"{time.strftime('%b%d_%H-%M-%S')}_{socket.gethostname()}{comment}")
