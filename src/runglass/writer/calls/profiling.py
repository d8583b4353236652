"""`runglass.profile`: the framework's own profiler around a training loop, with a schedule, written where the board finds it."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any, Literal

from runglass.errors import BadArgument
from runglass.writer.calls.profilers import PROFILERS, Profiler, Recorded, check_run_dir

Framework = Literal["torch", "jax", "tensorflow"]
STEP_NAME = "train"


class Schedule:
    """What is done in which step: `wait` steps nothing, `warmup` steps without a record, `active` steps recorded, and again."""

    def __init__(self, wait: int, warmup: int, active: int | None, repeat: int) -> None:
        for name, value, least in (("wait", wait, 0), ("warmup", warmup, 0), ("repeat", repeat, 0)):
            if not isinstance(value, int) or value < least:
                raise BadArgument(
                    f"{name} must be a number of steps from {least} on, got {value!r}.", where=name
                )
        if active is not None and (not isinstance(active, int) or active < 1):
            raise BadArgument(
                f"active must be a number of steps from 1 on, or None for all, got {active!r}.",
                where="active",
            )
        self._before = wait + warmup
        self._wait = wait
        self._active = active
        self._repeat = repeat

    def state(self, index: int) -> str:
        """ "rest", "prepare" or "record", of the step with this index since the beginning."""
        if self._active is None:
            return "rest" if index < self._wait else "prepare" if index < self._before else "record"
        cycle, place = divmod(index, self._before + self._active)
        if self._repeat and cycle >= self._repeat:
            return "rest"
        return "rest" if place < self._wait else "prepare" if place < self._before else "record"

    def is_last(self, index: int) -> bool:
        """Whether a recorded step ends its profile: the next one is not recorded, or belongs to the next cycle."""
        return self._active is not None and (index + 1) % (self._before + self._active) == 0


class Profile:
    """A context manager. Call `step()` after each step of the training; `span(name)` marks a part of it."""

    def __init__(
        self, logdir: str, framework: str, schedule: Schedule, recorded: Recorded, first_step: int
    ) -> None:
        self.framework = framework
        # The training's own number of the step that runs now.
        self.step_number = first_step
        self._logdir = logdir
        self._schedule = schedule
        self._recorded = recorded
        self._index = 0
        self._profiler: Profiler | None = None
        self._is_recording = False
        self._marked: AbstractContextManager[Any] | None = None

    def __enter__(self) -> Profile:
        self._begin()
        return self

    def step(self) -> None:
        """Ends one step of the training and begins the next."""
        self._end()
        self._index += 1
        self.step_number += 1
        self._begin()

    def span(self, name: str) -> AbstractContextManager[Any]:
        """`with p.span("loss"):` names a part of the program in the profile. Costs nothing while nothing is recorded."""
        if self._profiler is None or not self._is_recording:
            return nullcontext()
        return self._profiler.span(name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._unmark()
        self._write()

    def _begin(self) -> None:
        state = self._schedule.state(self._index)
        if state == "rest":
            return
        # A training of days must not end because of its profile: another profiler may run, a disk may be full.
        try:
            if self._profiler is None:
                self._profiler = PROFILERS[self.framework](self._logdir, self._recorded)
                if state == "prepare":
                    self._profiler.prepare()
            if state == "record" and not self._is_recording:
                self._profiler.start()
                self._is_recording = True
            if self._is_recording:
                self._marked = self._profiler.step(STEP_NAME, self.step_number)
                self._marked.__enter__()
        except Exception as error:
            self._profiler, self._marked, self._is_recording = None, None, False
            warnings.warn(f"The {self.framework} profiler did not start: {error!r}", stacklevel=3)

    def _end(self) -> None:
        self._unmark()
        if self._is_recording and self._schedule.is_last(self._index):
            self._write()

    def _unmark(self) -> None:
        marked, self._marked = self._marked, None
        if marked is not None:
            marked.__exit__(None, None, None)

    def _write(self) -> None:
        profiler, self._profiler = self._profiler, None
        was_recording, self._is_recording = self._is_recording, False
        if profiler is None or not was_recording:
            return
        try:
            profiler.stop()
        except Exception as error:
            warnings.warn(f"The profile could not be written: {error!r}", stacklevel=3)


def profile(
    logdir: str | os.PathLike[str],
    *,
    framework: Framework | None = None,
    wait: int = 0,
    warmup: int = 0,
    active: int | None = None,
    repeat: int = 1,
    memory: bool = False,
    shapes: bool = False,
    stacks: bool = False,
    first_step: int = 0,
) -> Profile:
    """Profiles what runs inside the block and writes it into `logdir`, the directory of a run.

        with runglass.profile("logs/run", wait=10, warmup=2, active=3) as p:
            for batch in batches:
                train(batch)
                p.step()

    `framework`: torch, jax or tensorflow; by default the one that is imported already. Without `active` everything is recorded.
    `repeat`: how many profiles; 0 for one after the other until the end. `memory`: allocations. `shapes`: of inputs, and
    FLOPs. `stacks`: Python's calls. `first_step`: the training's number of its first step here, so that the profile has its place
    among the scalars.
    """
    if framework is not None and framework not in PROFILERS:
        names = ", ".join(PROFILERS)
        raise BadArgument(f"framework must be one of {names}, got {framework!r}.", where="framework")
    schedule = Schedule(wait, warmup, active, repeat)
    chosen = framework or find_framework()
    check_run_dir(chosen, os.fspath(logdir))
    return Profile(os.fspath(logdir), chosen, schedule, Recorded(memory, shapes, stacks), first_step)


def find_framework() -> str:
    """The framework that the program has imported; of several, the one that Keras runs on, else the first of PROFILERS."""
    loaded = [name for name in PROFILERS if name in sys.modules]
    if not loaded:
        raise BadArgument(
            "No framework is imported yet, so it is not known what to profile. Import torch, jax or tensorflow before, or name it: "
            'runglass.profile(logdir, framework="torch").',
            where="framework",
        )
    keras = sys.modules.get("keras")
    if len(loaded) > 1 and keras is not None:
        backend = str(keras.config.backend())
        if backend in loaded:
            return backend
    return loaded[0]
