"""Live updates and stopping on a running server, over a real socket."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from runglass.query.memory import MemorySource
from runglass.server import live as live_module
from runglass.server.app import App
from runglass.server.run import PageServer
from runglass.store.model import Progress

PATIENCE_S = 20


def listening_socket() -> socket.socket:
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen()
    return sock


@contextmanager
def running(source: MemorySource, **options: Any) -> Iterator[tuple[PageServer, int]]:
    sock = listening_socket()
    port = sock.getsockname()[1]
    server = PageServer(App(source, **options))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        yield server, port
    finally:
        server.stop()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


@contextmanager
def listening(port: int) -> Iterator[HTTPResponse]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", "/api/live")
    with connection.getresponse() as response:
        yield response
    connection.close()


def read_block(response: HTTPResponse) -> list[str]:
    lines = []
    while line := response.readline().decode().rstrip("\n"):
        lines.append(line)
    return lines


def read_change(response: HTTPResponse) -> dict:
    block = read_block(response)
    while block and block[0].startswith(":"):
        # A heartbeat: on a loaded machine one comes before the first change.
        block = read_block(response)
    event, data = block
    assert event == "event: change"
    return json.loads(data.removeprefix("data: "))


def test_changes_reach_every_listener():
    source = MemorySource().add_run("a")
    with running(source) as (_, port), listening(port) as one, listening(port) as other:
        assert one.headers["content-type"] == "text/event-stream"
        assert one.headers.get("content-encoding") is None
        for response in (one, other):
            first = read_change(response)
            assert first == {
                "generation": source.generation,
                "runs": None,
                "is_loaded": True,
                "progress": {
                    "runs_found": 1,
                    "runs_loaded": 1,
                    "bytes_found": 0,
                    "bytes_read": 0,
                    "bytes_indexed": 0,
                },
            }
        source.add_scalars("b", "loss", step=[0], value=[1.0])
        for response in (one, other):
            assert read_change(response)["runs"] == ["b"]
        source.set_progress(Progress(False, 9, 1, 100, 3))
        for response in (one, other):
            change = read_change(response)
            assert (change["runs"], change["is_loaded"], change["progress"]["bytes_read"]) == ([], False, 3)


def test_many_changes_come_as_few_events():
    source = MemorySource()
    with running(source) as (_, port), listening(port) as response:
        read_change(response)
        for number in range(live_module.MAX_RUNS_NAMED + 1):
            source.add_run(f"run-{number}")
        events, seen = 0, -1
        while seen != source.generation:
            seen = read_change(response)["generation"]
            events += 1
        assert events < 20


def test_many_pages_get_events_in_groups():
    def due_s(count: int, now_s: float) -> list[float]:
        return [live_module.until_next_s(place, count, now_s) for place in range(count)]

    assert due_s(5, 7.01) == [live_module.INTERVAL_S] * 5
    many = due_s(48, 7.01)
    # 48 / 150 s between two, and four groups.
    assert sorted({round(each, 6) for each in many}) == pytest.approx([0.03, 0.11, 0.19, 0.27])
    assert many == many[:4] * 12
    # However late it is asked, the moments are the same.
    assert [7.01 + each for each in many] == pytest.approx([7.03 + each for each in due_s(48, 7.03)])
    assert max(due_s(5_000, 7.01)) <= live_module.MAX_INTERVAL_S


def test_more_runs_than_are_named(monkeypatch):
    monkeypatch.setattr(live_module, "MAX_RUNS_NAMED", 1)
    source = MemorySource()
    live = live_module.Live(source)
    seen = source.generation
    source.add_run("a")
    assert live._list_changes(seen) == (source.generation, ["a"])
    source.add_run("b")
    assert live._list_changes(seen) == (source.generation, None)


def test_heartbeat(monkeypatch):
    monkeypatch.setattr(live_module, "HEARTBEAT_S", 0.01)
    with running(MemorySource()) as (_, port), listening(port) as response:
        read_change(response)
        assert read_block(response)[0].startswith(":")


def test_a_listener_that_leaves_is_forgotten():
    source = MemorySource()
    with running(source) as (server, port):
        with listening(port) as response:
            read_change(response)
        live = server._app.open().result().live
        watcher = live._thread
        # The waiting thread ends once nothing listens; changes wake it, so this test does not have to wait.
        for number in range(10_000):
            if watcher is None or not watcher.is_alive():
                break
            source.add_run(str(number))
            watcher.join(0.01)
        assert not live._listeners
        assert live._thread is None
        with listening(port) as response:
            assert read_change(response)["generation"] == source.generation


def test_stopping_ends_live_connections():
    with running(MemorySource()) as (server, port), listening(port) as response:
        read_change(response)
        server.stop()
        assert response.read() == b""


PROGRAM = """
import socket, sys
from runglass.server.run import serve

def open_source():
    from runglass.query.memory import MemorySource
    return MemorySource().add_run("a")

sock = socket.socket()
sock.bind(("127.0.0.1", 0))
sock.listen()
print(sock.getsockname()[1], flush=True)
serve(open_source, sock)
assert not {"httpx", "pandas", "starlette.routing"} & set(sys.modules)
print("stopped", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals between processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_stop_the_server_cleanly(number):
    paths = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            with listening(int(process.stdout.readline())) as response:
                read_change(response)
                process.send_signal(number)
                assert response.read() == b""
            out, errors = process.communicate(timeout=PATIENCE_S)
        finally:
            # After a failure Popen would wait for it for ever.
            process.kill()
    assert (out, errors, process.returncode) == ("stopped\n", "", 0)


@pytest.mark.parametrize(("length", "status"), [(100_000, 413), (600_000, 431)])
def test_an_address_that_is_too_long_gets_our_own_error(length, status):
    with running(MemorySource()) as (_, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", "/api/tags?run=" + "x" * length)
        response = connection.getresponse()
        assert response.status == status
        assert json.loads(response.read())["error"]["code"] == "too_large"
        connection.close()


def test_what_is_no_request_gets_our_own_error():
    with running(MemorySource()) as (_, port):
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as client:
            client.sendall(b"\x16\x03\x01 not HTTP\r\n\r\n")
            answer = client.makefile("rb").read()
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert json.loads(body)["error"]["code"] == "bad_request"


def test_small_answers_are_sent_at_once():
    with running(MemorySource()) as (server, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", "/api/runs")
        connection.getresponse().read()
        (protocol,) = server.server_state.connections
        accepted = protocol.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        connection.close()
