"""The profilers of the frameworks, with one face: each writes one profile into the directory of a run. Imports a framework only to profile it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from numbers import Integral
from typing import Any, NamedTuple, Protocol

from runglass.errors import BadArgument
from runglass.writer.files.sinks import local_path


class Recorded(NamedTuple):
    """What is recorded beside times. A framework that cannot record one of them leaves it out."""

    memory: bool = False
    shapes: bool = False
    stacks: bool = False


class Profiler(Protocol):
    def prepare(self) -> None:
        """What is slow at the start and would be seen in the profile. May be left out."""

    def start(self) -> None: ...

    def step(self, name: str, number: int) -> AbstractContextManager[Any]:
        """Marks one step of the training in the profile."""

    def span(self, name: str) -> AbstractContextManager[Any]:
        """Marks a part of the program in the profile."""

    def stop(self) -> None:
        """Ends the profile and writes it. Nothing else can be asked of it then."""


class TensorFlowProfiler:
    def __init__(self, run_dir: str, recorded: Recorded) -> None:
        import tensorflow

        self._profiler = tensorflow.profiler.experimental
        self._run_dir = run_dir
        self._recorded = recorded

    def prepare(self) -> None:
        pass

    def start(self) -> None:
        # Level 2 of the host is what it is without options.
        levels = {"host_tracer_level": 2, "python_tracer_level": int(self._recorded.stacks)}
        self._profiler.start(self._run_dir, options=self._profiler.ProfilerOptions(**levels))

    def step(self, name: str, number: int) -> AbstractContextManager[Any]:
        # _r makes it the root of a step.
        trace: AbstractContextManager[Any] = self._profiler.Trace(name, step_num=number, _r=1)
        return trace

    def span(self, name: str) -> AbstractContextManager[Any]:
        trace: AbstractContextManager[Any] = self._profiler.Trace(name)
        return trace

    def stop(self) -> None:
        self._profiler.stop()


class JaxProfiler:
    def __init__(self, run_dir: str, recorded: Recorded) -> None:
        import jax

        self._profiler = jax.profiler
        self._run_dir = run_dir
        self._recorded = recorded
        self._earlier: set[str] = set()

    def prepare(self) -> None:
        pass

    def start(self) -> None:
        self._earlier = self._sessions()
        options: dict[str, Any] = {}
        # Older versions have no options, and record Python's calls always.
        if hasattr(self._profiler, "ProfileOptions"):
            options["profiler_options"] = self._profiler.ProfileOptions()
            options["profiler_options"].python_tracer_level = int(self._recorded.stacks)
        self._profiler.start_trace(self._run_dir, **options)

    def step(self, name: str, number: int) -> AbstractContextManager[Any]:
        trace: AbstractContextManager[Any] = self._profiler.StepTraceAnnotation(name, step_num=number)
        return trace

    def span(self, name: str) -> AbstractContextManager[Any]:
        trace: AbstractContextManager[Any] = self._profiler.TraceAnnotation(name)
        return trace

    def stop(self) -> None:
        self._profiler.stop_trace()
        written = sorted(self._sessions() - self._earlier)
        if self._recorded.memory and written:
            self._profiler.save_device_memory_profile(os.path.join(written[-1], "memory.prof"))

    def _sessions(self) -> set[str]:
        """Folders of profiles; none where the run is not on a local disk."""
        folder = os.path.join(local_path(self._run_dir) or "", "plugins", "profile")
        return {entry.path for entry in os.scandir(folder)} if os.path.isdir(folder) else set()


class TorchProfiler:
    def __init__(self, run_dir: str, recorded: Recorded) -> None:
        check_run_dir("torch", run_dir)
        import torch.profiler

        self._module = torch.profiler
        self._run_dir = local_path(run_dir) or run_dir
        self._profile = torch.profiler.profile(
            record_shapes=recorded.shapes,
            with_flops=recorded.shapes,
            profile_memory=recorded.memory,
            with_stack=recorded.stacks,
        )
        self._is_prepared = False

    def prepare(self) -> None:
        # The first profile of a process on a GPU takes seconds to begin.
        self._profile.prepare_trace()
        self._is_prepared = True

    def start(self) -> None:
        if not self._is_prepared:
            self.prepare()
        self._profile.start_trace()

    def step(self, name: str, number: int) -> AbstractContextManager[Any]:
        # The name that torch's own profiler gives to steps.
        trace: AbstractContextManager[Any] = self._module.record_function(f"ProfilerStep#{number}")
        return trace

    def span(self, name: str) -> AbstractContextManager[Any]:
        trace: AbstractContextManager[Any] = self._module.record_function(name)
        return trace

    def stop(self) -> None:
        self._profile.stop_trace()
        os.makedirs(self._run_dir, exist_ok=True)
        name = f"{worker_name()}.{time.time_ns()}.pt.trace.json.gz"
        # A reader must not find half a file under its name; .gz is what makes torch compress it.
        partial = os.path.join(self._run_dir, f".{name}.partial.gz")
        try:
            self._profile.export_chrome_trace(partial)
            os.replace(partial, os.path.join(self._run_dir, name))
        finally:
            if os.path.exists(partial):
                os.unlink(partial)


def check_run_dir(framework: str, run_dir: str) -> None:
    if framework == "torch" and local_path(run_dir) is None:
        raise BadArgument(
            f"No profile is written: PyTorch needs a local directory for it, and {run_dir} is not local.",
            where="log_dir",
        )


def worker_name() -> str:
    """Of this process among those of one training: its rank where a launcher gave it one, else the process id."""
    rank = os.environ.get("RANK", "")
    return f"{socket.gethostname()}_{f'rank{rank}' if rank.isdigit() else os.getpid()}"


PROFILERS: dict[str, Callable[[str, Recorded], Profiler]] = {
    "torch": TorchProfiler,
    "jax": JaxProfiler,
    "tensorflow": TensorFlowProfiler,
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
