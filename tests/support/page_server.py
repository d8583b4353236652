"""A real server in a thread, over a source built in code or opened, for tests that look at the page."""

from __future__ import annotations

import socket
import threading
from typing import Any

from runglass.query.source import DataSource
from runglass.server.run import PageServer, make_server
from runglass.server.settings import Settings

# A browser keeps what a page stores by its port, so a new server never has the port of an earlier one unless it is asked for.
used_ports: set[int] = set()


def listen(port: int) -> socket.socket:
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    if not port and sock.getsockname()[1] in used_ports:
        sock.close()
        return listen(port)
    sock.listen()
    used_ports.add(sock.getsockname()[1])
    return sock


class Running:
    """One server in a thread of its own."""

    def __init__(self, source: DataSource, *, port: int = 0, **settings: Any) -> None:
        sock = listen(port)
        self.port: int = sock.getsockname()[1]
        self._server: PageServer = make_server(source, settings=Settings(port=self.port, **settings))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [sock]})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self.port}{settings.get('path_prefix', '')}/"

    def stop_soon(self) -> None:
        self._server.stop()

    def stop(self) -> None:
        self.stop_soon()
        self._thread.join()
