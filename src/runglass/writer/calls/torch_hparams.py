"""`add_hparams` of torch and tensorboardX: one session with its results, into the run itself or one below it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from runglass.errors import BadArgument
from runglass.schema.hparams import SessionOutcome
from runglass.writer.files.run_writers import RunWriters
from runglass.writer.values import hparams
from runglass.writer.values.arrays import clean_tag, precision_of, to_number, to_step


def add_hparams(
    run: RunWriters,
    hparam_dict: Mapping[str, Any],
    metric_dict: Mapping[str, Any],
    domains: Mapping[str, Sequence[Any]],
    *,
    run_name: str | None,
    step: Any,
    wall_time: float | None,
    start_time_s: float,
) -> None:
    """Without `step` a result gets the last step of its tag in this run, so that it ends the curve and does not restart it."""
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
    before = [
        hparams.session_start(hparam_dict, start_time_s=start_time_s, group_name="" if run_name else None)
    ]
    # torch declares the experiment in every run. In the run itself the reader derives it from all runs, unless the caller
    # knows the values to come.
    if run_name or domains:
        before.insert(0, hparams.torch_experiment(hparam_dict, list(metric_dict), domains))
    end = hparams.session_end(SessionOutcome.SUCCESS, end_time_s=time.time())
    metrics = {
        clean_tag(tag): (to_number(value, f"Metric {tag!r}"), precision_of(value))
        for tag, value in metric_dict.items()
    }
    if step is not None or run_name:
        steps = dict.fromkeys(metrics, to_step(step))
    else:
        steps = run.last_steps(list(metrics))
    writer = run.writer(os.path.join(run.run_dir, run_name)) if run_name else run.own
    for value in before:
        writer.add_values([value], 0)
    for tag, (number, precision) in metrics.items():
        writer.add_scalar(tag, number, steps.get(tag, 0), wall_time, precision=precision)
    writer.add_values([end], 0)
