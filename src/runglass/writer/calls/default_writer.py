"""The default writer, step and recording condition of each thread, for calls that name no writer.

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

# The suffix of TensorFlow's file names.
FILENAME_SUFFIX = ".v2"


class Late(NamedTuple):
    """A step or a condition that is evaluated when a value is recorded, even inside a traced tf.function."""

    ask: Callable[[], Any]


class DefaultState(threading.local):
    def __init__(self) -> None:
        self.writer: SummaryFileWriter | None = None
        self.step: Any = None
        # A bool, a tensor, a function that returns either, or Late. None: not set.
        self.condition: Any = None


state = DefaultState()


class SummaryFileWriter:
    """One event file, and a context in which the functions of runglass.summary write to it.

    >>> writer = summary.create_file_writer("logs/train")
    >>> with writer.as_default(step=0):
    ...     summary.scalar("loss", 0.5)
    """

    def __init__(self, events: EventWriter) -> None:
        self.events = events
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<SummaryFileWriter {self.events.logdir!r}{', closed' if self._is_closed else ''}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, also in another process, writes to its own file."""
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
        """Has no effect; TensorFlow's writers have this method."""

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
    """Makes a writer, and a step if one is given, the default of this thread. Flushes the writer on exit."""

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
        # Without a step, this context keeps what set_step did inside it.
        if self._step is not None:
            state.step = step
        if self._writer is not None:
            self._writer.flush()


class NoopWriter:
    """Has the methods of a writer, does nothing, and does not change the default writer."""

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
    """The arguments after `filename_suffix` have no effect: they concern TensorFlow operations.

    >>> with summary.create_file_writer("logs/train").as_default():
    ...     summary.scalar("loss", 0.5, step=0)
    """
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
    """A writer that writes nothing.

    >>> with summary.create_noop_writer().as_default():
    ...     summary.scalar("loss", 0.5, step=0)
    """
    return NoopWriter()


@not_rewritten
@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Inside, values are recorded only if `condition` holds: a bool, a tensor, or a function that returns either.

    >>> with summary.record_if(step % 100 == 0):
    ...     summary.scalar("loss", 0.5, step=step)
    """
    before = state.condition
    state.condition = condition
    try:
        yield
    finally:
        state.condition = before


@not_rewritten
def should_record_summaries() -> Any:
    """Whether a value would be recorded now: a bool, or a tensor if the condition has no value yet.

    >>> summary.should_record_summaries()
    """
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
    """The default step of this thread; None if there is none."""
    return state.step


@not_rewritten
def set_step(step: Any) -> None:
    """Set the step of values that are recorded without one. A tf.Variable is read each time."""
    state.step = step


@not_rewritten
def flush(writer: SummaryFileWriter | None = None, name: str | None = None) -> None:
    """When this returns, everything recorded so far is on disk. `name` has no effect.

    >>> summary.flush()
    """
    chosen = state.writer if writer is None else writer
    if chosen is not None:
        if not hasattr(chosen, "flush"):
            raise BadArgument(f"writer must be a summary writer, got {chosen!r}.", where="writer")
        chosen.flush()
