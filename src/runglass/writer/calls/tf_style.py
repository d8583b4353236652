"""The functions of tf.summary: each writes a value to the default writer, from plain Python or inside a tf.function.

Names, arguments and their meaning are those of TensorFlow, which need not be installed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.summary import VALUE
from runglass.schema.tensor_values import TensorError, encode_tensor
from runglass.writer.calls import tensorflow_bridge
from runglass.writer.calls.default_writer import Late, should_record_summaries, state
from runglass.writer.calls.tensorflow_bridge import not_rewritten, scoped_tag
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.values import deferred, summaries
from runglass.writer.values.arrays import (
    clean_tag,
    to_count,
    to_number,
    to_numpy,
    to_step,
    type_name,
)
from runglass.writer.values.histograms import BUCKETS
from runglass.writer.values.pictures import check_pixel_type
from runglass.writer.values.summaries import ScalarForm
from runglass.writer.values.wav import MOST_CHANNELS, MOST_SAMPLES_PER_S, clip_warning

MOST_OUTPUTS = 2**31 - 1

warned: set[str] = set()


def record(add: Callable[..., None], step: Any, *inputs: Any) -> Any:
    """Calls add(writer, step, *inputs) if there is a writer and the condition holds; returns whether it did.

    Inside a tf.function it adds that call to the graph, with tensors among `inputs`.
    """
    writer = state.writer
    is_tracing = tensorflow_bridge.is_tracing()
    late_condition = state.condition if is_tracing and isinstance(state.condition, Late) else None
    is_recorded = True if late_condition else should_record_summaries()
    if writer is None or is_recorded is False:
        return False
    if step is None:
        step = state.step
    if step is None:
        raise BadArgument(
            "No step is set. Pass step=…, or set a default with writer.as_default(step=…) or "
            "runglass.summary.experimental.set_step(…).",
            where="step",
        )
    if not is_tracing:
        add(writer.events, to_step(step.ask() if isinstance(step, Late) else step), *inputs)
        return True
    late_step = step if isinstance(step, Late) else None

    def add_in_graph(is_recorded: bool, step: Any, *values: Any) -> None:
        if late_condition.ask() if late_condition else is_recorded:
            add(writer.events, to_step(late_step.ask() if late_step else step), *values)

    tensorflow_bridge.call_in_graph(add_in_graph, [is_recorded, 0 if late_step else step, *inputs])
    return True


@not_rewritten
def scalar(
    name: str,
    data: Any,
    step: Any = None,
    description: str | None = None,
    *,
    double_precision: bool = False,
) -> Any:
    """One number, stored with 32 bits as in TensorFlow, whatever type it has; `double_precision` keeps all its digits.

    summary.scalar("loss", loss, step=step)

    >>> summary.scalar("loss", 0.5, step=0)
    """
    tag = scoped_tag(name)
    form: ScalarForm = "float64" if double_precision else "float32"

    def add(writer: EventWriter, step: int, value: Any) -> None:
        add_scalar(writer, tag, value, step, description or "", form)

    return record(add, step, data)


def add_scalar(
    writer: EventWriter, tag: str, value: Any, step: int, description: str = "", form: ScalarForm = "float32"
) -> None:
    number = to_number(value, f"Scalar {tag!r}")
    if description:
        summary = summaries.scalar(tag, number, form=form, description=description)
        writer.add_values([summary], step, are_scalars=True)
    else:
        writer.add_scalar(tag, number, step, form=form)


@not_rewritten
def image(
    name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None
) -> Any:
    """Pictures of shape [k, height, width, channels], uint8 or float from 0 to 1; logs the first `max_outputs`.

    >>> summary.image("digits", pixels, step=0, max_outputs=8)
    """
    tag = scoped_tag(name)

    def add(writer: EventWriter, step: int, data: Any, max_outputs: Any) -> None:
        add_images(writer, tag, data, step, max_outputs=max_outputs, description=description or "")

    return record(add, step, data, max_outputs)


def add_images(
    writer: EventWriter, tag: str, data: Any, step: int, *, max_outputs: Any = 3, description: str = ""
) -> None:
    pictures = first_outputs(f"Image {tag!r}", data, max_outputs, "[k, height, width, channels]", 4)
    height, width, channels = pictures.shape[1:]
    if not height or not width or channels not in (1, 2, 3, 4):
        raise BadArgument(
            f"Image {tag!r} needs pixels, and 1 to 4 channels in its last axis, got the shape {pictures.shape}.",
            where="data",
        )
    check_pixel_type(pictures, f"Image {tag!r}", where="data")
    value = deferred.image_of_pixels(tag, pictures, description=description)
    warn_once(value.what, value.warning)
    writer.add_later(value.encode, step, size_bytes=value.size_bytes)


@not_rewritten
def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Clips of shape [k, frames, channels] from -1 to 1; logs the first `max_outputs`.

    >>> summary.audio("speech", waveform, 16_000, step=0)
    """
    if encoding not in (None, "wav"):
        raise BadArgument(f"encoding must be 'wav' or None, got {encoding!r}.", where="encoding")
    tag = scoped_tag(name)

    def add(writer: EventWriter, step: int, data: Any, sample_rate: Any, max_outputs: Any) -> None:
        clips = first_outputs(f"Audio {tag!r}", data, max_outputs, "[k, frames, channels]", 3)
        if clips.shape[2] > MOST_CHANNELS or (clips.dtype.kind != "f" and clips.dtype != np.int16):
            raise BadArgument(
                f"Audio {tag!r} needs at most {MOST_CHANNELS} channels of float (-1 to 1) or int16 samples, "
                f"got {clips.dtype} of shape {clips.shape}.",
                where="data",
            )
        warn_once(f"Audio {tag!r}", clip_warning(clips))
        rate = to_count(sample_rate, f"Audio {tag!r}: sample_rate", least=1, most=MOST_SAMPLES_PER_S)
        value = summaries.audio(tag, clips, rate, max_outputs=len(clips), description=description or "")
        writer.add_values([value], step)

    return record(add, step, data, sample_rate, max_outputs)


def warn_once(what: str, warning: str) -> None:
    if warning and what not in warned:
        warned.add(what)
        warnings.warn(f"{what}: {warning}", stacklevel=5)


def first_outputs(what: str, data: Any, max_outputs: Any, shape: str, rank: int) -> NDArray[Any]:
    count = to_count(max_outputs, f"{what}: max_outputs", least=0, most=MOST_OUTPUTS)
    array = to_numpy(data, what)
    if array.ndim != rank:
        raise BadArgument(
            f"{what} needs the shape {shape}, got {array.shape}. Put a single one in a list.", where="data"
        )
    return array[:count]


@not_rewritten
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Any:
    """Markdown: a str, or a list, array or tensor of them. One axis is shown as a list, two as a table.

    >>> summary.text("note", "**warm-up** ends here", step=0)
    """
    tag = scoped_tag(name)

    def add(writer: EventWriter, step: int, data: Any) -> None:
        value = summaries.text(tag, as_strings(data), description=description or "")
        writer.add_values([value], step)

    return record(add, step, data)


def as_strings(data: Any) -> NDArray[Any]:
    """String tensors hold bytes, and lists may."""
    array = np.array(data.numpy() if hasattr(data, "numpy") else data, dtype=object)
    for index, item in np.ndenumerate(array):
        if isinstance(item, bytes):
            array[index] = item.decode("utf-8", "replace")
    return array


@not_rewritten
def histogram(
    name: str, data: Any, step: Any = None, buckets: Any = None, description: str | None = None
) -> Any:
    """The distribution of an array of any shape, in `buckets` (30) of one width.

    >>> summary.histogram("weights", weights, step=0)
    """
    tag = scoped_tag(name)

    def add(writer: EventWriter, step: int, data: Any, buckets: Any) -> None:
        array = to_numpy(data, f"Histogram {tag!r}")
        count = to_number(buckets, f"Histogram {tag!r}: buckets")
        value = summaries.histogram(tag, array, buckets=count, description=description or "")
        writer.add_values([value], step)

    return record(add, step, data, BUCKETS if buckets is None else buckets)


@not_rewritten
def write(tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None) -> Any:
    """Any tensor under any plugin: `metadata` is a SummaryMetadata message or its bytes. `name` has no effect.

    `tensor` may be a function that returns one; it is called only if the value is recorded.

    >>> summary.write("gate", array, step=0)
    """
    tag = clean_tag(tag)
    content = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata
    if not isinstance(content, bytes | None):
        raise BadArgument(
            f"metadata must be a SummaryMetadata message or its bytes, got {type(metadata).__name__}.",
            where="metadata",
        )

    def add(writer: EventWriter, step: int, tensor: Any) -> None:
        array = any_array(tag, tensor() if callable(tensor) else tensor)
        try:
            fields = {"tag": tag, "tensor": encode_tensor(array)}
        except TensorError as error:
            raise BadArgument(f"Tensor {tag!r}: {error}. Convert it to float32.", where="tensor") from error
        if content:
            fields["metadata"] = content
        writer.add_values([encode(VALUE, fields)], step)

    # While TensorFlow builds a graph, the function is called now and its result becomes part of the graph.
    if callable(tensor) and tensorflow_bridge.is_tracing():
        tensor = tensor() if should_record_summaries() is not False else 0
    return record(add, step, tensor)


def any_array(tag: str, data: Any) -> NDArray[Any]:
    if hasattr(data, "numpy"):
        data = data.numpy()
    # NumPy's fixed-width strings end at the first zero byte, and protobuf messages contain many.
    if isinstance(data, str | bytes) or np.asarray(data).dtype.kind in "OSU":
        array = np.array(data, dtype=object)
        if not all(isinstance(each, str | bytes) for each in array.flat):
            raise BadArgument(
                f"Tensor {tag!r} needs numbers or strings, got {type_name(data)}.", where="tensor"
            )
        return array
    return to_numpy(data, f"Tensor {tag!r}")


@not_rewritten
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """A whole serialized Summary message, as other writers make it. `name` has no effect."""

    def add(writer: EventWriter, step: int, tensor: Any) -> None:
        content = tensor.numpy() if hasattr(tensor, "numpy") else tensor
        if not isinstance(content, bytes):
            raise BadArgument(
                f"write_raw_pb needs the bytes of a Summary, got {type(content).__name__}.", where="tensor"
            )
        writer.add_event({"summary": content}, step)

    return record(add, step, tensor)


@not_rewritten
def graph(graph_data: Any) -> bool:
    """The graph of the run: a tf.Graph, a GraphDef message or the bytes of one.

    >>> summary.graph(graph_def)
    """
    if tensorflow_bridge.is_tracing():
        raise BadArgument("graph cannot be called inside a tf.function; call it outside.")
    if hasattr(graph_data, "as_graph_def"):
        graph_data = graph_data.as_graph_def(add_shapes=True)
    content = graph_data.SerializeToString() if hasattr(graph_data, "SerializeToString") else graph_data
    if not isinstance(content, bytes):
        raise BadArgument(
            f"graph_data must be a tf.Graph, a GraphDef or its bytes, got {type(graph_data).__name__}. "
            "For other models use SummaryWriter.add_graph.",
            where="graph_data",
        )

    def add(writer: EventWriter, step: int) -> None:
        writer.add_event({"graph_def": content}, step)

    return bool(record(add, 0))


@not_rewritten
def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Ends the trace of trace_on and writes what it collected.

    A profile goes to the directory given to trace_on, else to `profiler_outdir`, else to that of the default writer.

    >>> summary.trace_export("forward", step=0)
    """
    writer = state.writer
    ended = tensorflow_bridge.collect_trace(profiler_outdir or (writer.events.logdir if writer else None))
    if ended is None:
        raise BadArgument("No trace is running; start one with trace_on.")
    trace, content = ended
    is_graph_only = trace.has_graph and not trace.has_profiler
    plugin = "graph_run_metadata_graph" if is_graph_only else "graph_run_metadata"
    value = summaries.graph(scoped_tag(name), content, plugin=plugin)

    def add(writer: EventWriter, step: int) -> None:
        writer.add_values([value], step)

    record(add, step)
