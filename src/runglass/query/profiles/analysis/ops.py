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
) -> list[OpRow]:
    """The ops that begin in the range or in a step, the longest self time first; those of the host, then those of devices."""
    places: list[Place] = ["host", "device"] if place is None else [place]
    return [row for each in places for row in ops_of(trace, by, each, with_idle, range, step)]


@kept
def ops_of(
    trace: Trace, by: OpsBy, place: Place, with_idle: bool, range: tuple[int, int] | None, step: int | None
) -> list[OpRow]:
    """Of one place: the views ask for the host, for the devices and for both."""
    find = ops_xplane.ops if trace.info.kind == "xplane" else ops_torch.ops
    return find(trace, by=by, place=place, with_idle=with_idle, range=range, step=step)
