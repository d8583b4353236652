"""Memory that frameworks wrote down on a GPU: a snapshot of torch's allocator, and the device memory profile of JAX."""

from __future__ import annotations

import gzip
import pickle
from collections import Counter

import numpy as np
from tests.support.plain_traces import PROFILES, read_varint, split_fields

from runglass.query.profiles.read import read_file

SNAPSHOT = PROFILES / "torch_snapshot/logdir/run/snapshot.pickle"
MEMORY = PROFILES / "jax_memory/logdir/run/memory.prof"


def test_snapshot_of_torch():
    # Our own file: what the package does not do may be done here.
    truth = pickle.loads(SNAPSHOT.read_bytes())
    (actions,) = truth["device_traces"]
    trace = read_file(SNAPSHOT.name, SNAPSHOT.read_bytes())
    assert trace.info.problems == []
    names = Counter(trace.strings[number] for number in trace.name.tolist())
    for action, count in Counter(each["action"] for each in actions).items():
        assert names[action] == count
    assert trace.info.origin_ns == min(each["time_us"] for each in actions) * 1000
    allocated, reserved = trace.info.counters
    sizes = {"alloc": 1, "free_requested": -1}
    alive = np.cumsum([sizes.get(each["action"], 0) * each["size"] for each in actions])
    # What was allocated before the record began is known from the blocks at its end.
    held = sum(segment["allocated_size"] for segment in truth["segments"])
    assert (allocated.name, allocated.max) == ("Memory allocated", held - alive[-1] + alive.max())
    assert (reserved.name, reserved.max) == (
        "Memory reserved",
        sum(segment["total_size"] for segment in truth["segments"]),
    )


def test_device_memory_of_jax():
    trace = read_file(MEMORY.name, MEMORY.read_bytes())
    assert (trace.info.unit, trace.info.problems) == ("bytes", [])
    total = 0
    for number, sample in split_fields(gzip.decompress(MEMORY.read_bytes())):
        if number == 2:
            (values,) = (value for at, value in split_fields(sample) if at == 2)
            _, at = read_varint(values, 0)
            total += read_varint(values, at)[0]
    top = trace.depth == 0
    assert int(trace.duration_ps[top].sum()) == trace.info.end_ps == total
