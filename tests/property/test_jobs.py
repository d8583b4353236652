"""Jobs: cancelled at any moment they end at their next look and never have a result; caches equal a plain model of them."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.job_steps import LOOKS, STEPS, Walk, make_work
from tests.support.waiting import until

from runglass.errors import JobNotDone
from runglass.jobs.cache import DiskCache, ResultCache, pack
from runglass.jobs.context import Encoded
from runglass.jobs.runner import Limits, Runner
from runglass.jobs.work import JobState
from runglass.lru import LruCache

PATIENCE_S = 30.0
turns = iter(range(10**9))


def is_idle(runner):
    # Between the end of one job and the beginning of the next nothing is to be seen from outside.
    with runner._changed:
        return not runner._active and not runner._queue


def job_threads():
    return [each for each in threading.enumerate() if each.name.startswith("runglass-job-")]


@pytest.fixture(scope="module")
def runner():
    # One place, so that a job can be caught before it has begun.
    runner = Runner(
        None, [make_work("thread"), make_work("process")], limits=Limits(jobs=1, cancel_grace_s=PATIENCE_S)
    )
    yield runner
    runner.close(wait_s=PATIENCE_S)
    assert job_threads() == []


@given(
    runs_in=st.sampled_from(["thread", "process"]),
    steps=st.lists(st.sampled_from(STEPS), max_size=8).map(tuple),
    data=st.data(),
    is_paused_before=st.booleans(),
)
@settings(max_examples=80)
def test_cancelled_at_any_moment_it_ends_at_the_next_look(runner, runs_in, steps, data, is_paused_before):
    stop_before = data.draw(st.integers(0, len(steps)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        job = runner.ask(f"walk.{runs_in}", Walk(name, steps, stop_before, next(turns)))
        until((folder / "here").exists)
        if is_paused_before:
            assert runner.pause(job.id).state is JobState.PAUSED
        version = runner.cancel(job.id).snapshot().version
        assert job.state is JobState.CANCELLED
        (folder / "on").touch()
        until(lambda: is_idle(runner))
        # Up to the next look, which raises. Code that looks no more goes to its end, and its result is not taken.
        looks = [number for number in range(stop_before, len(steps)) if steps[number] in LOOKS]
        last = looks[0] if looks else len(steps) + 1
        assert (folder / "log").read_text().split() == [str(number) for number in range(last)]
    assert (job.state, job.snapshot().version, job.result) == (JobState.CANCELLED, version, None)
    sent = [number for number in range(stop_before) if steps[number] == "partial"]
    partials = [Encoded(b'{"number":%d}' % number, is_json=True) for number in sent]
    got = job.read_partials()[1]
    # What a process had sent may still have been on its way.
    assert got == (partials if runs_in == "thread" else partials[: len(got)])
    with pytest.raises(JobNotDone):
        runner.read_result(job.id)
    assert job_threads() == []
    assert len(runner._workers._free) <= 1


@given(runs_in=st.sampled_from(["thread", "process"]), delay_s=st.floats(0, 0.03), steps=st.integers(0, 60))
@settings(max_examples=40)
def test_cancelled_without_waiting_it_has_a_result_or_is_cancelled_but_not_both(
    runner, runs_in, delay_s, steps
):
    with tempfile.TemporaryDirectory() as name:
        job = runner.ask(f"walk.{runs_in}", Walk(name, ("check",) * steps, -1, next(turns)))
        time.sleep(delay_s)
        runner.cancel(job.id)
        state = job.state
        until(lambda: is_idle(runner))
    assert job.state is state
    if state is JobState.DONE:
        assert runner.read_result(job.id).data == b'{"is_done":true}'
    else:
        assert (state, job.result) == (JobState.CANCELLED, None)
    assert job_threads() == []


@given(runs_in=st.sampled_from(["thread", "process"]), count=st.integers(1, 4), data=st.data())
@settings(max_examples=25)
def test_whatever_is_cancelled_while_it_waits_never_begins(runner, runs_in, count, data):
    gone = data.draw(st.sets(st.integers(1, count)))
    with tempfile.TemporaryDirectory() as top:
        folders = [Path(top, str(number)) for number in range(count + 1)]
        for folder in folders:
            folder.mkdir()
        jobs = [
            runner.ask(
                f"walk.{runs_in}", Walk(str(folder), ("check",), 0 if number == 0 else -1, next(turns))
            )
            for number, folder in enumerate(folders)
        ]
        for number in gone:
            runner.cancel(jobs[number].id)
        (folders[0] / "on").touch()
        until(lambda: is_idle(runner))
        begun = {number for number, folder in enumerate(folders) if (folder / "log").exists()}
    assert begun == set(range(count + 1)) - gone
    assert [job.state for job in jobs] == [
        JobState.CANCELLED if number in gone else JobState.DONE for number in range(count + 1)
    ]


# --- the cache

KEYS = "abcdef"
keys = st.sampled_from(KEYS)
sizes = st.integers(0, 120)
LIMIT_BYTES = 400


def value_of(key, size):
    return Encoded(key.encode() * size, is_json=size % 2 == 0)


@given(st.lists(st.tuples(st.sampled_from(["put", "get"]), keys, sizes)))
def test_memory_equals_a_list_ordered_by_use(ops):
    cache: LruCache[str, Encoded] = LruCache(LIMIT_BYTES // 2, size_of=lambda value: len(value.data))
    model: list[tuple[str, Encoded]] = []
    for op, key, size in ops:
        if op == "put":
            cache.put(key, value_of(key, size))
            model = [*(each for each in model if each[0] != key), (key, value_of(key, size))]
            while sum(len(value.data) for _, value in model) > LIMIT_BYTES // 2:
                model.pop(0)
        else:
            found = [each for each in model if each[0] == key]
            model = [each for each in model if each[0] != key] + found
            assert cache.get(key) == (found[0][1] if found else None)
        assert cache.size == sum(len(value.data) for _, value in model) <= LIMIT_BYTES // 2


disk_ops = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "get", "get", "corrupt", "lose"]), st.integers(0, 1), keys, sizes
    ),
    max_size=40,
)


@given(disk_ops)
def test_disk_equals_a_list_ordered_by_use_whoever_writes(ops):
    ticks = iter(range(10**9, 10**10, 1000))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        owners = [DiskCache(folder, LIMIT_BYTES, clock_ns=lambda: next(ticks)) for _ in range(2)]
        # Key, value (None: damaged) and bytes, used longest ago first.
        model: list[tuple[str, Encoded | None, int]] = []
        for op, owner, key, size in ops:
            path = folder / f"results/{key}.result"
            found = [each for each in model if each[0] == key]
            others = [each for each in model if each[0] != key]
            if op == "put":
                owners[owner].put(key, value_of(key, size))
                size_bytes = len(pack(value_of(key, size)))
                while sum(each[2] for each in others) + size_bytes > LIMIT_BYTES:
                    others.pop(0)
                model = [*others, (key, value_of(key, size), size_bytes)]
            elif op == "get":
                expected = found[0][1] if found else None
                assert owners[owner].get(key) == expected
                model = others + (found if expected is not None else [])
            elif op == "lose":
                path.unlink(missing_ok=True)
                model = others
            elif found:
                about = path.stat()
                data = bytearray(path.read_bytes())
                data[size % len(data)] ^= 1
                path.write_bytes(data)
                os.utime(path, ns=(about.st_mtime_ns, about.st_mtime_ns))
                # A second flip of the same bit would mend it.
                model = [(each[0], None, each[2]) if each[0] == key and each[1] else each for each in model]
                if found[0][1] is None:
                    path.unlink()
                    model = others
            kept = {each.name: each.stat().st_size for each in (folder / "results").glob("*")}
            assert kept == {f"{key}.result": size_bytes for key, _, size_bytes in model}
            assert sum(kept.values()) <= LIMIT_BYTES


@given(disk_ops)
def test_memory_over_disk_never_answers_wrongly(ops):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        owners = [
            ResultCache(folder, memory_bytes=LIMIT_BYTES // 2, disk_bytes=LIMIT_BYTES) for _ in range(2)
        ]
        # As in earnest: a key has one value, however often it is computed.
        for op, owner, key, size in ops:
            path = folder / f"results/{key}.result"
            value = value_of(key, 20 * (KEYS.index(key) + 1))
            if op == "put":
                owners[owner].put(key, value, on_disk=size % 3 > 0)
                assert owners[owner].get(key) == value
            elif op == "get":
                assert owners[owner].get(key) in (None, value)
            elif path.exists():
                path.write_bytes(path.read_bytes()[:size]) if op == "corrupt" else path.unlink()
