"""SIGKILL at random moments: what was flushed is there, and every file reads to its last whole record."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from tests.support.written import DEADLINE_S, files, program, steps_by_tag

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks the writers to be killed")

KILLS = 50
AT_ONCE = 4

# Forks a writer per line of its input and prints its pid. The child logs as fast as it can and notes after every flush
# how much is safe; some tags are very long, and the thread encodes some values.
NURSERY = """
import random
def log(folder, seed):
    draw = random.Random(seed)
    writer = EventWriter(folder, flush_secs=draw.choice([0.001, 0.01, 1000]))
    told = os.open(os.path.join(folder, "flushed"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    step = 0
    while True:
        for _ in range(draw.choice([1, 10, 100, 1000])):
            tag = "long" * 50_000 if draw.random() < 0.0003 else "loss"
            writer.add_scalar(tag, step, step)
            step += 1
        if draw.random() < 0.3:
            at = step
            writer.add_later(lambda: [summaries.text("note", "x" * 100_000)], at, size_bytes=1)
        if draw.random() < 0.7:
            writer.flush()
            os.write(told, b"%d\\n" % step)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    folder, seed = line.split()
    pid = os.fork()
    if not pid:
        try:
            log(folder, int(seed))
        finally:
            os._exit(1)
    print(pid, flush=True)
"""


def is_begun(folder: Path) -> bool:
    return bool(files(folder)) and (folder / "flushed").exists() and (folder / "flushed").stat().st_size > 0


def wait_until_begun(folder: Path) -> None:
    deadline_s = time.monotonic() + DEADLINE_S
    while not is_begun(folder):
        assert time.monotonic() < deadline_s, f"{folder}: the writer did not begin"
        time.sleep(0.001)


def test_a_killed_writer_leaves_what_it_flushed(tmp_path: Path) -> None:
    draw = random.Random(4)
    nursery = program(NURSERY)
    assert nursery.stdin
    assert nursery.stdout
    alive: list[tuple[int, Path]] = []
    try:
        for number in range(KILLS):
            folder = tmp_path / str(number)
            folder.mkdir()
            nursery.stdin.write(f"{folder} {number}\n")
            nursery.stdin.flush()
            alive.append((int(nursery.stdout.readline()), folder))
            if len(alive) == AT_ONCE:
                pid, oldest = alive.pop(0)
                wait_until_begun(oldest)
                # Not a wait for something: the moment of the kill is random.
                time.sleep(draw.random() * 0.02)
                os.kill(pid, signal.SIGKILL)
        for _, folder in alive:
            wait_until_begun(folder)
    finally:
        for pid, _ in alive:
            os.kill(pid, signal.SIGKILL)
        nursery.communicate(timeout=DEADLINE_S)
    busy = 0
    for number in range(KILLS):
        folder = tmp_path / str(number)
        (path,) = files(folder)
        told = (folder / "flushed").read_text() if (folder / "flushed").exists() else ""
        flushed = int(told.split()[-1]) if told.endswith("\n") else 0
        by_tag = steps_by_tag(path, is_whole=False)
        by_tag.pop("note", None)
        found = [step for steps in by_tag.values() for step in steps]
        assert sorted(found) == list(range(len(found))), f"{path}: steps are missing between others"
        assert len(found) >= flushed, f"{path}: {flushed} steps were flushed, {len(found)} are there"
        busy += flushed > 0
    assert busy > KILLS / 2, "too few writers had anything to lose"
