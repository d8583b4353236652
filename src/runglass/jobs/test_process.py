"""Worker processes and their server's end: none outlives it, whatever its code is doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from runglass.jobs.process import describe_exit

PATIENCE_S = 30.0
SERVER = """
import sys, time
from runglass.jobs import test_works as works
from runglass.jobs.runner import Runner
name, folder = sys.argv[1:]
runner = Runner("", [works.make(getattr(works, name), runs_in="process", stall_s=1.0)])
runner._watch = lambda: None
runner.ask(name, works.Question(folder=folder))
while not works.noted(folder, "started"):
    time.sleep(0.01)
(active,) = runner._active.values()
print(active.worker.pid, flush=True)
time.sleep(60)
"""


def is_running(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("name", ["step_by_step", "watch_flag", "ignore_everything"])
def test_no_worker_outlives_a_server_that_is_killed(tmp_path, name):
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, name, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with server:
        pid = int(server.stdout.readline())
        assert is_running(pid)
        server.kill()
    deadline = time.monotonic() + PATIENCE_S
    while is_running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_how_a_process_ended():
    assert describe_exit(3) == "exited with status 3"
    assert describe_exit(-signal.SIGKILL) == "was killed by SIGKILL"
    assert describe_exit(-99) == "was killed by signal 99"
