"""The settings of one server: plain values that the command line or a notebook fills in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from runglass.errors import BadArgument
from runglass.server.hosts import is_loopback, parse_network

if TYPE_CHECKING:
    from runglass.overlay.shared import SharedMarks

PAGE = Path(__file__).parent / "page"


class Settings(Struct, frozen=True, kw_only=True):
    version: str = ""
    # The host that the socket is bound to, as the user named it.
    host: str = "127.0.0.1"
    port: int = 6006
    # "" or "/something", without a slash at the end.
    path_prefix: str = ""
    window_title: str = ""
    # Whether the source keeps watching for changes after the first scan.
    live: bool = True
    # Required in every request. None: no token, allowed on loopback only. "": no token, on purpose.
    token: str | None = None
    # A file of named tokens; None: there are none.
    tokens: Path | None = None
    # The header in which a proxy says who asks, and the addresses or networks of such proxies. "": no such header.
    auth_header: str = ""
    trusted_proxies: tuple[str, ...] = ()
    # Requests a second for each token, user or address. 0: any number.
    rate_limit: float = 0.0
    # A file, or "-" for standard output. None: no log of requests.
    access_log: str | None = None
    # The file of the marks that all share, or what opens another place for them. None: every browser keeps its own.
    shared_overlay: Path | Callable[[], SharedMarks] | None = None
    # More host names that the server answers to, for proxies and port forwarding.
    allowed_hosts: tuple[str, ...] = ()
    # Which sites may show the page in a frame, in the syntax of the content-security policy.
    frame_ancestors: str = "'self'"
    page: Path = PAGE
    # Where results of jobs are cached; None: in memory only.
    cache_dir: Path | None = None

    @property
    def asks_who(self) -> bool:
        return bool(self.token or self.tokens is not None or self.auth_header)

    def __post_init__(self) -> None:
        asks = self.tokens is not None or bool(self.auth_header)
        if self.token is None and not asks and not is_loopback(self.host):
            raise BadArgument(
                f"Bound to {self.host}, this server can be reached from other machines, so it needs a token:"
                f" pass one, or an empty one to allow everybody.",
                where="token",
            )
        if self.token and not (
            self.token.isascii() and self.token.replace("-", "").replace("_", "").isalnum()
        ):
            raise BadArgument(
                "The token is sent as a cookie: it may have letters, digits, - and _ only.",
                where="token",
            )
        if bool(self.auth_header) != bool(self.trusted_proxies):
            raise BadArgument(
                "The proxy's header and the proxy's address belong together: anybody could send the header, so it counts only"
                " from there. Give both, as in --auth_header X-Forwarded-User --trusted_proxy 127.0.0.1.",
                where="auth_header",
            )
        for proxy in self.trusted_proxies:
            parse_network(proxy)
        prefix = self.path_prefix
        if prefix and (
            not prefix.startswith("/") or prefix.endswith("/") or "//" in prefix or set("?#%") & set(prefix)
        ):
            raise BadArgument(
                f"The path prefix is {prefix!r}; it must start with a slash and not end with one, as in /runs.",
                where="path_prefix",
            )
