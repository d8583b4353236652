"""What comes from the index equals what a scan finds, however the files grew, were damaged, or the index was."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.golden.test_cases import LOGS
from tests.support.event_strategies import event_files
from tests.support.indexed import IndexedLog, packs_of
from tests.support.picture import differences, picture

NAMES = ("events.out.tfevents.1700000000.host.1.0", "events.out.tfevents.1700000100.host.2.0")
WITHOUT_SHRINKING = (Phase.explicit, Phase.generate)


@contextmanager
def folders() -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory(prefix="runglass-") as directory:
        logdir, cache = Path(directory, "logs"), Path(directory, "cache")
        (logdir / "run").mkdir(parents=True)
        yield logdir, cache


def assert_equal(found: IndexedLog, logdir: Path) -> None:
    assert not differences(picture(found.source), picture(IndexedLog(logdir, None).source))


@settings(max_examples=100, phases=WITHOUT_SHRINKING, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_growing_files_through_the_index(draw: st.DataObject) -> None:
    """A file grows in pieces, and then a second one, as a restarted run has it. After each, the index may be written, and the logs
    opened again or followed on."""
    with folders() as (logdir, cache):
        log = IndexedLog(logdir, cache)
        files = [draw.draw(event_files(max_events=8), label="file") for _ in NAMES]
        if draw.draw(st.integers(0, 3), label="damage") == 0:
            damaged = bytearray(files[0])
            damaged[draw.draw(st.integers(0, len(damaged) - 1), label="byte")] ^= 0x10
            files[0] = bytes(damaged)
        pieces = []
        for name, data in zip(NAMES, files, strict=True):
            cuts = draw.draw(st.lists(st.integers(1, len(data) - 1), max_size=2), label="cuts")
            ends = [0, *sorted(cuts), len(data)]
            pieces += [(name, data[a:b]) for a, b in itertools.pairwise(ends)]
        for name, piece in pieces:
            with (logdir / "run" / name).open("ab") as file:
                file.write(piece)
            match draw.draw(st.sampled_from(["follow", "reopen", "write", "write and reopen"]), label="then"):
                case "follow":
                    log.watch.load()
                case "reopen":
                    log = IndexedLog(logdir, cache)
                case "write":
                    log.watch.load()
                    log.write()
                case _:
                    log.watch.load()
                    log.write()
                    log = IndexedLog(logdir, cache)
                    log.prove()
            assert_equal(log, logdir)


@settings(max_examples=60, phases=WITHOUT_SHRINKING, suppress_health_check=[HealthCheck.too_slow])
@given(event_files(max_events=20), st.data())
def test_no_damage_of_an_index_is_ever_shown(data: bytes, draw: st.DataObject) -> None:
    """Whatever byte of it changes, and wherever it is cut, the answers are those of the event file."""
    with folders() as (logdir, cache):
        path = logdir / "run" / NAMES[0]
        path.write_bytes(data)
        IndexedLog(logdir, cache).write()
        (pack,) = packs_of(cache, logdir)
        damaged = bytearray(pack.read_bytes())
        # Not of its length, which depends on what the file system says of the event file.
        byte = draw.draw(st.integers(0, 2**32 - 1), label="place") * len(damaged) >> 32
        if draw.draw(st.integers(0, 4), label="how") == 0:
            del damaged[byte:]
        else:
            damaged[byte] ^= draw.draw(st.integers(1, 255), label="flip")
        # As a disk would do it: the file keeps its name, but no process has it mapped.
        pack.unlink()
        pack.write_bytes(damaged)
        log = IndexedLog(logdir, cache)
        assert_equal(log, logdir)
        with path.open("ab") as file:
            file.write(data)
        log.watch.load()
        assert_equal(log, logdir)
        log.write()
        assert_equal(IndexedLog(logdir, cache), logdir)


@pytest.mark.parametrize("case", sorted(path.parent.name for path in LOGS.glob("*/logdir")))
def test_golden_logs_through_the_index(case: str, tmp_path: Path) -> None:
    logdir = LOGS / case / "logdir"
    first = IndexedLog(logdir, tmp_path)
    plain = picture(IndexedLog(logdir, None).source)
    count = first.write()
    # What is in memory now comes from the index.
    assert not differences(picture(first.source), plain)
    again = IndexedLog(logdir, tmp_path)
    assert again.filled == count > 0
    assert not differences(picture(again.source), plain)
    assert os.listdir(tmp_path) == ["index"]
