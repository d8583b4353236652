"""Which files about servers are believed, and which servers."""

from __future__ import annotations

import http.server
import json
import os
import socket
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from runglass import instances
from runglass.errors import RunglassError
from runglass.instances import Instance, announced, ask, list_instances, list_serving, locked, take_order


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / f"runglass-{os.getuid()}"


def make(**changed) -> Instance:
    values = {
        "version": "1",
        "start_time": 10.0,
        "pid": os.getpid(),
        "host": "localhost",
        "port": 6006,
        "path_prefix": "",
        "logdir": ["logs"],
        "key": "k",
        "token": "secret",
    }
    return Instance(**{**values, **changed})


def ended_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def put(folder: Path, instance: Instance) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"pid-{instance.pid}.json"
    path.touch(mode=0o600)
    path.write_bytes(msgspec.json.encode(instance))
    return path


@contextmanager
def answering(body: bytes, status: int = 200) -> Iterator[tuple[int, list[tuple[str, str | None]]]]:
    """Something on a port that says this to everybody; and what it was asked, with which authorization."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port, asked
        server.shutdown()
        thread.join()


@contextmanager
def hanging_up(said: bytes, *, is_reset: bool) -> Iterator[int]:
    """Something on a port that reads a little, says this to the first who comes, and hangs up."""

    def hang_up() -> None:
        taken, _ = sock.accept()
        with taken:
            taken.recv(10)
            taken.sendall(said)
            # No time to linger: what was not read yet is answered with a reset.
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", is_reset, 0))

    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        thread = threading.Thread(target=hang_up)
        thread.start()
        yield sock.getsockname()[1]
        thread.join()


def test_the_file_is_the_owners_alone_and_goes_with_the_server(folder):
    notes = []
    with announced(make(), on_note=notes.append):
        (path,) = folder.iterdir()
        assert path.name == f"pid-{os.getpid()}.json"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert list_instances() == [make()]
    assert (list(folder.iterdir()), notes) == ([], [])


def test_the_file_goes_when_the_server_fails(folder):
    with pytest.raises(ZeroDivisionError), announced(make(), on_note=print):
        raise ZeroDivisionError
    assert list(folder.iterdir()) == []


def test_a_server_serves_without_a_file(folder):
    folder.write_text("no directory")
    notes = []
    with announced(make(), on_note=notes.append):
        pass
    assert len(notes) == 1
    assert "Notebooks will not find this server" in notes[0]


def test_no_folder_no_servers():
    assert list_instances() == []


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o777])
def test_a_folder_open_to_others_is_not_believed(folder, mode):
    put(folder, make())
    folder.chmod(mode)
    with pytest.raises(RunglassError, match="0700"):
        list_instances()


def test_a_link_is_no_folder(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    put(elsewhere, make())
    folder.symlink_to(elsewhere)
    with pytest.raises(RunglassError, match="0700"):
        list_instances()


def test_what_belongs_to_somebody_else_is_not_believed(folder, monkeypatch):
    put(folder, make())
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    monkeypatch.setattr(instances, "_user", lambda: mine)
    with pytest.raises(RunglassError, match="0700"):
        list_instances()
    monkeypatch.setattr(instances, "_check_folder", lambda folder: None)
    assert list_instances() == []


def test_files_that_are_not_believed(folder):
    path = put(folder, make())
    path.chmod(0o640)
    assert list_instances() == []
    path.chmod(0o600)
    assert list_instances() == [make()]
    path.rename(folder / "pid-1.json")
    assert list_instances() == []
    (folder / "pid-2.json").symlink_to(folder / "pid-1.json")
    (folder / "pid-3.json").write_text("{")
    (folder / "pid-4.json").mkdir()
    assert list_instances() == []


def test_files_of_servers_that_are_gone_are_removed(folder):
    gone = put(folder, make(pid=ended_pid()))
    assert list_instances() == []
    assert not gone.exists()


def test_a_port_that_nobody_listens_on_is_a_server_that_is_gone(folder):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        instance = make(port=sock.getsockname()[1])
        path = put(folder, instance)
        assert ask(instance) == "gone"
        assert not path.exists()


def test_a_server_is_asked_with_its_token_and_prefix(folder):
    body = json.dumps({"version": "1", "locations": ["logs"], "runs": 3}).encode()
    with answering(body) as (port, asked):
        instance = make(port=port, path_prefix="/x")
        put(folder, instance)
        assert ask(instance) == "serving"
        assert list_serving() == [instance]
        assert set(asked) == {("/x/api/status", "Bearer secret")}


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b'{"error": {"code": "forbidden"}}',
        b'{"version": "2", "locations": ["logs"]}',
        b'{"version": "1", "locations": ["other"]}',
    ],
)
def test_somebody_else_on_the_port_is_a_server_that_is_gone(folder, body):
    with answering(body) as (port, _):
        instance = make(port=port)
        put(folder, instance)
        assert ask(instance) == "gone"
        assert list_serving() == []


@pytest.mark.parametrize(("said", "is_reset"), [(b"", True), (b"", False), (b"SSH-2.0-x\r\n", False)])
def test_whoever_hangs_up_is_no_server(folder, said, is_reset):
    with hanging_up(said, is_reset=is_reset) as port:
        assert ask(make(port=port)) == "gone"


def test_a_server_that_fails_is_still_there(folder):
    with answering(b'{"error": {"code": "internal", "message": "m", "where": "w"}}', 500) as (port, _):
        assert ask(make(port=port)) == "silent"
    with answering(b"<html>Bad gateway", 502) as (port, _):
        assert ask(make(port=port)) == "gone"


def test_a_server_that_does_not_answer_is_silent(folder):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        assert ask(make(port=sock.getsockname()[1]), patience_s=0.05) == "silent"


# -- locks

HOLD = """
from runglass.instances import locked
with locked("k", patience_s=0):
    print("held", flush=True)
    input()
"""


def test_a_lock_is_the_owners_alone_and_leaves_nothing(folder):
    with locked("k", patience_s=0):
        (path,) = folder.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert list_instances() == []
        with locked("other", patience_s=0):
            pass
    assert list(folder.iterdir()) == []
    with pytest.raises(ZeroDivisionError), locked("k", patience_s=0):
        raise ZeroDivisionError
    assert list(folder.iterdir()) == []


def test_a_lock_is_held_by_one_process_and_dies_with_it(folder):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(RunglassError, match="Another notebook"), locked("k", patience_s=0):
            pass
        process.kill()
    assert list(folder.iterdir()) != []
    with locked("k", patience_s=0):
        pass
    assert list(folder.iterdir()) == []


def test_a_lock_that_was_removed_while_it_was_waited_for_is_taken_anew(folder, monkeypatch):
    """Its holder ends between our opening the file and our locking it: another process may hold a file of that name."""
    holder = locked("k", patience_s=0)
    holder.__enter__()
    opened = []
    open_lock = instances._open_lock

    def open_and_end_holder(path: Path):
        file = open_lock(path)
        if not opened:
            holder.__exit__(None, None, None)
        opened.append(os.fstat(file.fileno()).st_ino)
        return file

    monkeypatch.setattr(instances, "_open_lock", open_and_end_holder)
    with locked("k", patience_s=30):
        (path,) = folder.iterdir()
        assert len(opened) == 2
        assert path.stat().st_ino == opened[1]
    assert list(folder.iterdir()) == []


def test_a_place_that_cannot_be_written_to(folder, monkeypatch):
    folder.parent.joinpath("file").touch()
    monkeypatch.setattr(instances, "_folder", lambda: folder.parent / "file" / "folder")
    with pytest.raises(RunglassError, match="XDG_RUNTIME_DIR"), locked("k", patience_s=0):
        pass


def test_the_token_is_in_addresses_alone():
    instance = make(path_prefix="/x")
    assert "secret" not in repr(instance)
    assert instance.path == "/x/~secret/"
    assert instance.url == "http://localhost:6006/x/?token=secret"
    assert make(token="", host="::").url == "http://localhost:6006/"
    assert make(token="", host="fe80::1").url == "http://[fe80::1]:6006/"


def test_an_order_is_taken_out_of_the_environment():
    order = instances.Order(key="k", token="t", frame_ancestors="'self'", parent_pid=7)
    environ = {instances.ORDER_VARIABLE: msgspec.json.encode(order).decode(), "A": "b"}
    assert take_order(environ) == order
    assert environ == {"A": "b"}
    assert take_order(environ) is None
