"""Ops of a profile, by the rules of the framework that wrote it."""

from __future__ import annotations

from runglass.query.profiles.analysis import ops_torch, ops_xplane
from runglass.query.profiles.analysis.model import OpRow, OpsBy
from runglass.query.profiles.model import Place, Trace


def ops(
    trace: Trace,
    *,
    by: OpsBy = "name",
    place: Place | None = None,
    with_idle: bool = False,
    range: tuple[int, int] | None = None,
) -> list[OpRow]:
    """The ops that begin in the range, the longest self time first; those of the host, then those of devices."""
    find = ops_xplane.ops if trace.info.kind == "xplane" else ops_torch.ops
    return find(trace, by=by, place=place, with_idle=with_idle, range=range)
