from __future__ import annotations

import gzip
import pickle
from contextlib import suppress
from typing import Any

import pytest
from tests.support.trace_rows import Content, list_rows

from runglass.native.trace_rows import TraceRows
from runglass.native.wire import encode
from runglass.query.profiles.formats import pprof, snapshot
from runglass.query.profiles.model import ProfileDamaged
from runglass.query.profiles.read import read_file
from runglass.schema.pprof import PROFILE

FRAMES = [
    {"name": "unwind", "filename": "??", "line": 0},
    {"name": "forward", "filename": "net.py", "line": 12},
    {"name": "main", "filename": "train.py", "line": 40},
]


def action(kind: str, time: int, size: int, address: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "action": kind,
        "time_us": time,
        "size": size,
        "addr": address,
        "stream": 0,
        "frames": FRAMES,
        **more,
    }


def made_snapshot() -> dict[str, Any]:
    trace = [
        action("segment_alloc", 1_700_000_000_000_000, 2048),
        action("alloc", 1_700_000_000_000_010, 512, 1),
        action("alloc", 1_700_000_000_000_020, 256, 2, compile_context="N/A", user_metadata="x"),
        action("free_requested", 1_700_000_000_000_030, 512, 1),
        action("free_completed", 1_700_000_000_000_031, 512, 1),
    ]
    block = {"address": 2, "size": 256, "requested_size": 200, "state": "active_allocated", "frames": FRAMES}
    free = {"address": 3, "size": 768, "requested_size": 0, "state": "inactive", "frames": []}
    # 1024 bytes were allocated before the actions that the snapshot keeps.
    segment = {"device": 1, "total_size": 4096, "allocated_size": 1280, "blocks": [free, block]}
    marks = [
        {"stage": "START", "name": "Optimizer.step", "device": 1, "time_us": 1_700_000_000_000_012},
        {"stage": "END", "name": "Optimizer.step", "device": 1, "time_us": 1_700_000_000_000_025},
    ]
    return {
        "device_traces": [[], trace],
        "segments": [segment],
        "external_annotations": marks,
        "allocator_settings": {"max_split_size": -1},
    }


def test_a_snapshot():
    rows = TraceRows()
    file = snapshot.read(Content(pickle.dumps(made_snapshot())), "m.pickle", rows)
    found = list_rows(rows)
    assert rows.problems == []
    assert file.base_ns == 1_700_000_000_000_000_000
    instants = [(row.name, row.start_ps) for row in found if row.phase == "i"]
    assert instants == [
        ("segment_alloc", 0),
        ("alloc", 10_000_000),
        ("alloc", 20_000_000),
        ("free_requested", 30_000_000),
        ("free_completed", 31_000_000),
        ("alive block", 31_000_000),
    ]
    first, second = (row.arguments for row in found if row.name == "alloc")
    assert (first["Freed after µs"], first["Alive"]) == (20, False)
    assert (second["Freed after µs"], second["Alive"], second["user_metadata"]) == (None, True, "x")
    assert first["Call stack"] == "net.py(12): forward;train.py(40): main"
    samples = [(row.arguments["allocated"], row.arguments["reserved"]) for row in found if row.phase == "C"]
    assert samples == [(1024, 4096), (1536, 4096), (1792, 4096), (1280, 4096)]
    (mark,) = (row for row in found if row.phase == "X")
    assert (mark.name, mark.start_ps, mark.duration_ps) == ("Optimizer.step", 12_000_000, 13_000_000)
    assert {row.track[0] for row in found} == {"1"}


def test_a_snapshot_as_a_trace():
    trace = read_file("snapshot.pickle", pickle.dumps(made_snapshot()))
    assert {counter.name: counter.max for counter in trace.info.counters} == {
        "Memory allocated": 1792,
        "Memory reserved": 4096,
    }
    assert trace.info.has_memory


class Evil:
    def __reduce__(self):
        return print, ("called",)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Evil(), "names an object"),
        ({"device_traces": [[Evil()]]}, "names an object"),
        ([1, 2], "no device_traces"),
        ({"device_traces": 3}, "no device_traces"),
    ],
)
def test_what_is_no_snapshot_is_refused(value, message, capsys):
    with pytest.raises(ProfileDamaged, match=message):
        snapshot.read(Content(pickle.dumps(value)), "m.pickle", TraceRows())
    assert capsys.readouterr().out == ""


def test_odd_values_in_a_snapshot():
    odd = {
        "device_traces": [
            "x",
            [
                3,
                {"action": None},
                {"action": "alloc"},
                {"action": "alloc", "size": 2**80, "time_us": "now", "frames": [1, {}]},
                {"action": "free", "size": 5, "time_us": 7, "addr": [1]},
            ],
        ],
        "segments": [None, {"device": 1, "blocks": [4, {"state": 1}]}],
        "external_annotations": [{"name": []}, 5],
    }
    rows = TraceRows()
    snapshot.read(Content(pickle.dumps(odd)), "m.pickle", rows)
    assert [row.name for row in list_rows(rows) if row.phase == "i"] == ["alloc", "alloc", "free"]


def made_profile(**changed: Any) -> bytes:
    texts = [
        "",
        "space",
        "bytes",
        "kind",
        "buffer",
        "device",
        "cuda:0",
        "main",
        "a.py",
        "load",
        "b.py",
        "allocations",
        "count",
    ]
    labels = [{"key": 3, "str": 4}, {"key": 5, "str": 6}]
    profile = {
        "sample_type": [{"type": 11, "unit": 12}, {"type": 1, "unit": 2}],
        "sample": [
            {"location_id": [2, 1], "value": [3, 300], "label": labels},
            {"location_id": [1], "value": [1, 50], "label": labels},
            {"location_id": [2, 1], "value": [1, 100], "label": labels},
            {"location_id": [], "value": [1, 7], "label": []},
        ],
        "location": [
            {"id": 1, "line": [{"function_id": 1, "line": 5}]},
            {"id": 2, "line": [{"function_id": 2, "line": 9}]},
        ],
        "function": [{"id": 1, "name": 7, "filename": 8}, {"id": 2, "name": 9, "filename": 10}],
        "string_table": texts,
    }
    return encode(PROFILE, {**profile, **changed})


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_memory_profile(pack):
    rows = TraceRows()
    pprof.read(Content(pack(made_profile())), "memory.prof", rows)
    found = [
        (row.track, row.name, row.start_ps, row.duration_ps, row.arguments.get("source"))
        for row in list_rows(rows)
    ]
    assert found == [
        (("cuda:0", "buffer"), "buffer", 0, 450, None),
        (("cuda:0", "buffer"), "main", 0, 450, "a.py:5"),
        (("cuda:0", "buffer"), "load", 0, 400, "b.py:9"),
        (("host", "memory"), "memory", 0, 7, None),
        (("host", "memory"), pprof.NOWHERE, 0, 7, None),
    ]
    trace = read_file("memory.prof", pack(made_profile()))
    assert (trace.info.unit, trace.info.end_ps) == ("bytes", 450)


# Made in the test: a packed file has its time in it, and would name the test otherwise in every process.
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: made_profile(sample_type=[{"type": 11, "unit": 12}]), "not of memory"),
        (lambda: b"", "not of memory"),
        (lambda: b"\xff\xff\xff", "not a profile"),
        (lambda: gzip.compress(made_profile())[:-9], "cut off"),
        (lambda: gzip.compress(made_profile())[:12] + b"\xff" * 40, "decompress"),
        (lambda: gzip.compress(bytes(100 << 20)), "more than"),
    ],
)
def test_what_is_no_memory_profile_is_refused(make, message):
    with pytest.raises(ProfileDamaged, match=message):
        pprof.read(Content(make()), "memory.prof", TraceRows())


def test_every_cut_of_a_memory_profile():
    data = made_profile()
    for cut in range(len(data)):
        with suppress(ProfileDamaged):
            pprof.read(Content(data[:cut]), "memory.prof", TraceRows())
