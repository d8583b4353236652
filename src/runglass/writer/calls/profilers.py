"""The profilers of Keras back ends: each writes one profile into the directory of a run. Imports a framework only to profile it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from numbers import Integral
from typing import Any, Protocol

from runglass.errors import BadArgument
from runglass.writer.files.sinks import local_path


class Profiler(Protocol):
    """Starts when it is made."""

    def batch(self, number: int) -> AbstractContextManager[Any]:
        """Marks one batch in the profile."""

    def stop(self) -> None:
        """Ends the profile and writes it to `plugins/profile/<time>/` of the run."""


class TensorFlowProfiler:
    def __init__(self, run_dir: str) -> None:
        import tensorflow

        self._profiler = tensorflow.profiler.experimental
        self._profiler.start(run_dir)

    def batch(self, number: int) -> AbstractContextManager[Any]:
        trace: AbstractContextManager[Any] = self._profiler.Trace("Profiled batch", step_num=number)
        return trace

    def stop(self) -> None:
        self._profiler.stop()


class JaxProfiler:
    def __init__(self, run_dir: str) -> None:
        import jax

        self._profiler = jax.profiler
        self._profiler.start_trace(run_dir)

    def batch(self, number: int) -> AbstractContextManager[Any]:
        trace: AbstractContextManager[Any] = self._profiler.StepTraceAnnotation(
            "Profiled batch", step_num=number
        )
        return trace

    def stop(self) -> None:
        self._profiler.stop_trace()


class TorchProfiler:
    def __init__(self, run_dir: str) -> None:
        if local_path(run_dir) is None:
            raise BadArgument(
                f"No profile is written: PyTorch needs a local directory for it, and {run_dir} is not local.",
                where="log_dir",
            )
        import torch.profiler

        self._module = torch.profiler
        self._run_dir = run_dir
        self._profile = torch.profiler.profile(record_shapes=True)
        self._profile.start()

    def batch(self, number: int) -> AbstractContextManager[Any]:
        trace: AbstractContextManager[Any] = self._module.record_function(f"ProfilerStep#{number}")
        return trace

    def stop(self) -> None:
        self._profile.stop()
        session = os.path.join(self._run_dir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
        os.makedirs(session, exist_ok=True)
        name = f"{socket.gethostname()}_{os.getpid()}.{time.time_ns()}.pt.trace.json.gz"
        self._profile.export_chrome_trace(os.path.join(session, name))


PROFILERS: dict[str, Callable[[str], Profiler]] = {
    "tensorflow": TensorFlowProfiler,
    "jax": JaxProfiler,
    "torch": TorchProfiler,
}


def batches_to_profile(profile_batch: Any) -> tuple[int, int]:
    """The first and last batch, counted from 1; (0, 0) for none. From a number, a pair, or a str of either: "10,20"."""
    given = profile_batch
    try:
        if isinstance(given, str):
            given = [int(part) for part in given.split(",")]
            given = given[0] if len(given) == 1 else given
        first, last = (given, given) if isinstance(given, Integral) else given
        is_range = isinstance(first, Integral) and isinstance(last, Integral) and 0 <= int(first) <= int(last)
    except (TypeError, ValueError):
        is_range = False
    if not is_range:
        raise BadArgument(
            f"profile_batch must be 0, a batch number or a pair of batch numbers, got {profile_batch!r}.",
            where="profile_batch",
        )
    return int(first), int(last)
