"""Where a call that names no writer goes: the default writer, step and recording condition of each thread.

Knows no kind of summary.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, NamedTuple

from runglass.errors import BadArgument
from runglass.writer.calls import tensorflow_bridge
from runglass.writer.calls.tensorflow_bridge import not_rewritten
from runglass.writer.files.event_writer import FLUSH_S, MAX_QUEUE, EventWriter
from runglass.writer.values.arrays import to_number

# What TensorFlow ends the names of its files with.
FILENAME_SUFFIX = ".v2"


class Late(NamedTuple):
    """A step or a condition that is asked for when a value is recorded, even inside a traced tf.function."""

    ask: Callable[[], Any]


class DefaultState(threading.local):
    def __init__(self) -> None:
        self.writer: SummaryFileWriter | None = None
        self.step: Any = None
        # A bool, a tensor, a function that gives either, or Late. None: nobody said.
        self.condition: Any = None


state = DefaultState()


class SummaryFileWriter:
    """One event file, and a context in which the functions of runglass.summary write to it."""

    def __init__(self, events: EventWriter) -> None:
        self.events = events
        self._is_closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, and what another process gets, has a file of its own."""
        events = self.events
        return create_file_writer, (events.logdir, None, events.flush_secs * 1000, events.filename_suffix)

    @not_rewritten
    def as_default(self, step: Any = None) -> DefaultContext:
        if self._is_closed:
            raise BadArgument(f"The writer of {self.events.logdir} is closed; create another one.")
        return DefaultContext(self, step)

    @not_rewritten
    def set_as_default(self, step: Any = None) -> None:
        """For the rest of this thread."""
        self.as_default(step).__enter__()

    def init(self) -> None:
        """Without effect; TensorFlow's writers have it."""

    @not_rewritten
    def flush(self) -> None:
        if tensorflow_bridge.is_tracing():
            tensorflow_bridge.call_in_graph(self.events.flush, [])
        elif not self._is_closed:
            self.events.flush()

    @not_rewritten
    def close(self) -> None:
        self._is_closed = True
        self.events.close()

    def __enter__(self) -> SummaryFileWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class DefaultContext:
    """Makes a writer the default of this thread, and a step too when one is given; leaving it flushes the writer."""

    def __init__(self, writer: SummaryFileWriter | None, step: Any) -> None:
        self._writer = writer
        self._step = step

    def __enter__(self) -> SummaryFileWriter | None:
        self._before = state.writer, state.step
        state.writer = self._writer
        if self._step is not None:
            state.step = self._step
        return self._writer

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writer, step = self._before
        state.writer = writer
        # Without a step of its own this context leaves alone what set_step did inside it.
        if self._step is not None:
            state.step = step
        if self._writer is not None:
            self._writer.flush()


class NoopWriter:
    """Looks like a writer and changes nothing, the default writer included."""

    @contextmanager
    def as_default(self, step: Any = None) -> Iterator[None]:
        yield

    def set_as_default(self, step: Any = None) -> None: ...
    def init(self) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


@not_rewritten
def create_file_writer(
    logdir: str | os.PathLike[str],
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryFileWriter:
    """What comes after `filename_suffix` is accepted and without effect: it is about operations of TensorFlow's."""
    if not isinstance(logdir, str | os.PathLike):
        raise BadArgument(f"logdir must be a path, got {logdir!r}.", where="logdir")
    return SummaryFileWriter(
        EventWriter(
            logdir,
            max_queue=MAX_QUEUE if max_queue is None else max_queue,
            flush_secs=FLUSH_S if flush_millis is None else to_number(flush_millis, "flush_millis") / 1000,
            filename_suffix=FILENAME_SUFFIX if filename_suffix is None else filename_suffix,
        )
    )


def create_noop_writer() -> NoopWriter:
    return NoopWriter()


@not_rewritten
@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Inside, values are recorded only where `condition` holds: a bool, a tensor, or a function that gives either."""
    before = state.condition
    state.condition = condition
    try:
        yield
    finally:
        state.condition = before


@not_rewritten
def should_record_summaries() -> Any:
    """Whether a value would be recorded now: a bool, or a tensor where the condition is one that has no value yet."""
    if state.writer is None:
        return False
    condition = state.condition
    if isinstance(condition, Late):
        condition = condition.ask()
    elif callable(condition):
        condition = condition()
    if condition is None:
        return True
    return condition if tensorflow_bridge.is_symbolic(condition) else bool(condition)


@not_rewritten
def get_step() -> Any:
    """The default step of this thread, as it was set; None without one."""
    return state.step


@not_rewritten
def set_step(step: Any) -> None:
    """Whatever is recorded without a step gets this one. A tf.Variable is read whenever a value is recorded."""
    state.step = step


@not_rewritten
def flush(writer: SummaryFileWriter | None = None, name: str | None = None) -> None:
    """Everything recorded so far is on disk when this returns. `name` is without effect."""
    chosen = state.writer if writer is None else writer
    if chosen is not None:
        if not hasattr(chosen, "flush"):
            raise BadArgument(f"writer must be a summary writer, got {chosen!r}.", where="writer")
        chosen.flush()
