"""Damaged files and odd contents: they cost what they must, it is said with file and byte, and nothing ever crashes."""

from __future__ import annotations

import math
import os
import resource
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.support import event_bytes as eb
from tests.support.event_files import LATER, NAME, append, health, log_bytes, put, some_points, values
from tests.support.event_oracle import read_file

import runglass
from runglass.errors import ValueDamaged
from runglass.store.model import SeriesKey

HEADER_BYTES = 12


# ---- files that are none, or not whole


def test_empty_file_is_a_run_without_tags_until_it_grows(logdir: Path) -> None:
    path = put(logdir / "run", b"")
    log = runglass.open(logdir)
    assert (log.runs, log.tags("run"), health(log).state) == (["run"], {}, "empty")
    append(path, log_bytes())
    log.reload()
    assert (values(log), health(log).state) == ([0.0, 1.0, 2.0], "ok")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"this is a text file, and quite a long one at that", "not an event file"),
        (b"\x1f\x8b\x08\x00" + b"\xaa" * 60, "gzip"),
        (b"\xff" * 64, "not an event file"),
    ],
)
def test_not_an_event_file(logdir: Path, data: bytes, reason: str) -> None:
    put(logdir / "run", data)
    log = runglass.open(logdir)
    assert (log.tags("run"), health(log).state, health(log).byte) == ({}, "damaged", 0)
    assert reason in health(log).reason
    assert health(log).advice


def test_cut_at_every_byte_shows_the_whole_records(logdir: Path) -> None:
    data = log_bytes()
    for length in range(len(data) + 1):
        put(logdir / "run", data[:length])
        log = runglass.open(logdir)
        expected = read_file(data[:length])
        assert values(log) == [point[2] for tag in expected.tags.values() for point in tag.points]
        state = "empty" if not length else "ok" if expected.offset == length else "cut_short"
        assert health(log).state == state, f"cut at byte {length}"
        if state == "cut_short":
            assert health(log).byte == expected.offset


def test_every_flipped_bit_costs_one_record_or_what_follows_a_bad_length(logdir: Path) -> None:
    payloads = [eb.file_version(), *(eb.scalar("loss", float(step), step=step) for step in range(3))]
    data = eb.records(*payloads)
    begins = [len(eb.records(*payloads[:index])) for index in range(len(payloads))]
    for bit in range(len(data) * 8):
        record = max(index for index, begin in enumerate(begins) if begin <= bit // 8)
        is_header = bit // 8 - begins[record] < HEADER_BYTES
        if not is_header and bit % 8 != bit // 8 % 8:
            # One bit of each byte of a payload, in turn: all of them are alike to its checksum.
            continue
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        put(logdir / "run", bytes(damaged))
        log = runglass.open(logdir)
        lost = range(record, len(payloads)) if is_header else [record]
        assert values(log) == [float(step) for step in range(3) if step + 1 not in lost], f"bit {bit}"
        found = health(log)
        assert (found.state, found.byte) == ("damaged" if is_header else "skipped", begins[record]), (
            f"bit {bit}"
        )
        assert found.reason
        assert found.skipped_records == (0 if is_header else 1)


def test_zero_filled_tail_is_awaited_and_then_read(logdir: Path) -> None:
    """A file system may show the size of what is written before its bytes. The size does not change when they come."""
    data = log_bytes() + some_points(5, first_step=3)
    begin = len(log_bytes())
    path = put(logdir / "run", data[:begin] + bytes(len(data) - begin))
    log = runglass.open(logdir)
    assert (values(log), health(log).state, health(log).byte) == ([0.0, 1.0, 2.0], "cut_short", begin)
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(data[begin:])
    log.reload()
    assert values(log) == [float(step) for step in range(8)]
    assert health(log).state == "ok"


@pytest.mark.parametrize("length", [2**31, 2**40, 2**63, 2**64 - 1])
def test_absurd_length_with_a_valid_checksum(logdir: Path, length: int) -> None:
    put(logdir / "run", log_bytes() + eb.header(length) + b"x" * 100)
    log = runglass.open(logdir)
    assert values(log) == [0.0, 1.0, 2.0]
    assert (health(log).state, health(log).byte) == ("damaged", len(log_bytes()))
    assert f"{length:,}" in health(log).reason


def test_sparse_file_of_a_terabyte(logdir: Path) -> None:
    """What a size claims must not be what is allocated."""
    path = put(logdir / "run", log_bytes(300))
    os.truncate(path, 1 << 40)
    log = runglass.open(logdir)
    assert len(values(log)) == 300
    assert (health(log).state, health(log).byte) == ("cut_short", len(log_bytes(300)))
    assert log.source.read_columns([SeriesKey("run", "loss")])[0].step[-1] == 299


def test_large_hole_where_a_record_should_be(logdir: Path) -> None:
    """A header that promises 1 GB, which the file has, as a hole: its bytes are no event, and reading goes on behind it."""
    path = put(logdir / "run", log_bytes() + eb.header(1 << 30))
    size = path.stat().st_size + (1 << 30) + 4
    os.truncate(path, size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    append(path, some_points(2, first_step=3))
    log = runglass.open(logdir)
    assert values(log) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert (health(log).state, health(log).skipped_records) == ("skipped", 1)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kb < 100_000


def test_well_framed_records_that_are_no_events(logdir: Path) -> None:
    payloads = [b"\x00", b"\xff" * 30, b"\x2a\x7f", b"\x09\x01", b"\x2a\x05\x0a\x03\x0a\x50x"]
    put(logdir / "run", log_bytes() + eb.records(*payloads) + some_points(1, first_step=3))
    log = runglass.open(logdir)
    assert values(log) == [0.0, 1.0, 2.0, 3.0]
    assert (health(log).state, health(log).skipped_records, health(log).byte) == (
        "skipped",
        5,
        len(log_bytes()),
    )


def test_empty_records_are_events_that_say_nothing(logdir: Path) -> None:
    put(logdir / "run", eb.records(b"", b"") + log_bytes())
    log = runglass.open(logdir)
    assert (values(log), health(log).state, health(log).records) == ([0.0, 1.0, 2.0], "ok", 6)


# ---- odd contents


def test_tags_that_are_not_utf8_stay_apart(logdir: Path) -> None:
    tags = [b"\xff", b"\xfe", b"loss/\xc3\x28", b"ok"]
    payloads = [
        eb.event(eb.summary(eb.simple(tag, float(index))), wall_time=1.7e9, step=index)
        for index, tag in enumerate(tags)
    ]
    put(logdir / "run", eb.records(*payloads))
    log = runglass.open(logdir)
    found = log.tags("run")
    assert len(found) == 4
    assert [values(log, tag=tag) for tag in found] == [[0.0], [1.0], [2.0], [3.0]]
    for tag in found:
        tag.encode("utf-8")


def test_tag_of_a_megabyte(logdir: Path) -> None:
    tag = "t" * 1_000_000
    put(logdir / "run", log_bytes() + some_points(2, tag=tag))
    log = runglass.open(logdir)
    assert values(log) == [0.0, 1.0, 2.0]
    assert values(log, tag=tag) == [0.0, 1.0]


def test_many_tags(logdir: Path) -> None:
    tags = [f"layer{index}/weights" for index in range(5000)]
    put(
        logdir / "run",
        eb.records(eb.event(eb.summary(*(eb.simple(tag, 1.0) for tag in tags)), wall_time=1.7e9, step=1)),
    )
    assert list(runglass.open(logdir).tags("run")) == tags


def test_odd_numbers_are_kept_bit_for_bit(logdir: Path) -> None:
    doubles = [math.nan, math.inf, -math.inf, 5e-324, -5e-324, 2.2e-308, 1.7e308, -0.0, 0.1, 1e-46]
    floats = [math.nan, math.inf, -math.inf, 1e-45, -1e-45, 3.4e38, -0.0, 1.1754942e-38]
    payloads = [
        eb.event(
            eb.summary(eb.tensor_value("d", eb.tensor("double", eb.typed("double", [number])))),
            wall_time=1.0,
            step=i,
        )
        for i, number in enumerate(doubles)
    ]
    payloads += [
        eb.event(eb.summary(eb.simple("f", number)), wall_time=1.0, step=i) for i, number in enumerate(floats)
    ]
    put(logdir / "run", eb.records(*payloads))
    log = runglass.open(logdir)
    assert log.scalars("run", "d").value.tobytes() == np.array(doubles).tobytes()
    assert log.scalars("run", "f").value.astype("<f4").tobytes() == np.array(floats, "<f4").tobytes()


def test_odd_steps_and_wall_times(logdir: Path) -> None:
    steps = [-1, -(2**63), 2**63 - 1, 2**53 + 1, 0, 2**53 - 1]
    walls = [0.0, math.nan, 1.7e9, 1.6e9, -5.0, math.inf]
    payloads = [
        eb.scalar("loss", 1.0, step=step, wall_time=wall) for step, wall in zip(steps, walls, strict=True)
    ]
    put(logdir / "run", eb.records(*payloads))
    log = runglass.open(logdir)
    found = log.scalars("run", "loss")
    assert found.step.tolist() == steps
    assert found.wall_time.tobytes() == np.array(walls).tobytes()
    (info,) = log.source.list_runs()
    assert (info.start_time, info.last_wall_time) == (-5.0, 1.7e9)


def test_events_without_step_or_wall_time(logdir: Path) -> None:
    put(logdir / "run", eb.records(eb.event(eb.summary(eb.simple("loss", 2.0)))))
    found = runglass.open(logdir).scalars("run", "loss")
    assert (found.step.tolist(), found.wall_time.tolist(), found.value.tolist()) == ([0], [0.0], [2.0])


def test_two_writers_interleaving_live(logdir: Path) -> None:
    """Each appends to a file of its own, in turns: nobody overwrites anybody."""
    first, second = put(logdir / "run", b""), put(logdir / "run", b"", name=LATER)
    log = runglass.open(logdir)
    for step in range(0, 10, 2):
        append(first, eb.records(eb.scalar("loss", float(step), step=step, wall_time=1.7e9 + step)))
        append(second, eb.records(eb.scalar("loss", step + 1.0, step=step + 1, wall_time=1.7e9 + step + 0.1)))
        log.reload()
    found = log.scalars("run", "loss")
    assert sorted(found.step.tolist()) == list(range(10))
    assert set(found.segment.tolist()) == {0}


def test_one_tag_with_two_kinds(logdir: Path) -> None:
    picture = eb.event(eb.summary(eb.image_value("both", eb.png(2, 3), 2, 3)), wall_time=1.7e9, step=7)
    put(logdir / "run", eb.records(eb.scalar("both", 1.0, step=0), picture))
    log = runglass.open(logdir)
    (info,) = log.source.list_series(run="run")
    assert (info.meta.kind, info.other_kind) == ("scalar", "image")
    assert log.scalars("run", "both").value.tolist() == [1.0]
    (image,) = log.read("run", "both", kind="image").value[0]
    assert (image.width, image.height) == (2, 3)


def test_metadata_that_cannot_be_decoded_costs_no_value(logdir: Path) -> None:
    broken = eb.chunk(9, b"\x0a\xff")
    payloads = [
        eb.event(eb.summary(eb.value("loss", eb.fixed32(2, 1.5), broken)), wall_time=1.7e9, step=0),
        eb.event(
            eb.summary(eb.value("note", eb.chunk(8, eb.strings([b"x"])), broken)), wall_time=1.7e9, step=0
        ),
    ]
    put(logdir / "run", eb.records(*payloads) + some_points(1, tag="after"))
    log = runglass.open(logdir)
    assert list(log.tags("run")) == ["loss", "note", "after"]
    assert values(log) == [1.5]


@pytest.mark.parametrize(
    "tensor",
    [
        eb.tensor("float", dims=(2**40, 2**40)),
        eb.tensor("float", dims=(2**62,)),
        eb.tensor("double", eb.content("double", [1.0]), dims=(3,)),
        eb.tensor("float", eb.chunk(4, b"abc"), dims=(2,)),
        eb.number(1, 77) + eb.shape((2,)),
        eb.strings([b"x"], dims=(-1,)),
        eb.tensor("float", *[eb.shape((1,) * 40)]),
        eb.tensor("complex64", dims=()),
    ],
)
def test_tensors_that_make_no_sense(logdir: Path, tensor: bytes) -> None:
    """Asked for, they are an error of their own or an array; they never take the rest or all memory with them."""
    payload = eb.event(eb.summary(eb.tensor_value("odd", tensor, plugin="mine")), wall_time=1.7e9, step=0)
    put(logdir / "run", eb.records(payload) + log_bytes())
    log = runglass.open(logdir)
    tracemalloc.start()
    try:
        found = log.read("run", "odd").value[0]
    except ValueDamaged as error:
        found = error.message
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert isinstance(found, np.ndarray) or len(found) > 0
    assert peak < 100_000_000
    assert values(log) == [0.0, 1.0, 2.0]


def test_half_that_holds_a_float_too_large_for_it(logdir: Path) -> None:
    (too_large,) = struct.unpack("<i", struct.pack("<f", 1e30))
    tensor = eb.tensor("half", eb.typed("half", [too_large, 1]), dims=(2,))
    put(
        logdir / "run",
        eb.records(eb.event(eb.summary(eb.tensor_value("odd", tensor, plugin="mine")), step=0)),
    )
    assert runglass.open(logdir).read("run", "odd").value[0].shape == (2,)


def test_damaged_picture_is_told_when_it_is_asked_for(logdir: Path) -> None:
    picture = eb.event(
        eb.summary(eb.image_value("picture", eb.png(2, 2, padding=80_000), 2, 2)), wall_time=1.7e9, step=1
    )
    data = bytearray(log_bytes() + eb.records(picture) + some_points(1, first_step=3))
    begin = len(log_bytes())
    data[begin + 40_000] ^= 1
    put(logdir / "run", bytes(data))
    log = runglass.open(logdir)
    assert values(log) == [0.0, 1.0, 2.0, 3.0]
    with pytest.raises(ValueDamaged, match=rf"byte {begin}: payload checksum"):
        log.read("run", "picture").value[0]


def test_damaged_run_metadata_is_told(logdir: Path) -> None:
    """It has to be looked into to know its tag, so its damage is found at once."""
    large = eb.run_metadata("step 1", b"\x0a\x00" + bytes(90_000))
    data = bytearray(log_bytes() + eb.records(large) + some_points(1, first_step=3))
    data[len(log_bytes()) + 50_000] ^= 1
    path = put(logdir / "run", bytes(data))
    log = runglass.open(logdir)
    found = health(log)
    assert (found.state, found.skipped_records, found.byte) == ("skipped", 1, len(log_bytes()))
    append(path, some_points(1, first_step=4))
    log.reload()
    assert (health(log).state, health(log).skipped_records) == ("skipped", 1)


def test_value_of_a_file_that_changed_since(logdir: Path) -> None:
    picture = eb.event(eb.summary(eb.image_value("picture", eb.png(2, 2), 2, 2)), wall_time=1.7e9, step=1)
    path = put(logdir / "run", log_bytes() + eb.records(picture))
    series = runglass.open(logdir).read("run", "picture")
    os.truncate(path, len(log_bytes()) + 20)
    with pytest.raises(ValueDamaged, match=NAME):
        series.value[0]
    path.unlink()
    with pytest.raises(ValueDamaged, match="cannot be read"):
        series.value[0]
