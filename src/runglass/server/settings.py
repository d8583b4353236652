"""How one server was asked to behave; plain values that the command line or a notebook fills in."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from runglass.errors import BadArgument
from runglass.server.hosts import is_loopback

PAGE = Path(__file__).parent / "page"


class Settings(Struct, frozen=True, kw_only=True):
    version: str = ""
    # What the socket is bound to, as the user named it.
    host: str = "127.0.0.1"
    port: int = 6006
    # "" or "/something": no slash at its end.
    path_prefix: str = ""
    window_title: str = ""
    # Whether the source goes on watching for changes after its first scan.
    live: bool = True
    # What every request has to bring. None: nothing, which is allowed on loopback only. "": nothing, on purpose.
    token: str | None = None
    # Names besides the bound one under which the server may be reached, for proxies and port forwarding.
    allowed_hosts: tuple[str, ...] = ()
    # Who may show the page in a frame, as the content-security policy writes it.
    frame_ancestors: str = "'self'"
    page: Path = PAGE

    def __post_init__(self) -> None:
        if self.token is None and not is_loopback(self.host):
            raise BadArgument(
                f"Bound to {self.host}, this server can be reached from other machines, so it needs a token:"
                f" pass one, or an empty one to let everybody in.",
                where="token",
            )
        if self.token and not (
            self.token.isascii() and self.token.replace("-", "").replace("_", "").isalnum()
        ):
            raise BadArgument(
                "The token travels in a cookie: it may have letters, digits, - and _ and nothing else.",
                where="token",
            )
        prefix = self.path_prefix
        if prefix and (
            not prefix.startswith("/") or prefix.endswith("/") or "//" in prefix or set("?#%") & set(prefix)
        ):
            raise BadArgument(
                f"The path prefix is {prefix!r}; it must start with a slash and not end with one, as in /runs.",
                where="path_prefix",
            )
