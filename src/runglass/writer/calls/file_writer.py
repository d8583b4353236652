"""`FileWriter` and `RecordWriter` of torch and tensorboardX: whole protocol buffers into an event file, or any records into a file.

A FileWriter takes serialized messages, and message objects of any protobuf package. It does not know what they hold.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Self

from runglass.errors import BadArgument
from runglass.native.records import frame
from runglass.native.wire import encode
from runglass.schema.event import EVENT
from runglass.writer.files.event_writer import FLUSH_S, MAX_QUEUE, EventWriter, to_logdir
from runglass.writer.files.record_file import stamp
from runglass.writer.files.run_writers import SilentWriter
from runglass.writer.values.arrays import to_step, to_wall_time, type_name


class FileWriter:
    """The event file of a run, for code that makes its own `Summary` and `Event` messages.

    >>> files = runglass.FileWriter("logs/first")  # or the file_writer of a SummaryWriter
    >>> files.add_summary(summary, global_step=0)
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "",
        max_queue: int = MAX_QUEUE,
        flush_secs: float = FLUSH_S,
        filename_suffix: str = "",
        *,
        logdir: str | os.PathLike[str] | None = None,
    ) -> None:
        self._logdir = to_logdir(logdir if logdir is not None else log_dir)
        self._options: dict[str, Any] = {
            "max_queue": max_queue,
            "flush_secs": flush_secs,
            "filename_suffix": filename_suffix,
        }
        self.events: EventWriter | SilentWriter = EventWriter(self._logdir, **self._options)

    def __repr__(self) -> str:
        return f"<FileWriter {self._logdir!r}{', closed' if self.events.is_closed else ''}>"

    @classmethod
    def of(cls, logdir: str, events: EventWriter | SilentWriter, **options: Any) -> Self:
        """The same around a writer that exists already.

        >>> FileWriter.of("logs/first", writer.events)
        """
        made = cls.__new__(cls)
        made._logdir, made._options, made.events = logdir, options, events
        return made

    @property
    def event_writer(self) -> Self:
        """torch has another object here, with the same calls.

        >>> files.event_writer.flush()
        """
        return self

    @property
    def _ev_writer(self) -> Self:
        return self

    @property
    def _file_name(self) -> str:
        """Scripts of tensorboardX ask for the path of the file by `file_writer.event_writer._ev_writer._file_name`."""
        return self.events.path if isinstance(self.events, EventWriter) else ""

    def get_logdir(self) -> str:
        """The directory of the run.

        >>> files.get_logdir()
        """
        return self._logdir

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """An `Event` message; it gets the step and time of this call. Bytes are written as they are.

        >>> files.add_event(event)
        """
        if not isinstance(event, bytes):
            event.wall_time = time.time() if walltime is None else to_wall_time(walltime)
            if step is not None:
                event.step = to_step(step)
        self.events.add_payload(serialized(event, "Event"))

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """A `Summary` message, at a step.

        >>> files.add_summary(summary, global_step=3)
        """
        wall_time = to_wall_time(walltime)
        when = stamp(to_step(global_step), time.time() if wall_time is None else wall_time)
        self.events.add_payload(encode(EVENT, {**when, "summary": serialized(summary, "Summary")}))

    def add_graph(self, graph_profile: Any, walltime: float | None = None) -> None:
        """A `GraphDef` and a `RunMetadata` message, or None for the second, as a pair.

        >>> files.add_graph((graph_def, None))
        """
        graph, profile = graph_profile
        events: list[dict[str, Any]] = [{"graph_def": serialized(graph, "GraphDef")}]
        if profile is not None:
            tagged = {"tag": "step1", "run_metadata": serialized(profile, "RunMetadata")}
            events.append({"tagged_run_metadata": tagged})
        for each in events:
            self.events.add_event(each, 0, to_wall_time(walltime))

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """A `GraphDef` message.

        >>> files.add_onnx_graph(graph_def)
        """
        self.events.add_event({"graph_def": serialized(graph, "GraphDef")}, 0, to_wall_time(walltime))

    def flush(self) -> None:
        """Wait until all of it is in the file.

        >>> files.flush()
        """
        self.events.flush()

    def close(self) -> None:
        """Write what waits and close the file.

        >>> files.close()
        """
        self.events.close()

    def reopen(self) -> None:
        """After close(): what is added next goes into a new file.

        >>> files.reopen()
        """
        if self.events.is_closed:
            self.events = EventWriter(self._logdir, **self._options)


class RecordWriter:
    """A file of records, each with its length and checksums: the framing of event files and TFRecord files.

    >>> records = runglass.RecordWriter("data.tfrecord")
    >>> records.write(b"one record")
    >>> records.close()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "wb")  # noqa: SIM115

    def __repr__(self) -> str:
        return f"<RecordWriter {self.path!r}{', closed' if self._file.closed else ''}>"

    def write(self, data: bytes) -> None:
        """Add one record.

        >>> records.write(b"one record")
        """
        self._file.write(frame(bytes(data)))

    def flush(self) -> None:
        """Wait until all of it is in the file.

        >>> records.flush()
        """
        self._file.flush()

    def close(self) -> None:
        """Write what waits and close the file.

        >>> records.close()
        """
        self._file.close()


def serialized(message: Any, name: str) -> bytes:
    if isinstance(message, bytes):
        return message
    serialize = getattr(message, "SerializeToString", None)
    if serialize is None:
        raise BadArgument(f"FileWriter needs {name} messages or their bytes, got {type_name(message)}.")
    data: bytes = serialize()
    return data
