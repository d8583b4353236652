"""`add_hparams` of torch and tensorboardX: one trial with its results, into the run itself or one below it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from runglass.errors import BadArgument
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.run_writers import RunWriters
from runglass.writer.values import hparams
from runglass.writer.values.arrays import clean_tag, to_number, to_step


class Trials:
    """Where the trials of one writer are: the first set of values in the run itself, each other set in a run below it."""

    def __init__(self) -> None:
        self._places: dict[frozenset[tuple[str, object]], str] = {}

    def place(self, run: RunWriters, values: Mapping[str, hparams.HParam]) -> str:
        """The name of the run below, "" for the run itself. The same values are the same trial, with newer results."""
        key = _key(values)
        if not self._places and (earlier := run.past_hparams()) is not None:
            # Another writer logged a trial here: it must not be overwritten either.
            self._places[_key(earlier)] = ""
        if key not in self._places:
            self._places[key] = self._new_name() if self._places else ""
        return self._places[key]

    def _new_name(self) -> str:
        # As torch names it. A loop may be faster than the clock.
        now = time.time()
        while str(now) in self._places.values():
            now += 1e-6
        return str(now)


def _key(values: Mapping[str, Any]) -> frozenset[tuple[str, object]]:
    # In the log an int is a float, and NaN equals itself.
    return frozenset(
        (name, repr(float(value)) if type(value) in (int, float) else (type(value).__name__, str(value)))
        for name, value in values.items()
    )


def add_hparams(
    run: RunWriters,
    trials: Trials,
    hparam_dict: Mapping[str, Any],
    metric_dict: Mapping[str, Any],
    domains: Mapping[str, Sequence[Any]],
    *,
    run_name: str | None,
    step: Any,
    wall_time: float | None,
    start_time_s: float,
) -> None:
    """`run_name` None: in the run itself, unless that has a trial with other values; "": there in any case.

    Without `step` a result gets the last step of its tag in this run, so that it ends the curve and does not restart it.
    """
    for argument, given in {
        "hparam_dict": hparam_dict,
        "metric_dict": metric_dict,
        "hparam_domain_discrete": domains,
    }.items():
        if not isinstance(given, Mapping):
            raise BadArgument(f"{argument} must be a dict, got {type(given).__name__}.", where=argument)
    if not isinstance(run_name, str | None):
        raise BadArgument(f"run_name must be a str, got {type(run_name).__name__}.", where="run_name")
    # Sessions that torch writes belong to no group.
    start = hparams.session_start(hparam_dict, start_time_s=start_time_s, group_name="")
    # torch declares the experiment in every run, and TensorBoard finds the metrics of a run that is itself the log directory by
    # nothing else.
    experiment = hparams.torch_experiment(hparam_dict, [clean_tag(tag) for tag in metric_dict], domains)
    end = hparams.session_end(SessionOutcome.SUCCESS, end_time_s=time.time())
    metrics = {clean_tag(tag): to_number(value, f"Metric {tag!r}") for tag, value in metric_dict.items()}
    if run_name is None:
        run_name = trials.place(run, hparams.plain_hparams(hparam_dict))
    if step is not None or run_name:
        steps = dict.fromkeys(metrics, to_step(step))
    else:
        steps = run.last_steps(list(metrics))
    writer = run.writer(os.path.join(run.run_dir, run_name)) if run_name else run.own
    for value in (experiment, start):
        writer.add_values([value], 0)
    for tag, number in metrics.items():
        writer.add_scalar(tag, number, steps.get(tag, 0), wall_time, form="simple_value")
    writer.add_values([end], 0)
