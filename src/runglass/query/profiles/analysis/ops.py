"""Ops of a profile, by the rules of the framework that wrote it."""

from __future__ import annotations

from runglass.query.profiles.analysis import ops_torch, ops_xplane
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.analysis.model import OpRow, OpsBy
from runglass.query.profiles.model import Place, Trace


def ops(
    trace: Trace,
    *,
    by: OpsBy = "name",
    place: Place | None = None,
    with_idle: bool = False,
    range: tuple[int, int] | None = None,
    step: int | None = None,
    with_python: bool = False,
) -> list[OpRow]:
    """The ops that begin in the range or in a step, the longest self time first; those of the host, then those of devices.

    `with_python`: functions of Python that an op of torch runs are its own time, as they are where no stacks were recorded.
    """
    places: list[Place] = ["host", "device"] if place is None else [place]
    return [row for each in places for row in ops_of(trace, by, each, with_idle, range, step, with_python)]


@kept
def ops_of(
    trace: Trace,
    by: OpsBy,
    place: Place,
    with_idle: bool,
    range: tuple[int, int] | None,
    step: int | None,
    with_python: bool,
) -> list[OpRow]:
    """Of one place: the views ask for the host, for the devices and for both."""
    if trace.info.kind == "xplane":
        return ops_xplane.ops(trace, by=by, place=place, with_idle=with_idle, range=range, step=step)
    return ops_torch.ops(
        trace, by=by, place=place, with_idle=with_idle, range=range, step=step, with_python=with_python
    )
