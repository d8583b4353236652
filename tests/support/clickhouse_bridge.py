"""Speaks ClickHouse's HTTP interface over the embedded engine of this process, so that the real client can be tested.

It can also be out of order: refuse connections, be slow, or lose the answer to something it has done.
"""

from __future__ import annotations

import gzip
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.support.clickhouse import engine_session

FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*$", re.IGNORECASE)
INSERT = re.compile(rb"\s*INSERT INTO [^\n]*? FORMAT \w+\n")
USER, PASSWORD = "reader", "o'pen:sesame"


class Bridge(ThreadingHTTPServer):
    daemon_threads = True
    # How it is out of order: "", "refuse", "lose" (does what is asked, and hangs up), "slow".
    fault = ""
    queries: list[str]

    def __init__(self, port: int = 0) -> None:
        self.queries = []
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are expected."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet for an answer: small ones that wait for each other cost 40 ms.
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    server: Bridge

    def log_message(self, format: str, *args: object) -> None: ...

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._read_body())

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            pieces = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            body = b"".join(pieces)
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _answer(self, body: bytes) -> None:
        if self.server.fault == "refuse":
            self.close_connection = True
            return
        if self.server.fault == "slow":
            time.sleep(0.2)
        asked = {name: values[-1] for name, values in parse_qs(urlsplit(self.path).query).items()}
        # The query is in the address or in front of the data.
        query, data = asked.get("query", ""), body
        if not query and (insert := INSERT.match(body)):
            query, data = insert[0].decode(), body[insert.end() :]
        elif not query:
            query, data = body.decode(), b""
        if self.headers.get("Authorization", "") != expected_authorization():
            self._send(516, b"Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)")
            return
        self.server.queries.append(query)
        parameters = {name[6:]: value for name, value in asked.items() if name.startswith("param_")}
        try:
            answer = run(query, data, parameters, asked.get("database", ""))
        except RuntimeError as error:
            self._send(500, str(error).encode())
            return
        if self.server.fault == "lose":
            self.close_connection = True
            return
        self._send(200, answer)

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(403 if status == 516 else status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-ClickHouse-Format", "Native")
        self.send_header("X-ClickHouse-Server-Display-Name", "bridge")
        if status != 200:
            code = body.split(b".")[0].removeprefix(b"Code: ").decode()
            self.send_header("X-ClickHouse-Exception-Code", code if code.isdigit() else "1000")
        self.end_headers()
        self.wfile.write(body)


def is_insert(query: str) -> bool:
    return query.lstrip().upper().startswith("INSERT")


def expected_authorization() -> str:
    from base64 import b64encode

    return "Basic " + b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def run(query: str, data: bytes, parameters: dict[str, str], database: str) -> bytes:
    session, lock = engine_session()
    found = FORMAT.search(query)
    fmt = found[1] if found else "TabSeparated"
    query = query[: found.start()] if found else query
    with lock:
        if is_insert(query):
            with session.send_insert(query, fmt) as inserting:
                inserting.append(data)
                inserting.finish()
            return b""
        if database:
            session.query(f"USE {database}")
        answer = session.query(query, fmt, params=parameters)
        return answer.bytes() if answer.size() else b""


@contextmanager
def bridge() -> Iterator[Bridge]:
    server = Bridge()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
