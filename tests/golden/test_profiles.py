"""Profiles that frameworks wrote: the plain readers of the tests say what XProf, JAX and torch say of the same files, and `log.profile` what
the plain readers say."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Set
from decimal import Decimal

import pytest
from tests.support.plain_traces import (
    PROFILES,
    PlainTrace,
    list_profiles,
    parse_chrome,
    read_chrome,
    read_truth,
    read_xplane,
)

import runglass

XPLANES = list_profiles(".xplane.pb")
# XProf makes one event of each pair, and does not show the third.
POOL = "ThreadpoolListener::"
# What XProf does not show.
HIDDEN = {"MemoryAllocation", "MemoryDeallocation", "PrefetchProduce", "PrefetchConsume"}
# Rows that XProf adds to what is in the file; "XLA Modules - from #14" and so on.
ADDED_ROWS = ("Steps", "XLA Modules", "XLA Ops", "Command Buffers")


def test_there_are_profiles():
    assert [path.relative_to(PROFILES).parts[0] for path in XPLANES] == [
        "jax_profile",
        "jax_profile_gpu",
        "keras_callback_profile",
        "tf_graph_trace",
    ]
    assert len(list_profiles(".pt.trace.json", ".pt.trace.json.gz")) == 3


def describe(trace: PlainTrace, hidden: Set[str] = frozenset()) -> Counter[tuple[str, str, str, int, int]]:
    """Every event: where it is, its name and its times."""
    found: Counter[tuple[str, str, str, int, int]] = Counter()
    for event in trace.of("X"):
        track = trace.tracks[event.track]
        if event.name in hidden or event.name.startswith(POOL) or track.thread.startswith(ADDED_ROWS):
            continue
        # XProf shows "train 3" for the event "train" whose step is 3.
        name = event.arguments.get("step_name", event.name)
        if name == event.name and "_r" in event.arguments and "step_num" in event.arguments:
            name = f"{name} {event.arguments['step_num']}"
        found[(track.process, track.thread, name, event.start_ps, event.duration_ps)] += 1
    return found


@pytest.mark.parametrize("path", XPLANES, ids=lambda path: path.relative_to(PROFILES).parts[0])
def test_xplane_as_xprof_reads_it(path):
    trace = read_xplane(path)
    truth = path.relative_to(PROFILES).parts[0]
    shown = parse_chrome(gzip.decompress((PROFILES / truth / "truth" / "trace_viewer.json.gz").read_bytes()))
    assert describe(trace, HIDDEN) == describe(shown)
    regions = [event for event in shown.of("X") if event.name == f"{POOL}Region"]
    assert len(regions) == sum(event.name == f"{POOL}StartRegion" for event in trace.events)


@pytest.mark.parametrize("case", ["jax_profile", "jax_profile_gpu"])
def test_xplane_as_jax_wrote_it_in_json(case):
    (xplane,) = (PROFILES / case).rglob("*.xplane.pb")
    (chrome,) = (PROFILES / case / "logdir").rglob("*.trace.json.gz")
    in_json, in_xplane = read_chrome(chrome), read_xplane(xplane)
    hidden = HIDDEN if case == "jax_profile_gpu" else set()
    assert sum(event.name not in hidden for event in in_xplane.events) == len(in_json.of("X"))
    # JAX writes 1 ps for an event without a duration.
    events = [e._replace(duration_ps=max(e.duration_ps, 1)) for e in in_xplane.events if e.name not in hidden]
    assert in_xplane._replace(events=events).sums() == in_json.sums()


def test_torch_as_torch_sums_it():
    path = sorted((PROFILES / "torch_profiler_full").rglob("*.pt.trace.json"))[-1]
    sums = read_chrome(path).sums()
    truth = read_truth("torch_profiler_full", "key_averages_last")["key_averages"]
    for row in truth:
        # Not in the file: what torch measures of itself.
        if row["name"] in sums and row["name"].startswith("aten::"):
            count, total_ps = sums[row["name"]]
            assert (row["name"], count) == (row["name"], row["count"])
            assert abs(Decimal(total_ps) / 10**6 - Decimal(row["cpu_time_total_us"])) < Decimal("0.01")
    assert sum(row["name"].startswith("aten::") and row["name"] in sums for row in truth) > 20


WHOLE = [
    ("jax_profile", "run", range(6)),
    ("jax_profile_gpu", "run", range(5)),
    ("keras_callback_profile", "run1/train", None),
    ("tf_graph_trace", "func_profiled", None),
    ("torch_profiler_full", "cnn", range(2, 5)),
    ("torch_profiler_gpu", "cnn", range(3, 6)),
]


@pytest.mark.parametrize(("case", "run", "steps"), WHOLE, ids=[case for case, *_ in WHOLE])
def test_the_whole_way_loses_nothing(case, run, steps):
    """From the directory to columns: names, counts, times and threads are those of the file."""
    log = runglass.open(PROFILES / case / "logdir")
    session = log.profiles(run)[0]
    trace = log.profile(run, session)
    files = [path for path in sorted((PROFILES / case / "logdir").rglob("*")) if path.is_file()]
    (path, *_) = [
        path for path in files if path.name.endswith((".xplane.pb", ".pt.trace.json", ".pt.trace.json.gz"))
    ]
    plain = read_xplane(path) if path.name.endswith(".pb") else read_chrome(path)
    events = trace.events()
    counts: Counter[str] = Counter(events.name)
    totals: Counter[str] = Counter()
    for name, duration_ps in zip(events.name, events.duration_ps.tolist(), strict=True):
        totals[name] += duration_ps
    sums = plain.sums()
    assert {name: (counts[name], totals[name]) for name in sums} == sums
    threads = {plain.tracks[event.track].thread.strip() for event in plain.of("X")} - {""}
    assert threads <= {track.thread.strip() for track in trace.tracks}
    if steps is not None:
        assert [step.number for step in trace.steps] == list(steps)
    assert trace.problems == []
