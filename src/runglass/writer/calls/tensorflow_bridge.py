"""What runglass.summary needs of TensorFlow: name scopes, calls inside a tf.function, tracing.

Uses TensorFlow only if training code has imported it; everything but tracing works without it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from runglass.errors import BadArgument
from runglass.writer.values.arrays import clean_tag

Function = TypeVar("Function", bound=Callable[..., Any])


class Trace(NamedTuple):
    has_graph: bool
    has_profiler: bool
    # The directory of the profile, which is moved at the end if `is_moved`.
    profile_dir: str
    is_moved: bool


trace_lock = threading.Lock()
current_trace: Trace | None = None


def not_rewritten(function: Function) -> Function:
    """Keeps AutoGraph, which rewrites the functions that a tf.function calls, from rewriting this one."""
    # TensorFlow marks functions that it has already rewritten with this attribute.
    setattr(function, "autograph_info__", {})  # noqa: B010
    return function


def loaded_tensorflow() -> Any:
    tensorflow = sys.modules.get("tensorflow")
    # While TensorFlow is being imported, its module is there but empty.
    return tensorflow if hasattr(tensorflow, "executing_eagerly") else None


def is_tracing() -> bool:
    """Whether Python only builds the graph of a tf.function, so that calls must become part of the graph."""
    tensorflow = loaded_tensorflow()
    return tensorflow is not None and not tensorflow.executing_eagerly()


def is_symbolic(value: object) -> bool:
    """Whether this is a tensor of a graph, which has no value yet."""
    tensorflow = loaded_tensorflow()
    return tensorflow is not None and tensorflow.is_symbolic_tensor(value)


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """A tag and its scope, for values that are logged under one name. `values` has no effect."""
    tag = scoped_tag(name or default_name)
    tensorflow = loaded_tensorflow()
    if tensorflow is None:
        yield tag, f"{tag}/"
        return
    with tensorflow.name_scope(name or default_name) as scope:
        yield tag, scope


def scoped_tag(name: str) -> str:
    """As in tf.summary, a tag begins with the current name scopes."""
    tensorflow = loaded_tensorflow()
    scope = tensorflow.get_current_name_scope() if tensorflow is not None else ""
    tag = clean_tag(name)
    return f"{scope}/{tag}" if scope else tag


def call_in_graph(function: Callable[..., object], inputs: Sequence[Any]) -> Any:
    """Adds a call to the current graph: each run calls `function` with the values of `inputs`, in program order."""
    tensorflow = loaded_tensorflow()

    def call(_: Any, *values: Any) -> None:
        function(*(value.numpy() for value in values))

    tensors = [tensorflow.convert_to_tensor(each) for each in inputs]
    # TensorFlow keeps the order only of operations that share a resource, so all calls use this one.
    return tensorflow.py_function(call, [order_keeper().handle, *tensors], [])


@cache
def order_keeper() -> Any:
    tensorflow = loaded_tensorflow()
    with tensorflow.init_scope(), tensorflow.device("CPU:0"):
        return tensorflow.Variable(0, trainable=False, name="runglass_order")


def import_tensorflow(why: str) -> Any:
    try:
        import tensorflow
    except ImportError:
        raise BadArgument(
            f"{why} needs TensorFlow, which is not installed. For a torch module, a Keras model, a JAX function or an "
            "ONNX file use SummaryWriter.add_graph, and the profiler of your framework."
        ) from None
    return tensorflow


def trace_context() -> Any:
    from tensorflow.python.eager import context

    return context.context()


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Collects the graphs that TensorFlow runs until trace_export; with `profiler`, also a profile.

    >>> summary.trace_on(graph=True)
    """
    global current_trace
    tensorflow = import_tensorflow("trace_on")
    if is_tracing():
        raise BadArgument("trace_on cannot run inside a tf.function; call it before.")
    with trace_lock:
        if current_trace is not None:
            warnings.warn("A trace is already running; end it with trace_export or trace_off.", stacklevel=2)
            return
        profile_dir = ""
        if profiler:
            profile_dir = str(profiler_outdir or tempfile.mkdtemp(prefix="runglass-profile-"))
            trace_context().enable_run_metadata()
            tensorflow.profiler.experimental.start(profile_dir)
        elif graph:
            trace_context().enable_graph_collection()
        current_trace = Trace(graph, profiler, profile_dir, is_moved=profiler and profiler_outdir is None)


def trace_off() -> None:
    """Ends the running trace, if any, and drops what it collected.

    >>> summary.trace_off()
    """
    trace = end_trace(is_kept=False)
    if trace is not None and trace.is_moved:
        shutil.rmtree(trace.profile_dir, ignore_errors=True)


def collect_trace(profile_dir: str | None) -> tuple[Trace, bytes] | None:
    """Ends the running trace; returns it and the RunMetadata that it collected.

    Its profile goes to `profile_dir` if trace_on got no directory.
    """
    if current_trace is None:
        return None
    collected = trace_context().export_run_metadata()
    trace = end_trace(is_kept=True)
    if trace is None:
        return None
    if trace.is_moved:
        move_profile(trace.profile_dir, profile_dir)
    if not trace.has_profiler:
        graphs = type(collected)()
        graphs.function_graphs.extend(collected.function_graphs)
        graphs.partition_graphs.extend(collected.partition_graphs)
        collected = graphs
    return trace, collected.SerializeToString()


def end_trace(*, is_kept: bool) -> Trace | None:
    global current_trace
    with trace_lock:
        trace, current_trace = current_trace, None
    if trace is not None:
        # This also ends the collection of graphs.
        trace_context().disable_run_metadata()
        if trace.has_profiler:
            loaded_tensorflow().profiler.experimental.stop(save=is_kept)
    return trace


def move_profile(source: str, target: str | None) -> None:
    """Moves the sessions of a profile to another run."""
    if target is not None:
        sessions = os.path.join(target, "plugins", "profile")
        os.makedirs(sessions, exist_ok=True)
        for session in Path(source, "plugins", "profile").glob("*"):
            shutil.move(session, sessions)
    shutil.rmtree(source, ignore_errors=True)
