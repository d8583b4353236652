"""Forks under load: parent and child lose nothing, repeat nothing and share no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.written import files, ran, steps_by_tag, steps_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

FORKS = """
children, steps = int(sys.argv[2]), 20_000
writer = EventWriter(sys.argv[1], flush_secs=0.001)
def busy():
    for step in range(steps):
        writer.add_scalar("thread", step, step)
        if step % 100 == 0:
            writer.add_later(lambda: [summaries.text("text", "x" * 10_000)], step, size_bytes=10_000)
threads = [threading.Thread(target=busy)]
threads[0].start()
pids = []
for child in range(children):
    for step in range(child * 500, child * 500 + 500):
        writer.add_scalar("parent", step, step)
    pid = os.fork()
    if not pid:
        for step in range(3000):
            writer.add_scalar(f"child{child}", step, step)
            if step % 1000 == 0:
                writer.flush()
        writer.add_later(lambda: [summaries.text("text", "x")], 3000, size_bytes=10)
        writer.close()
        os._exit(0)
    pids.append(pid)
for pid in pids:
    assert os.waitpid(pid, 0)[1] == 0
threads[0].join()
writer.close()
print(os.getpid(), *pids)
"""


def test_forked_children_write_their_own_files(tmp_path: Path) -> None:
    children = 20
    status, output, complaints = ran(FORKS, tmp_path, children)
    assert (status, complaints) == (0, "")
    parent, *pids = output.split()
    found = {path.name.split(".")[-2]: path for path in files(tmp_path)}
    assert set(found) == {parent, *pids}
    for child, pid in enumerate(pids):
        assert steps_by_tag(found[pid]) == {f"child{child}": list(range(3000)), "text": [3000]}
    assert steps_by_tag(found[parent]) == {
        "parent": list(range(children * 500)),
        "thread": list(range(20_000)),
        "text": list(range(0, 20_000, 100)),
    }


def test_a_child_that_logs_nothing_makes_no_file(tmp_path: Path) -> None:
    code = """
writer = EventWriter(sys.argv[1])
writer.add_scalar("loss", 1.0, 1)
pid = os.fork()
if not pid:
    writer.flush()
    writer.close()
    sys.exit()
os.waitpid(pid, 0)
writer.add_scalar("loss", 1.0, 2)
"""
    assert ran(code, tmp_path) == (0, "", "")
    (path,) = files(tmp_path)
    assert steps_of(path) == [1, 2]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_processes_lose_nothing_at_exit(tmp_path: Path, method: str) -> None:
    """Forked processes exit without running atexit."""
    script = tmp_path / "train.py"
    script.write_text(
        """
import multiprocessing, sys
from runglass.writer.files.event_writer import EventWriter

writer = None

def work(folder):
    used = writer or EventWriter(folder, flush_secs=1000)
    for step in range(1000):
        used.add_scalar("loss", 1.0, step)
    if writer is None:
        globals()["writer"] = used

if __name__ == "__main__":
    folder, method = sys.argv[1:]
    writer = EventWriter(folder, flush_secs=1000)
    writer.add_scalar("loss", 1.0, 0)
    context = multiprocessing.get_context(method)
    process = context.Process(target=work, args=(folder,))
    process.start()
    process.join()
    print(process.pid)
    sys.exit(process.exitcode)
"""
    )
    code = "import runpy; sys.argv = [sys.argv[1], *sys.argv[2:]]; runpy.run_path(sys.argv[0], run_name='__main__')"
    status, output, complaints = ran(code, script, tmp_path / "run", method)
    assert (status, complaints) == (0, "")
    (child,) = [path for path in files(tmp_path / "run") if path.name.split(".")[-2] == output.strip()]
    assert steps_of(child) == list(range(1000))
