"""Clients that leave, do not read or send nothing hold neither memory nor descriptors; over a real socket."""

from __future__ import annotations

import contextlib
import errno
import socket
from http.client import HTTPConnection

from runglass.api.dashboard import Dashboard
from runglass.api.route import BYTES, Answer, Later, NoParameters, Route
from runglass.query.memory import MemorySource
from runglass.server import run as run_module
from runglass.server import streaming
from runglass.server.test_live import running
from runglass.server.test_long_answers import PATIENCE_S, begin, wait_until

SIZE_BYTES = 16 << 20
BODY = bytes(range(256)) * (SIZE_BYTES // 256)


def read_large(source: MemorySource, query: NoParameters) -> Later:
    """More than any socket buffers."""
    return Later(lambda: Answer(BODY, BYTES))


LARGE = Dashboard("large", "Large", routes=(Route("/api/large", read_large, NoParameters),))


def test_large_answers_are_held_within_a_limit_and_end_with_their_clients(monkeypatch):
    monkeypatch.setattr(streaming, "MAX_HELD_BYTES", 3 * SIZE_BYTES)
    monkeypatch.setattr(streaming, "PATIENCE_S", 0.0)
    with running(MemorySource(), dashboards=(LARGE,)) as (server, port):
        bodies = server._app._pending_bodies
        largest = 0
        clients = []
        for _ in range(6):
            clients.append(begin(port, "/api/large"))
            # The beginning has come, so the rest is held.
            assert clients[-1].recv(100)
            largest = max(largest, bodies.size_bytes)
        assert largest == 3 * SIZE_BYTES
        # The first to be dropped were those that had not read for longest.
        wait_until(lambda: len(server.server_state.connections) == 3)
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", "/api/large")
        response = connection.getresponse()
        assert response.headers["content-length"] == str(SIZE_BYTES)
        assert response.read() == BODY
        connection.close()
        for client in clients:
            client.close()
        wait_until(lambda: not bodies.size_bytes and not server.server_state.connections)


def test_a_connection_without_a_request_is_closed(monkeypatch):
    monkeypatch.setattr(run_module, "HEAD_S", 0.0)
    with running(MemorySource()) as (server, port):
        for sent in (b"", b"GET /api/runs HTTP/1.1\r\nHost: local"):
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as client:
                client.sendall(sent)
                with contextlib.suppress(ConnectionResetError):
                    assert client.recv(10) == b""
        wait_until(lambda: not server.server_state.connections)


def test_out_of_descriptors_is_one_line_and_idle_connections_give_way(caplog):
    with running(MemorySource()) as (server, port):
        idle = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        idle.request("GET", "/api/runs")
        idle.getresponse().read()
        (protocol,) = server.server_state.connections
        context = {"message": "accept", "exception": OSError(errno.EMFILE, "Too many open files")}
        for _ in range(100):
            protocol.loop.call_soon_threadsafe(server._on_loop_error, protocol.loop, context)
        wait_until(lambda: not server.server_state.connections)
        idle.close()
    (record,) = caplog.records
    assert "Too many open files: new connections wait" in record.getMessage()
    assert record.exc_info is None
