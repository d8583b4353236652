"""What all calls of a SummaryWriter share: the files of its run, the step and time that values get, warnings, copies.

Knows no kind of value.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from types import TracebackType
from typing import Any, Self

from runglass.writer.calls.file_writer import FileWriter
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.files.run_writers import RunWriters, SilentWriter
from runglass.writer.values.arrays import to_step, to_wall_time
from runglass.writer.values.deferred import Deferred
from runglass.writer.values.device_values import is_on_device
from runglass.writer.values.summaries import ScalarForm


class WriterBase:
    def __init__(self, run: RunWriters) -> None:
        self._run = run
        # Bound once, for the call that is made most: it logs plain numbers of known tags and answers whether it did.
        self._try_scalar: Callable[..., bool] = run.own.try_scalar
        # What calls without a step or wall time of their own get, inside use_metadata().
        self._step: Any = None
        self._wall_time: float | None = None
        self._warned: set[str] = set()
        self._files: dict[str, FileWriter] = {}
        # Tags of numbers that may still be on a device.
        self._arriving_tags: set[str] = set()

    def __repr__(self) -> str:
        state = "" if self._run.opened else ", closed: the next call opens a new file"
        return f"<{type(self).__name__} {self._run.given_dir!r}{state}>"

    @contextmanager
    def use_metadata(self, *, global_step: Any = None, walltime: float | None = None) -> Iterator[Self]:
        """Inside `with writer.use_metadata(global_step=10):` calls may leave their step or wall time out.

        >>> with writer.use_metadata(global_step=10):
        ...     writer.add_scalar("loss", 0.5)
        """
        before = self._step, self._wall_time
        self._step = before[0] if global_step is None else to_step(global_step)
        self._wall_time = before[1] if walltime is None else to_wall_time(walltime)
        # Only the long way knows of these.
        self._try_scalar = never
        try:
            yield self
        finally:
            self._step, self._wall_time = before
            self._try_scalar = never if self._has_metadata else self._try_in_order

    @property
    def events(self) -> EventWriter | SilentWriter:
        """Where its values go, for other code that writes into this run, such as runglass.hparams.

        >>> writer.events.flush()
        """
        return self._run.own

    @property
    def file_writer(self) -> FileWriter | None:
        """Takes whole protocol buffers, as torch's does; None after close(), until something is logged again.

        >>> writer.file_writer.add_summary(summary, step)
        """
        return (self.all_writers or {}).get(self._run.given_dir)

    @property
    def all_writers(self) -> dict[str, FileWriter] | None:
        """By directory: that of this run, and those of the runs that add_scalars makes; None after close().

        >>> list(writer.all_writers)
        """
        opened = self._run.opened
        self._files = {
            directory: FileWriter.of(directory, events)
            if (known := self._files.get(directory)) is None or known.events is not events
            else known
            for directory, events in opened.items()
        }
        return self._files or None

    def _get_file_writer(self) -> FileWriter:
        """The same, and after close() it opens a new file. Other packages call it, as torch's has it."""
        self._run.own  # noqa: B018
        found = self.file_writer
        assert found is not None
        return found

    def flush(self) -> None:
        """When this returns, everything logged so far is on disk.

        >>> writer.flush()
        """
        self._run.flush()

    def close(self) -> None:
        """Writes everything and closes the files; the next call opens a new one.

        >>> writer.close()
        """
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """A copy, and what another process gets, is like a closed writer: its first call opens a file of its own."""
        return {**self.__dict__, "_run": copy(self._run), "_try_scalar": None, "_files": {}}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._try_scalar = never

    @property
    def _has_metadata(self) -> bool:
        return self._step is not None or self._wall_time is not None

    def _when(self, step: Any, walltime: float | None) -> tuple[int, float | None]:
        return (
            to_step(self._step if step is None else step),
            to_wall_time(self._wall_time if walltime is None else walltime),
        )

    def _is_arriving(
        self, tag: str, value: Any, step: int, wall_time: float | None, form: ScalarForm
    ) -> bool:
        """Logs a number that a device still computes; False for any other value."""
        is_done = False

        def log(own: EventWriter | SilentWriter) -> None:
            nonlocal is_done
            is_done = own.add_arriving_scalar(tag, value, step, wall_time, form)
            if is_done:
                self._arriving_tags.add(tag)
                self._try_scalar = never if self._has_metadata else self._try_in_order

        self._run.write(log)
        return is_done

    def _try_in_order(self, tag: Any, value: Any, step: Any, form: ScalarForm) -> bool:
        """Some numbers are still on their way. One that is here must not overtake those of its own tag."""
        own = self._run.own
        if isinstance(tag, str) and tag in self._arriving_tags:
            if is_on_device(value):
                return False
            own.take_arrived()
            self._arriving_tags.clear()
        if not self._arriving_tags:
            self._try_scalar = own.try_scalar
        return own.try_scalar(tag, value, step, form)

    def _write_scalar(
        self,
        tag: str,
        number: float,
        step: int,
        wall_time: float | None = None,
        form: ScalarForm = "simple_value",
    ) -> None:
        def log(own: EventWriter | SilentWriter) -> None:
            if tag in self._arriving_tags:
                own.take_arrived()
            own.add_scalar(tag, number, step, wall_time, form=form)
            # After close() it is a new writer.
            if not self._arriving_tags:
                self._try_scalar = never if self._has_metadata else own.try_scalar

        self._run.write(log)

    def _add_values(self, values: Sequence[bytes], step: Any, walltime: float | None) -> None:
        when = self._when(step, walltime)
        self._run.write(lambda own: own.add_values(values, *when))

    def _add_later(self, value: Deferred, step: Any, walltime: float | None) -> None:
        when = self._when(step, walltime)
        if value.warning and value.what not in self._warned:
            self._warned.add(value.what)
            # At the line that calls SummaryWriter.add_….
            warnings.warn(f"{value.what}: {value.warning}", stacklevel=3)
        self._run.write(lambda own: own.add_later(value.encode, *when, size_bytes=value.size_bytes))

    def _add_graph(self, events: Sequence[Mapping[str, Any]], values: Sequence[bytes]) -> None:
        for fields in events:
            self._run.own.add_event(fields)
        if values:
            self._run.own.add_values(values, 0)


def never(*arguments: Any) -> bool:
    return False
