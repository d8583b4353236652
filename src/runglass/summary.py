"""`from runglass import summary`: the functions of tf.summary, without TensorFlow."""

from __future__ import annotations

from runglass.writer.calls import default_writer, tensorflow_bridge, tf_style
from runglass.writer.calls.default_writer import (
    SummaryFileWriter,
    create_file_writer,
    create_noop_writer,
    flush,
    record_if,
    should_record_summaries,
)
from runglass.writer.calls.tensorflow_bridge import trace_off, trace_on
from runglass.writer.calls.tf_style import audio, graph, histogram, image, scalar, text, trace_export, write


class experimental:
    """A namespace with the spelling of TensorFlow.

    >>> summary.experimental.set_step(10)
    """

    get_step = staticmethod(default_writer.get_step)
    set_step = staticmethod(default_writer.set_step)
    summary_scope = staticmethod(tensorflow_bridge.summary_scope)
    write_raw_pb = staticmethod(tf_style.write_raw_pb)


# tf.summary's name for what create_file_writer returns; runglass.SummaryWriter is another class.
SummaryWriter = SummaryFileWriter

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]
