"""The native reader equals a plain one, and what it finds does not depend on how the bytes arrived.

Files are made by event_strategies.py, read by event_oracle.py, and neither shares code with the package.
"""

from __future__ import annotations

import os
import random
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from tests.support import event_bytes as eb
from tests.support.event_oracle import FileRows, TagRows, read_file
from tests.support.event_strategies import event_files, payloads
from tests.support.picture import differences, picture

import runglass
from runglass.ingest import file_tail
from runglass.native.events import EventScanner, ScanBuffer
from runglass.query.source import Columns
from runglass.store.model import Kind, SeriesKey

NAME = "events.out.tfevents.1700000000.host.1.0"
LATER = "events.out.tfevents.1700000100.host.2.0"
# Where one example is hundreds of files, making a failing one smaller would take minutes.
WITHOUT_SHRINKING = (Phase.explicit, Phase.generate)


@contextmanager
def written(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="runglass-") as directory:
        path = Path(directory) / NAME
        path.write_bytes(data)
        yield path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


# ---- one file, once


def scan(path: Path) -> tuple[EventScanner, str]:
    scanner = EventScanner(b"scalars")
    fd = os.open(path, os.O_RDONLY)
    try:
        stop = scanner.scan(fd, ScanBuffer(), size=os.fstat(fd).st_size)
    finally:
        os.close(fd)
    return scanner, stop


def rows_of(scanner: EventScanner, stop: str, data: bytes) -> FileRows:
    """What a scanner found, in the oracle's words."""
    scanner.take()
    rows = FileRows(
        records=scanner.records,
        skipped=scanner.skipped,
        first_skipped=scanner.first_skipped,
        offset=scanner.offset,
        stop=stop,
    )
    for index in range(scanner.tag_total):
        name, metadata, _, blobs_first, points, blobs = scanner.tag(index)
        tag = TagRows(metadata=metadata, starts=scanner.starts(index))
        if points is not None:
            step, wall_time, value = points.read_points()
            tag.points = list(zip(step.tolist(), wall_time.tolist(), value.tolist(), strict=True))
        if blobs is not None:
            for step, wall_time, record, at, size in zip(
                *(each.tolist() for each in blobs.read_ranges()), strict=True
            ):
                tag.blobs.append((step, wall_time, data[record + 12 + at : record + 12 + at + size]))
        if tag.points or tag.blobs:
            tag.first_is_blob = blobs_first
            rows.tags[name] = tag
    for event_field, step, wall_time, record, at, size in scanner.take_extras():
        rows.extras.append((event_field, step, wall_time, data[record + 12 + at : record + 12 + at + size]))
    return rows


def comparable(rows: FileRows) -> Any:
    """The same with floats as their bits (NaN equals NaN, -0 differs from 0) and without tags that have no rows."""

    def bits(number: float) -> bytes:
        return b"nan" if number != number else struct.pack("<d", number)

    tags = {
        name: (
            tag.metadata,
            [(step, bits(wall_time), bits(value)) for step, wall_time, value in tag.points],
            [(step, bits(wall_time), raw) for step, wall_time, raw in tag.blobs],
            tag.starts,
            tag.first_is_blob,
        )
        for name, tag in rows.tags.items()
        if tag.points or tag.blobs
    }
    extras = [(field, step, bits(wall_time), body) for field, step, wall_time, body in rows.extras]
    # A skipped record may have named tags first, and its place in the order is all that is left of it.
    order = sorted(tags) if rows.skipped else list(tags)
    return order, tags, extras, rows.records, rows.skipped, rows.first_skipped, rows.offset, rows.stop


@settings(max_examples=120)
@given(event_files())
def test_scanner_equals_plain_reader(data: bytes) -> None:
    with written(data) as path:
        assert comparable(rows_of(*scan(path), data)) == comparable(read_file(data))


@settings(max_examples=100)
@given(event_files(max_events=6), st.data())
def test_scanner_equals_plain_reader_on_damaged_files(data: bytes, draw: st.DataObject) -> None:
    damaged = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 3), label="faults")):
        at = draw.draw(st.integers(0, len(damaged) - 1), label="byte")
        damaged[at] ^= draw.draw(st.integers(1, 255), label="flip")
    if draw.draw(st.booleans(), label="cut"):
        del damaged[draw.draw(st.integers(0, len(damaged)), label="length") :]
    with written(bytes(damaged)) as path:
        assert comparable(rows_of(*scan(path), bytes(damaged))) == comparable(read_file(bytes(damaged)))


# ---- one file, in pieces


@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(event_files(max_events=3))
@example(
    eb.records(
        eb.file_version(),
        eb.scalar("loss", 1.0, step=1),
        eb.session_log(4),
        eb.session_log(1),
        eb.meta_graph(eb.graph_def(["m"])),
        eb.graph(eb.graph_def(["a", "b"])),
    )
)
def test_cut_at_every_byte(data: bytes) -> None:
    """Read a file up to a byte, then the rest: the same as at once, wherever the cut is."""
    data = data[:500]
    with written(data) as path:
        whole = picture(runglass.open(path.parent).source)
        for cut in range(len(data)):
            path.write_bytes(data[:cut])
            log = runglass.open(path.parent)
            append(path, data[cut:])
            log.reload()
            assert not differences(picture(log.source), whole), f"cut at byte {cut}"


@settings(max_examples=12)
@given(event_files(max_events=5))
def test_growing_byte_by_byte(data: bytes) -> None:
    data = data[:900]
    with written(data) as path:
        whole = picture(runglass.open(path.parent).source)
        path.write_bytes(data[:1])
        log = runglass.open(path.parent)
        for at in range(1, len(data)):
            append(path, data[at : at + 1])
            log.reload()
        assert not differences(picture(log.source), whole)


@settings(max_examples=40, phases=WITHOUT_SHRINKING)
@given(event_files(max_events=60), st.data())
def test_cut_at_random_bytes(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(data)), min_size=1, max_size=8), label="cuts"))
    with written(data) as path:
        whole = picture(runglass.open(path.parent).source)
        path.write_bytes(data[: cuts[0]])
        log = runglass.open(path.parent)
        for begin, end in zip(cuts, [*cuts[1:], len(data)], strict=True):
            append(path, data[begin:end])
            log.reload()
        assert not differences(picture(log.source), whole)


def test_cut_inside_large_records() -> None:
    """Records that are hopped over rather than read, with cuts around every edge of them."""
    large = eb.png(4, 4, padding=90_000)
    payload = eb.event(eb.summary(eb.image_value("picture", large, 4, 4)), wall_time=1.7e9, step=1)
    data = eb.records(
        eb.file_version(), payload, eb.scalar("loss", 1.0, step=2), payload, eb.scalar("loss", 2.0, step=3)
    )
    edges = [0, 40, 52, 56, 80, 40 + 65536, 40 + len(payload) + 12, 40 + len(payload) + 16]
    with written(data) as path:
        whole = picture(runglass.open(path.parent).source)
        assert whole["."]["numbers"][3] == 4
        for cut in sorted(
            {edge + nudge for edge in edges for nudge in (-1, 0, 1, 11, 12, 13)} & set(range(len(data)))
        ):
            path.write_bytes(data[:cut])
            log = runglass.open(path.parent)
            append(path, data[cut:])
            log.reload()
            assert not differences(picture(log.source), whole), f"cut at byte {cut}"


# ---- one file, on several threads


@pytest.fixture
def tiny_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_tail, "SPLIT_BYTES", 200)
    monkeypatch.setattr(file_tail, "PROBE_BYTES", 60)
    monkeypatch.setattr(file_tail, "PART_BYTES", 150)
    monkeypatch.setattr(file_tail, "SMALL_RECORD_BYTES", 1 << 30)
    monkeypatch.setattr(file_tail, "SYNC_BYTES", 400)


def sequential(path: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_tail, "SPLIT_BYTES", 1 << 60)
        return picture(runglass.open(path.parent).source)


def nested(payload: bytes) -> bytes:
    """An event whose text is itself the bytes of an event file."""
    inner = eb.records(eb.scalar("fake", 666.0, step=1), payload)
    return eb.event(
        eb.summary(eb.tensor_value(b"note", eb.strings([inner]), plugin="text")), wall_time=1.7e9, step=9
    )


@settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=WITHOUT_SHRINKING,
)
@given(st.data())
def test_split_over_threads_equals_sequential(tiny_parts: None, draw: st.DataObject) -> None:
    has_starts = draw.draw(st.booleans(), label="starts")
    found = draw.draw(st.lists(payloads(starts=has_starts), min_size=8, max_size=40), label="events")
    for at in draw.draw(st.lists(st.integers(0, len(found) - 1), max_size=3), label="nested"):
        found[at] = nested(found[at])
    data = bytearray(eb.records(eb.file_version(), *found))
    if draw.draw(st.integers(0, 2), label="damage") == 0:
        data[draw.draw(st.integers(0, len(data) - 1), label="byte")] ^= 0x10
    with written(bytes(data)) as path:
        assert not differences(picture(runglass.open(path.parent).source), sequential(path))


@pytest.mark.usefixtures("tiny_parts")
@pytest.mark.parametrize("seed", range(6))
def test_split_over_threads_keeps_the_first_metadata(seed: int) -> None:
    """A tag's first metadata counts for the whole file, also for the threads that did not see it."""
    choice = random.Random(seed)
    number = eb.tensor("float", eb.typed("float", [1.5]))
    found = []
    for step in range(60):
        tag = choice.choice(["a", "b", "c"])
        plugin = choice.choice([None, None, None, "scalars", "text", ""])
        found.append(
            eb.event(eb.summary(eb.tensor_value(tag, number, plugin=plugin)), wall_time=1.7e9, step=step)
        )
    with written(eb.records(*found)) as path:
        assert not differences(picture(runglass.open(path.parent).source), sequential(path))


@pytest.mark.usefixtures("tiny_parts")
def test_split_is_really_used(monkeypatch: pytest.MonkeyPatch) -> None:
    absorbed: list[bool] = []

    class Watched(EventScanner):
        def absorb(self, other: EventScanner) -> bool:
            absorbed.append(super().absorb(other))
            return absorbed[-1]

    monkeypatch.setattr(file_tail, "EventScanner", Watched)
    with written(eb.records(*eb.scalars("loss", map(float, range(200))))) as path:
        found = runglass.open(path.parent).scalars(".", "loss")
    assert found.value.tolist() == [float(each) for each in range(200)]
    assert absorbed.count(True) > 10


# ---- generations and deltas


class Client:
    """Follows series as the page does: asks for what is new, and puts it behind what it has."""

    def __init__(self, log: Any, attempts: Any) -> None:
        self.log = log
        self.attempts = attempts
        self.known: dict[SeriesKey, Columns] = {}
        self.rows: dict[SeriesKey, list[tuple[Any, ...]]] = {}

    def follow(self) -> None:
        source = self.log.source
        keys = [info.key for info in source.list_series(kind=Kind.SCALAR)]
        for key in keys:
            since = self.known[key].generation if key in self.known else -1
            (columns,) = source.read_columns([key], attempts=self.attempts, since=[since])
            self.rows[key] = self.rows.get(key, [])[: columns.offset] + rows(columns)
            self.known[key] = columns
        self.rows = {key: self.rows[key] for key in keys}

    def check(self) -> None:
        for key, held in self.rows.items():
            (columns,) = self.log.source.read_columns([key], attempts=self.attempts)
            assert held == rows(columns), f"{key} with attempts={self.attempts!r}"


def rows(columns: Columns) -> list[tuple[Any, ...]]:
    arrays = (
        columns.step,
        columns.wall_time.view(np.int64),
        columns.value.astype(np.float64),
        columns.segment,
    )
    return list(zip(*(np.asarray(array).tolist() for array in arrays), strict=True))


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, bytes]]:
    """What writers do to a run, one act after the other: (file name, bytes to append), or a file rewritten (None before)."""
    acts = []
    wall_time = 1.7e9
    for _ in range(draw(st.integers(1, 8))):
        name = draw(st.sampled_from([NAME, NAME, NAME, LATER]))
        found = []
        for _ in range(draw(st.integers(1, 4))):
            wall_time += draw(st.sampled_from([1.0, 1.0, 0.0, -3.0]))
            step = draw(st.integers(0, 12))
            kind = draw(st.sampled_from(["a", "a", "b", "both", "start", "start at 0"]))
            if kind.startswith("start"):
                found.append(eb.session_log(0 if kind == "start at 0" else step, wall_time=wall_time))
            else:
                tags = ["a", "b"] if kind == "both" else [kind]
                found.append(
                    eb.event(
                        eb.summary(*(eb.simple(tag, float(step)) for tag in tags)),
                        wall_time=wall_time,
                        step=step,
                    )
                )
        act = draw(st.sampled_from(["append"] * 8 + ["rewrite", "delete"]))
        acts.append((act, name, eb.records(*found)))
    return acts


@settings(max_examples=120)
@given(histories())
def test_deltas_add_up_to_the_whole(acts: list[tuple[str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory(prefix="runglass-") as directory:
        run = Path(directory)
        (run / NAME).write_bytes(eb.records(eb.file_version()))
        log = runglass.open(run)
        clients = [Client(log, "latest"), Client(log, "all")]
        for act, name, data in acts:
            path = run / name
            if act == "delete" and path.exists():
                path.unlink()
            elif act == "rewrite":
                path.write_bytes(data)
            else:
                append(path, data)
            log.reload()
            for client in clients:
                client.follow()
                client.check()


def test_delta_holds_only_what_is_new() -> None:
    with written(eb.records(*eb.scalars("loss", [1.0, 2.0, 3.0]))) as path:
        log = runglass.open(path.parent)
        key = SeriesKey(".", "loss")
        (before,) = log.source.read_columns([key])
        append(path, eb.records(*eb.scalars("loss", [4.0, 5.0], first_step=3)))
        log.reload()
        (delta,) = log.source.read_columns([key], since=[before.generation])
        assert delta.offset == 3
        assert delta.value.tolist() == [4.0, 5.0]
        (nothing,) = log.source.read_columns([key], since=[delta.generation])
        assert (nothing.offset, len(nothing.step), nothing.generation) == (5, 0, delta.generation)
        # The arrays of before are as they were: rows are only ever added behind them.
        assert before.value.tolist() == [1.0, 2.0, 3.0]
