"""Binds the socket to serve on, by TensorBoard's port rules. Does not know what is served."""

from __future__ import annotations

import errno
import os
import socket
import sys
from dataclasses import dataclass

from runglass.errors import PortTaken
from runglass.server.hosts import LOOPBACK_NAMES, WILDCARDS, is_loopback

FIRST_PORT = 6006
PORTS_TRIED = 100
BACKLOG = 128


@dataclass(frozen=True, slots=True)
class Listener:
    socket: socket.socket
    host: str
    port: int
    is_loopback: bool

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine, or on any machine where the socket is bound to one address."""
        shown = "localhost" if self.host in LOOPBACK_NAMES else self.host
        if self.host in WILDCARDS:
            shown = socket.gethostname()
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}"


def bind(host: str | None, *, bind_all: bool, port: int | None, reuse_port: bool = False) -> Listener:
    """Bind `port`; None for the first free one from 6006 up."""
    address = ("::" if socket.has_dualstack_ipv6() else "0.0.0.0") if bind_all else host or "localhost"
    ports = [port] if port is not None else list(range(FIRST_PORT, FIRST_PORT + PORTS_TRIED))
    for number in ports:
        # A server on another address of the same port would answer instead of us.
        if port != 0 and not reuse_port and _is_answering(number):
            continue
        sock = _try_bind(address, number, bind_all=bind_all, reuse_port=reuse_port)
        if sock is not None:
            bound = sock.getsockname()
            return Listener(sock, address, bound[1], is_loopback(bound[0]))
    if port is not None:
        raise PortTaken(
            f"Port {port} is in use by another process. Pass --port 0 to choose a free one, or end that process.",
            where="port",
        )
    raise PortTaken(
        f"Ports {FIRST_PORT} to {FIRST_PORT + PORTS_TRIED - 1} are all in use. Pass --port 0 to choose a free one.",
        where="port",
    )


def _is_answering(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _try_bind(address: str, port: int, *, bind_all: bool, reuse_port: bool) -> socket.socket | None:
    """A listening socket, or None if the port is taken. Raises PortTaken, with the reason, for everything else."""
    try:
        family, kind, _, _, target = socket.getaddrinfo(
            # localhost may resolve to ::1 first, which many port forwarders and containers do not support.
            "127.0.0.1" if address == "localhost" else address,
            port,
            type=socket.SOCK_STREAM,
            flags=socket.AI_PASSIVE,
        )[0]
    except socket.gaierror as error:
        raise PortTaken(f"--host {address!r} cannot be bound: {error.strerror}.", where="host") from error
    if reuse_port and not hasattr(socket, "SO_REUSEPORT"):
        raise PortTaken("This system does not support --reuse_port. Leave it out.", where="reuse_port")
    sock = socket.socket(family, kind)
    try:
        if sys.platform != "win32":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse_port:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if bind_all and family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind(target)
        sock.listen(BACKLOG)
        os.set_inheritable(sock.fileno(), False)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            return None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise PortTaken(
                f"Port {port} needs superuser rights. Choose one above 1023.", where="port"
            ) from error
        if error.errno == errno.EADDRNOTAVAIL:
            raise PortTaken(
                f"This machine does not have the address {address!r}. Check --host.", where="host"
            ) from error
        if error.errno == errno.EAFNOSUPPORT:
            raise PortTaken(
                f"This system has no {'IPv6' if ':' in address else 'IPv4'} for {address!r}. Check --host.",
                where="host",
            ) from error
        raise PortTaken(
            f"Port {port} on {address!r} cannot be bound: {error.strerror}.", where="port"
        ) from error
    return sock
