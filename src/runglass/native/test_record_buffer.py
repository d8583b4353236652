from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from runglass.native.record_buffer import NativeRecordBuffer, record_boundary
from runglass.native.records import frame

BEFORE, AFTER = b"<", b">"


class Plain(NativeRecordBuffer):
    """A buffer whose scalars are a number between two marks, and which says what was asked of it."""

    def __init__(self, **more):
        super().__init__(
            **{
                "forms": ("float32", "float64"),
                "clock": lambda: 2.0,
                "wake_bytes": 1 << 20,
                "max_bytes": 1 << 30,
                **more,
            }
        )
        self.asked = []
        self.room_to_make = False

    def scalar_parts(self, tag, form):
        self.asked.append(tag)
        return BEFORE + tag.encode(), form == "float64", AFTER

    def add_odd_scalar(self, *arguments):
        self.asked.append(arguments)

    def wake(self):
        self.asked.append("wake")

    def make_room(self):
        if self.room_to_make:
            self.take()
        return self.room_to_make


def payload(tag, number, stamp):
    return stamp + BEFORE + tag + number + AFTER


AT_TWO = bytes.fromhex("090000000000000040")


def test_a_scalar_is_stamp_and_parts_around_its_number():
    buffer = Plain()
    buffer.add_scalar("a", 0.5, 0)
    buffer.add_scalar("b", 0.5, 300, 2.0, form="float64")
    buffer.add_scalar("a", True, -1)
    assert bytes(buffer.take()) == b"".join(
        [
            frame(payload(b"a", bytes.fromhex("0000003f"), AT_TWO)),
            frame(payload(b"b", bytes.fromhex("000000000000e03f"), AT_TWO + bytes.fromhex("10ac02"))),
            frame(payload(b"a", bytes.fromhex("0000803f"), AT_TWO + b"\x10" + b"\xff" * 9 + b"\x01")),
        ]
    )
    assert buffer.asked == ["a", "b"]
    assert buffer.take() is None


def test_what_is_not_plain_is_left_to_the_subclass():
    buffer = Plain()
    odd = [
        (7, 1.0, 0, None, "float32"),
        ("a", "1", 0, None, "float32"),
        ("a", 2**64, 0, None, "float32"),
        ("a", 1.0, 2**63, None, "float32"),
        ("a", 1.0, None, None, "float32"),
        ("a", 1.0, 0, math.nan, "float32"),
        ("a", 1.0, 0, 5, "float32"),
        ("a", 1.0, 0, None, "half"),
    ]
    for tag, value, step, wall_time, form in odd:
        buffer.add_scalar(tag, value, step, wall_time, form=form)
    buffer.is_closed = True
    buffer.add_scalar("a", 1.0, 0)
    assert buffer.asked == [*odd, ("a", 1.0, 0, None, "float32")]
    assert buffer.size == 0


def test_a_scalar_is_tried_where_its_tag_is_known_and_its_numbers_are_plain():
    buffer = Plain()
    assert not buffer.try_scalar("a", 1.0, 0, "float32")
    buffer.add_scalar("a", 1.0, 0)
    buffer.take()
    assert buffer.try_scalar("a", np.float32(0.5), np.int64(300), "float32")
    assert buffer.try_scalar("a", np.float64(0.5), 0, "float32")
    half = payload(b"a", bytes.fromhex("0000003f"), AT_TWO)
    later = payload(b"a", bytes.fromhex("0000003f"), AT_TWO + bytes.fromhex("10ac02"))
    assert bytes(buffer.take()) == frame(later) + frame(half)
    for odd in (
        ("a", "1", 0),
        ("a", 2**64, 0),
        ("a", 1.0, 2**63),
        ("a", 1.0, None),
        ("a", 1.0, 0.0),
        ("a", 1j, 0),
    ):
        assert not buffer.try_scalar(*odd, "float32")
    assert not buffer.try_scalar(["a"], 1.0, 0, "float32")
    assert not buffer.try_scalar("a", 1.0, 0, "float64")
    assert not buffer.try_scalar("a", 1.0, 0, "half")
    buffer.is_closed = True
    assert not buffer.try_scalar("a", 1.0, 0, "float32")
    assert buffer.size == 0
    assert buffer.last_step("a") == 0


def test_a_tensor_is_asked_for_its_number_only_where_that_waits_for_nothing(monkeypatch):
    class Tensor:
        def __init__(self, number, is_cpu=True):
            self.number = number
            self.is_cpu = is_cpu

        def item(self):
            assert self.is_cpu
            if isinstance(self.number, list):
                raise RuntimeError("2 elements")
            return self.number() if callable(self.number) else self.number

    class Parameter(Tensor):
        pass

    buffer = Plain()
    buffer.add_scalar("a", 1.0, 0)
    buffer.take()
    assert not buffer.try_scalar("a", Tensor(0.5), 0, "float32")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(Tensor=Tensor))
    for number in (0.5, 2, True):
        assert buffer.try_scalar("a", Tensor(number), 0, "float32")
    written = b"".join(
        frame(payload(b"a", np.float32(number).tobytes(), AT_TWO)) for number in (0.5, 2, True)
    )
    assert bytes(buffer.take()) == written

    def close_meanwhile():
        buffer.is_closed = True
        return 0.5

    for odd in (
        Tensor(0.5, is_cpu=False),
        Parameter(0.5),
        Tensor([1.0, 2.0]),
        Tensor(1j),
        Tensor(close_meanwhile),
    ):
        assert not buffer.try_scalar("a", odd, 0, "float32")
    assert buffer.size == 0


def test_the_system_clock_is_read_where_none_is_given():
    import time

    buffer = Plain(clock=None)
    before = time.time()
    assert before <= buffer.now() <= time.time()


def test_it_asks_once_until_the_asking_is_answered():
    buffer = Plain(wake_bytes=1)
    buffer.add(b"x")
    buffer.add(b"y")
    assert buffer.asked == ["wake"]
    buffer.is_asked = False
    buffer.add(b"z")
    assert buffer.asked == ["wake", "wake"]
    assert bytes(buffer.take()) == frame(b"x") + frame(b"y") + frame(b"z")


def test_past_its_limit_whole_records_are_dropped_and_counted():
    buffer = Plain(max_bytes=40)
    # One record may be larger than the limit.
    buffer.add(b"x" * 50)
    buffer.add(b"y")
    buffer.add_scalar("a", 1.0, 0)
    assert buffer.dropped == 2
    assert bytes(buffer.take()) == frame(b"x" * 50)
    buffer.add(b"x" * 20)
    buffer.room_to_make = True
    buffer.add(b"y" * 20)
    assert (buffer.dropped, bytes(buffer.take())) == (2, frame(b"y" * 20))


def test_many_and_long_tags_do_not_stay_in_memory():
    buffer = Plain()
    tags = [f"{i:02}" * 50_000 for i in range(30)]
    for tag in tags * 2:
        buffer.add_scalar(tag, 1.0, 0)
        buffer.add_scalar(tag, 1.0, 1)
        found = payload(tag.encode(), bytes.fromhex("0000803f"), AT_TWO)
        assert bytes(buffer.take()).startswith(frame(found))
    # Asked for once while it is in use, and again where it was forgotten meanwhile.
    assert 30 < len(buffer.asked) <= 60


def test_jobs_come_out_in_order_and_are_weighed():
    buffer = Plain()
    buffer.add_job("first", 10)
    buffer.add_job("second", 5)
    assert (buffer.job_count, buffer.job_bytes) == (2, 15)
    assert buffer.next_job() == "first"
    assert (buffer.job_count, buffer.job_bytes) == (1, 5)
    assert buffer.next_job() == "second"
    assert buffer.next_job() is None


def test_a_cleared_buffer_is_empty():
    buffer = Plain(wake_bytes=1)
    buffer.add(b"x")
    buffer.add_job("job", 10)
    buffer.clear()
    assert (buffer.take(), buffer.next_job(), buffer.job_bytes, buffer.is_asked) == (None, None, 0, False)
    buffer.add(b"y")
    assert bytes(buffer.take()) == frame(b"y")


@pytest.mark.parametrize("limit", range(60))
def test_records_are_told_apart(limit):
    records = [frame(b"abc"), frame(b""), frame(b"0123456789")]
    ends = [0, 19, 35, 61]
    count = max(i for i, end in enumerate(ends) if end <= limit)
    assert record_boundary(b"".join(records), limit) == (ends[count], count)
