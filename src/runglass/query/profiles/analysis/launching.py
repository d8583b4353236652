"""Which work of the host led to which work of a device: the op that launched a kernel, and the device time of every op."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from runglass.native.trace_groups import marked, places_of
from runglass.native.trace_nesting import inherit, innermost
from runglass.query.profiles.analysis.kept import kept
from runglass.query.profiles.model import LAUNCH, Category, Int32, Int64, Mask, Trace

# What people and frameworks name; launches themselves are calls of the driver.
OPS = frozenset({"op", "input", "optimizer", "communication", "copy", "sync", "memory", "other", "compile"})
CALLS = frozenset({"cuda_runtime", "cuda_driver", "runtime"})
PYTHON = frozenset({"python_function", "python"})
ANNOTATIONS = frozenset({"user_annotation", "gpu_user_annotation", "trace"})


@kept
def on_device(trace: Trace) -> Mask:
    """For each event whether it is on a device."""
    return trace.events_on([track.place == "device" for track in trace.tracks])


def events_in(trace: Trace, is_wanted: Callable[[Category], bool]) -> Int64:
    """The events whose category is wanted."""
    wanted = [is_wanted(each) for each in trace.info.categories]
    count = sum(each.events for each, is_own in zip(trace.info.categories, wanted, strict=True) if is_own)
    return places_of(np.array(wanted, np.uint8), trace.category, count)


def in_categories(trace: Trace, is_wanted: Callable[[Category], bool]) -> Mask:
    """For each event whether its category is wanted."""
    return marked(np.array([is_wanted(each) for each in trace.info.categories], np.uint8), trace.category)


def is_python(category: Category) -> bool:
    """Frames of Python."""
    return category.name.lower() in PYTHON


def has_category(trace: Trace, names: frozenset[str]) -> Mask:
    """For each event whether its category in the file is one of these, in small letters."""
    return in_categories(trace, lambda each: each.name.lower() in names)


def has_meaning(trace: Trace, meanings: frozenset[str]) -> Mask:
    return in_categories(trace, lambda each: each.meaning in meanings)


@kept
def device_work(trace: Trace) -> Mask:
    """Events that keep a device busy: kernels and copies, not the annotations around them."""
    works = in_categories(
        trace, lambda each: each.place == "device" and each.meaning not in ("step", "module", "sync")
    )
    return works & (trace.duration_ps > 0)


def innermost_of(mask: Mask, parent: Int32) -> Int32:
    """For each event itself where it is marked, or else the nearest marked event around it; -1 where there is none."""
    return innermost(mask.view(np.uint8), parent)


def nearest(own: Int32, parent: Int32) -> Int32:
    """For each event what it has itself, or else the nearest event around it; -1 where none has anything."""
    return inherit(own, parent)


@kept
def launches(trace: Trace) -> tuple[Int32, Int32]:
    """Pairs of a call on the host and the work on a device that it launched; every work once."""
    is_launch = (trace.flow_kind == LAUNCH) & device_work(trace)[trace.flow_to]
    work, first = np.unique(trace.flow_to[is_launch], return_index=True)
    return trace.flow_from[is_launch][first], work


def framework_ops(trace: Trace) -> Mask:
    """Events of the host that are ops of the framework, not annotations, calls of the driver or Python functions."""
    others = CALLS | PYTHON | ANNOTATIONS
    return in_categories(
        trace,
        lambda each: each.place == "host" and each.meaning in OPS and each.name.lower() not in others,
    )


@kept
def ops_of_work(trace: Trace) -> Int32:
    """For each event on a device the innermost op of the host that launched it; -1 for all others."""
    found = np.full(len(trace), -1, np.int32)
    calls, work = launches(trace)
    found[work] = innermost_of(framework_ops(trace), trace.parent)[calls]
    return found


@kept
def device_time(trace: Trace) -> tuple[Int64, Int64]:
    """For each event of the host the time of the device work that it launched: itself, and with all events in it.

    Work belongs to the innermost op, or where there is none to the call that launched it.
    """
    own, total = np.zeros(len(trace), np.int64), np.zeros(len(trace), np.int64)
    calls, work = launches(trace)
    time = trace.duration_ps[work]
    ops = ops_of_work(trace)[work]
    np.add.at(own, np.where(ops >= 0, ops, calls), time)
    at = calls.copy()
    while len(at):
        np.add.at(total, at, time)
        at = trace.parent[at]
        goes_on = at >= 0
        at, time = at[goes_on], time[goes_on]
    return own, total
