"""What all ways to watch a model share: the step, the writer, what is done when numbers arrive. Knows no framework."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from runglass.errors import BadArgument
from runglass.native.wire import encode
from runglass.schema.event import EVENT
from runglass.writer.files.event_writer import EventWriter
from runglass.writer.files.record_buffer import ScalarPlace
from runglass.writer.files.record_file import stamp
from runglass.writer.files.run_writers import SilentWriter
from runglass.writer.values import summaries
from runglass.writer.values.arrays import to_step, type_name
from runglass.writer.watch.choice import Choice, Schedule
from runglass.writer.watch.report import Numbers, described, read_numbers

FIRST_TAG = "first_not_finite"


class Arrival:
    """The numbers of one step on their way from the devices; becomes scalars when all of them are here."""

    is_complete = True

    def __init__(
        self,
        watched: Watched,
        step: int,
        names: Numbers,
        fetch: Callable[[], NDArray[np.float64]],
        is_here: Callable[[bool], bool],
    ) -> None:
        self._watched = watched
        self._step = step
        self._wall_time = time.time()
        self._names = names
        self._fetch = fetch
        self._is_here = is_here

    def complete(self) -> None:
        pass

    def is_here(self, *, wait: bool) -> bool:
        return self._is_here(wait)

    def numbers(self) -> list[tuple[ScalarPlace | bytes, float]]:
        wants_counts = "not_finite" in self._watched.choice.what
        found = read_numbers(self._names, self._fetch(), counts_not_finite=wants_counts)
        values: list[tuple[ScalarPlace | bytes, float]] = [
            (ScalarPlace(tag, self._step, self._wall_time, "simple_value"), number)
            for tag, number in found.scalars.items()
        ]
        others = list(found.histograms)
        if wants_counts and found.first_not_finite is not None and self._watched.first_not_finite is None:
            self._watched.first_not_finite = self._step, *found.first_not_finite
            others.append(summaries.text(FIRST_TAG, described(self._step, found.first_not_finite)))
        if others:
            event = encode(EVENT, {**stamp(self._step, self._wall_time), "summary": {"value": others}})
            values.append((event, 0.0))
        return values


class Watched:
    """A model that is being watched. `remove()` ends that and leaves the model as it was."""

    def __init__(self, writer: Any, choice: Choice, schedule: Schedule, first_step: int) -> None:
        if not isinstance(getattr(writer, "events", None), EventWriter | SilentWriter):
            raise BadArgument(
                f"watch needs a runglass.SummaryWriter to log into, got {type_name(writer)}.", where="writer"
            )
        self._writer = writer
        self.choice = choice
        self._schedule = schedule
        self.next_step = to_step(first_step)
        # Step, module, and "weights", "activations" or "gradient".
        self.first_not_finite: tuple[int, str, str] | None = None
        self._is_due = schedule.is_due(self.next_step)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} into {self._writer!r}, at step {self.next_step:,}>"

    def remove(self) -> None:
        """Stops watching."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def _send(
        self,
        names: Numbers,
        fetch: Callable[[], NDArray[np.float64]],
        is_here: Callable[[bool], bool] = lambda wait: True,
    ) -> None:
        arrival = Arrival(self, self.next_step, names, fetch, is_here)
        self._writer.events.add_arrival(arrival)

    def _end_step(self) -> None:
        self.next_step += 1
        self._is_due = self._schedule.is_due(self.next_step)

    def _give_up(self, error: Exception) -> None:
        """An error in here must not end the training."""
        self.remove()
        warnings.warn(
            f"runglass.watch stops watching: {type(error).__name__}: {error}", RuntimeWarning, stacklevel=4
        )
