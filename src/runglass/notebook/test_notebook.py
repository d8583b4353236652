"""Servers that a notebook starts, finds again and stops: real processes on loopback."""

from __future__ import annotations

import http.client
import http.server
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

import runglass
from runglass import flags, instances, notebook
from runglass.errors import BadArgument, BadRequest, PortTaken, RunglassError
from runglass.instances import Instance
from runglass.notebook import launch

# Long enough for the slowest machine; a test that passes never waits for it.
DEADLINE_S = 30.0


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with logs; stops all servers at the end."""
    (tmp_path / "run").mkdir()
    (tmp_path / "work" / "logs").mkdir(parents=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.chdir(tmp_path / "work")
    yield tmp_path / "work"
    for instance in instances.list_instances():
        launch.stop(instance)


def key(*words: str) -> str:
    return launch.make_key(flags.parse(list(words), "runglass 0"))


def serving() -> list[Instance]:
    return instances.list_serving()


def get(instance: Instance, path: str) -> tuple[int, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=20)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers
    finally:
        connection.close()


# -- keys


@pytest.mark.parametrize(
    "words",
    [
        ["--logdir=logs", "--window-title", "x"],
        ["--window_title=x", "--logdir", "logs"],
        ["serve", "logs", "--window", "x"],
        ["./logs/", "--window_title=x", "--port=default", "--load_fast=true"],
        [f"{os.curdir}/logs", "--window_title", "x", "--reload_interval", "5"],
    ],
)
def test_spellings_of_the_same_flags_give_one_key(words, place):
    assert key(*words) == key("--logdir", str(place / "logs"), "--window_title", "x")


@pytest.mark.parametrize(
    "words",
    [
        ["other"],
        ["logs", "other"],
        ["logs", "--port", "6007"],
        ["logs", "--path_prefix", "/x"],
        ["logs", "--token", "abc"],
        ["--logdir_spec", "a:logs"],
        ["demo", "logs"],
    ],
)
def test_other_flags_give_another_key(words):
    assert key(*words) != key("logs")


def test_relative_paths_belong_to_the_working_directory(place, monkeypatch):
    here = key("logs"), key(str(place / "logs"))
    monkeypatch.chdir(place / "logs")
    assert here == (key("../logs/../logs"), key(str(place / "logs")))
    assert key("logs") != here[0]


def test_names_of_log_directories_do_not_reach_the_terminal_as_they_are(capsys, monkeypatch):
    odd = Instance(
        version="1", start_time=0.0, pid=1, host="localhost", port=1, path_prefix="", logdir=["\x1b[2Jlogs"]
    )
    monkeypatch.setattr("runglass.instances.list_serving", lambda: [odd])
    notebook.list()
    assert "Runglass of ␛[2Jlogs on port 1" in capsys.readouterr().out


# -- real servers


def test_start_reuse_list_and_stop(capsys):
    notebook.start("--logdir logs --port 0  # the newest")
    (first,) = serving()
    told = capsys.readouterr().out
    assert told == f"Runglass at http://localhost:{first.port}/?token={first.token}\n"
    assert (first.logdir, first.version) == (["logs"], runglass.__version__)

    notebook.start("--port=0 --logdir=./logs")
    assert serving() == [first]
    assert capsys.readouterr().out.startswith(
        f"Reusing Runglass of logs on port {first.port} (pid {first.pid}, "
    )

    notebook.start("--logdir 'other logs' --port 0")
    _, second = serving()
    assert second.logdir == ["other logs"]
    notebook.list()
    listed = capsys.readouterr().out
    assert f"port {first.port}" in listed
    assert f"port {second.port}" in listed
    assert first.token not in listed

    with pytest.raises(PortTaken, match=rf"stop\({first.port}\)"):
        notebook.start(f"other --port {first.port}")

    notebook.display(first.port)
    assert str(first.port) in capsys.readouterr().out
    notebook.display()
    assert str(second.port) in capsys.readouterr().out

    notebook.stop(first.port)
    assert serving() == [second]
    notebook.stop()
    assert serving() == []
    capsys.readouterr()
    notebook.list()
    assert capsys.readouterr().out == "No Runglass server is running.\n"
    for act in (notebook.stop, notebook.display):
        with pytest.raises(BadArgument, match="No Runglass server is running"):
            act()


def test_the_server_needs_its_token_and_hides_it(tmp_path):
    launch.find_or_start(["logs", "--port", "0"])
    (instance,) = serving()
    assert get(instance, "/api/status")[0] == 403
    status, headers = get(instance, instance.path)
    assert status == 200
    assert "http://localhost:*" in headers["content-security-policy"]
    command = Path(f"/proc/{instance.pid}/cmdline")
    if command.exists():
        assert instance.token.encode() not in command.read_bytes()
    (info,) = (tmp_path / "run").rglob("*.json")
    assert stat.S_IMODE(info.stat().st_mode) == 0o600


def test_a_token_of_the_user():
    launch.find_or_start(["logs", "--port", "0", "--token", "mine"])
    launch.find_or_start(["logs", "--port", "0", "--token", ""])
    mine, none = serving()
    assert (mine.token, none.token) == ("mine", "")
    assert get(none, "/api/status")[0] == 200


def test_a_killed_server_is_started_again():
    first, is_reused = launch.find_or_start(["logs", "--port", "0"])
    assert not is_reused
    os.kill(first.pid, signal.SIGKILL)
    launch._started[first.pid].wait()
    second, is_reused = launch.find_or_start(["logs", "--port", "0"])
    assert not is_reused
    assert serving() == [second]
    assert launch.find_or_start(["logs", "--port", "0"]) == (second, True)


def test_a_server_that_hangs_and_is_then_killed_is_started_again(monkeypatch):
    monkeypatch.setattr(launch, "START_PATIENCE_S", DEADLINE_S)
    ask = instances.ask
    first, _ = launch.find_or_start(["logs", "--port", "0"])
    os.kill(first.pid, signal.SIGSTOP)
    heard = []

    def ask_and_kill(instance: Instance) -> str:
        if instance != first:
            return ask(instance)
        heard.append(ask(instance, patience_s=0.1))
        if len(heard) == 1:
            launch._started[first.pid].kill()
        return heard[-1]

    monkeypatch.setattr(instances, "ask", ask_and_kill)
    second, is_reused = launch.find_or_start(["logs", "--port", "0"])
    assert heard[0] == "silent"
    assert not is_reused
    assert instances.list_instances() == [second]


def test_a_server_that_hangs_is_named(monkeypatch):
    instance, _ = launch.find_or_start(["logs", "--port", "0"])
    monkeypatch.setattr(launch, "START_PATIENCE_S", 0.0)
    monkeypatch.setattr(instances, "ask", partial(instances.ask, patience_s=0.1))
    os.kill(instance.pid, signal.SIGSTOP)
    try:
        with pytest.raises(RunglassError, match=f"it hangs.*kill -9 {instance.pid}"):
            notebook.start("logs --port 0")
    finally:
        os.kill(instance.pid, signal.SIGCONT)


def test_a_file_of_a_reused_pid_is_not_waited_for(tmp_path):
    """Another process has the pid, and another server the port."""
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as other:
        thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        stale = Instance(
            version=runglass.__version__,
            start_time=0.0,
            pid=os.getpid(),
            host="localhost",
            port=other.server_port,
            path_prefix="",
            logdir=["logs"],
            key=key("logs", "--port", "0"),
        )
        with instances.announced(stale, on_note=print):
            instance, is_reused = launch.find_or_start(["logs", "--port", "0"])
        other.shutdown()
        thread.join()
    assert not is_reused
    assert serving() == [instance]


def test_two_kernels_that_start_the_same_at_once_share_one_server():
    code = (
        "from runglass.notebook import launch\nprint('ready', flush=True)\ninput()\n"
        "instance, is_reused = launch.find_or_start(['logs', '--port', '0'])\n"
        "print(instance.pid, is_reused, flush=True)"
    )
    kernels = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for kernel in kernels:
        assert kernel.stdout is not None
        assert kernel.stdout.readline() == "ready\n"
    for kernel in kernels:
        assert kernel.stdin is not None
        kernel.stdin.write("go\n")
        kernel.stdin.flush()
    told = [kernel.communicate(timeout=2 * DEADLINE_S)[0] for kernel in kernels]
    (instance,) = instances.list_instances()
    assert sorted(told) == [f"{instance.pid} False\n", f"{instance.pid} True\n"]


def test_the_output_of_a_failing_server_is_shown():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        port = sock.getsockname()[1]
        with pytest.raises(RunglassError, match=f"(?s)exit status 255.*Port {port} is in use") as failed:
            notebook.start(f"logs --port {port}")
    assert "token" not in failed.value.message


def test_a_server_that_does_not_start_in_time(monkeypatch):
    # Not undone by hand: the servers of whoever runs the tests are those of the folder that is chosen then.
    with monkeypatch.context() as limited:
        limited.setattr(launch, "START_PATIENCE_S", 0.0)
        with pytest.raises(RunglassError, match="may still be starting"):
            notebook.start("logs --port 0")
    for process in launch._started.values():
        process.kill()
        process.wait()


def test_a_module_beside_the_notebook_does_not_replace_the_standard_library(place):
    (place / "socket.py").write_text("raise RuntimeError")
    launch.find_or_start(["logs", "--port", "0"])
    assert len(serving()) == 1


def test_a_server_ends_some_time_after_its_kernel():
    """A process that starts a server as a notebook does, and ends; the server waits only briefly."""
    code = "from runglass.notebook import launch\nprint(launch.find_or_start(['logs', '--port', '0'])[0].pid)"
    site = Path("site")
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import runglass.server.run as run\nrun.LEFT_S = 0.2\nrun.LOOK_TICKS = 1\n"
    )
    paths = os.pathsep.join([str(site.absolute()), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip().isdigit(), done.stderr
    deadline = time.monotonic() + DEADLINE_S
    # Checks its file, not its port: a request would keep the server running.
    while instances.list_instances():
        assert time.monotonic() < deadline, "it did not end"


# -- words


@pytest.mark.parametrize(
    ("line", "error", "says"),
    [
        ("--logdir 'logs", BadArgument, "No closing quotation"),
        ("", BadRequest, "No log directory"),
        ("inspect logs", BadRequest, "!runglass inspect"),
        ("--inspect --logdir logs", BadRequest, "!runglass inspect"),
        ("run -- python train.py", BadRequest, "!runglass run"),
        ("logs --logdir logs", BadRequest, "named twice"),
    ],
)
def test_wrong_flags_are_refused(line, error, says):
    with pytest.raises(error, match=says):
        notebook.start(line)


@pytest.mark.parametrize("height", [0, -5, "tall", 1.5])
def test_wrong_heights_are_refused(height):
    with pytest.raises(BadArgument, match="height"):
        notebook.display(height=height)


def test_help_and_bad_values_do_not_end_the_kernel(capsys):
    notebook.start("--help")
    assert "usage: runglass" in capsys.readouterr().out
    notebook.start("logs --port many")
    assert "'many' is not a port" in capsys.readouterr().err
    assert serving() == []


class Shell:
    def __init__(self, *names: str) -> None:
        self.magics = dict.fromkeys(names)

    def find_line_magic(self, name):
        return self.magics.get(name)

    def register_magic_function(self, function, magic_kind, magic_name):
        assert magic_kind == "line"
        self.magics[magic_name] = function


def test_the_extension_adds_its_magics(capsys):
    shell = Shell()
    runglass.load_ipython_extension(shell)
    assert set(shell.magics) == {"runglass", "tensorboard"}
    shell.magics["runglass"]("")
    assert capsys.readouterr().err.startswith("Error: No log directory was given.")


def test_the_magic_of_tensorboard_stays():
    shell = Shell()
    own = shell.magics["tensorboard"] = SimpleNamespace()
    runglass.load_ipython_extension(shell)
    assert shell.magics["tensorboard"] is own


def test_the_module_is_there_without_being_imported_by_name():
    code = "import runglass, sys; assert 'runglass.notebook' not in sys.modules; runglass.notebook.list"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
