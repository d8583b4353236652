"""Charts are answered while searches run, and a search ends with its client; over a real socket."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest
from msgspec import Struct

from runglass.api import pattern_jobs
from runglass.api.dashboard import Dashboard
from runglass.api.route import JSON, Download, Later, NoParameters, Route
from runglass.dashboards.scalars.routes import ROUTES as SCALARS
from runglass.native.wire import encode
from runglass.query.memory import MemorySource
from runglass.schema.graph import GRAPH
from runglass.server.test_live import running
from runglass.store.model import Kind

# The machine may be busy; a test that passes never waits for it.
PATIENCE_S = 60


@pytest.fixture
def source() -> MemorySource:
    # No machine lives long enough to see that (a|a)*x is not in this name.
    graph = encode(GRAPH, {"node": [{"name": "a" * 100, "op": "Relu"}]})
    source = MemorySource().add_values("run", "model", Kind.GRAPH, step=[0], values=[graph], plugin="graphs")
    return source.add_scalars("run", "loss", step=[0, 1], value=[1.0, 2.0])


def begin(port: int, path: str, body: object = None) -> socket.socket:
    """A request whose answer nobody waits for."""
    data = b"" if body is None else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    client = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: {len(data)}\r\n\r\n"
    client.sendall(head.encode() + data)
    return client


def ask(port: int, path: str) -> dict:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", path)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def ask_for_chart(port: int) -> list[float]:
    return ask(port, "/api/scalars/points?run=run&tag=loss")["value"]


def wait_until(is_so) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_patterns_that_never_end_hold_no_chart_and_end_with_their_clients(source, monkeypatch):
    monkeypatch.setattr(pattern_jobs, "WAIT_S", 10 * PATIENCE_S)
    with running(source) as (server, port):
        # The source is open once something was answered; before, opening it here would open it twice.
        assert ask_for_chart(port) == [1.0, 2.0]
        runner = server._app.open().result().runner
        query = {"graph": {"run": "run", "name": "model"}}
        clients = [begin(port, "/api/graphs/search", {**query, "q": f"/(a|a)*x{n}/"}) for n in range(6)]
        wait_until(lambda: len(runner.list_jobs()) == 6)
        wait_until(lambda: any(job.state == "running" for job in runner.list_jobs()))
        assert ask_for_chart(port) == [1.0, 2.0]
        assert not any(job.is_ended for job in runner.list_jobs())
        for client in clients:
            client.close()
        wait_until(lambda: all(job.state == "cancelled" for job in runner.list_jobs()))
        wait_until(lambda: not runner._active and not server.server_state.connections)


class Word(Struct, frozen=True):
    word: str


def test_long_answers_wait_for_each_other_and_those_of_nobody_are_not_made(source):
    started: list[int] = []
    go = threading.Event()

    def work() -> Word:
        started.append(len(started))
        assert go.wait(PATIENCE_S)
        return Word("done")

    def search(source: MemorySource, query: NoParameters) -> Later:
        """Takes as long as the test wants."""
        return Later(work)

    slow = Dashboard("slow", "Slow", routes=(Route("/api/slow", search, Word, is_long=True),))
    charts = Dashboard("scalars", "Scalars", routes=SCALARS)
    with running(source, dashboards=(slow, charts)) as (server, port):
        clients = [begin(port, "/api/slow") for _ in range(12)]
        wait_until(lambda: started)
        assert ask_for_chart(port) == [1.0, 2.0]
        begun = len(started)
        assert begun < len(clients)
        for client in clients:
            client.close()
        wait_until(lambda: not server.server_state.tasks)
        go.set()
        assert ask(port, "/api/slow") == {"word": "done"}
        assert len(started) == begun + 1
        wait_until(lambda: not server.server_state.connections)


def test_files_that_are_made_while_they_are_sent_hold_no_chart(source):
    begun = []
    go = threading.Event()

    def make_pieces() -> Iterator[bytes]:
        begun.append(1)
        assert go.wait(PATIENCE_S)
        yield b"{}"

    def export(source: MemorySource, query: NoParameters) -> Download:
        """A file that takes as long as the test wants."""
        return Download(make_pieces(), JSON)

    slow = Dashboard("slow", "Slow", routes=(Route("/api/slow", export, Word),))
    charts = Dashboard("scalars", "Scalars", routes=SCALARS)
    with running(source, dashboards=(slow, charts)) as (server, port):
        clients = [begin(port, "/api/slow") for _ in range(12)]
        wait_until(lambda: begun)
        assert ask_for_chart(port) == [1.0, 2.0]
        go.set()
        for client in clients:
            client.close()
        wait_until(lambda: not server.server_state.connections)


def test_answers_that_wait_when_the_server_stops_say_so(source, caplog):
    begun = threading.Event()
    go = threading.Event()

    def work() -> Word:
        begun.set()
        assert go.wait(PATIENCE_S)
        return Word("done")

    def search(source: MemorySource, query: NoParameters) -> Later:
        """Takes as long as the test wants."""
        return Later(work)

    slow = Dashboard("slow", "Slow", routes=(Route("/api/slow", search, Word, is_long=True),))
    with running(source, dashboards=(slow,)) as (server, port):
        clients = [begin(port, "/api/slow") for _ in range(20)]
        assert begun.wait(PATIENCE_S)
        wait_until(lambda: len(server.server_state.tasks) == len(clients))
        server.stop()
        wait_until(lambda: server._app._is_closed)
        go.set()
        answers = [client.makefile("rb").read() for client in clients]
        for client in clients:
            client.close()
    refused = [answer for answer in answers if b"503" in answer.splitlines()[0]]
    assert refused
    assert all(b"The server is stopping." in answer for answer in refused)
    assert "Traceback" not in caplog.text
