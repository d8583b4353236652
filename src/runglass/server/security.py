"""Access control: checks of Host, Origin and token, and the security headers of every answer.

Sees header values only, no routes and no data.
"""

from __future__ import annotations

from collections.abc import Mapping

from runglass.errors import Forbidden
from runglass.server.hosts import LOOPBACK_NAMES, WILDCARDS, parse_address, split_host
from runglass.server.settings import Settings

DEFAULT_PORTS = {"http": "80", "https": "443"}


def make_token() -> str:
    from secrets import token_urlsafe

    return token_urlsafe(24)


def security_headers(settings: Settings) -> list[tuple[bytes, bytes]]:
    policy = (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "media-src 'self' blob:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {settings.frame_ancestors}"
    )
    return [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
    ]


class Guard:
    def __init__(self, settings: Settings) -> None:
        self._token = (settings.token or "").encode()
        self._allowed = {split_host(host)[0] for host in settings.allowed_hosts}
        self._hosts = LOOPBACK_NAMES | self._allowed
        # Bound to every address, the machine answers to its own name and to any literal address. DNS rebinding works with
        # neither, and the token protects the rest.
        self._takes_addresses = settings.host in WILDCARDS
        if self._takes_addresses:
            from socket import gethostname

            self._hosts |= {gethostname().lower(), f"{gethostname().lower()}.local"}
        else:
            self._hosts |= {
                split_host(settings.host)[0] if ":" not in settings.host else settings.host.strip("[]")
            }
        # The ports of a host share cookies, so the port is part of the name.
        self.cookie = f"runglass_token_{settings.port}"
        self._cookie_path = settings.path_prefix or "/"

    @property
    def token_required(self) -> bool:
        return bool(self._token)

    def check_host(self, host: str | None, origin: str | None) -> None:
        """A foreign page can make a browser send requests here, but it cannot choose their Host and Origin."""
        name, port = split_host(host or "")
        if name not in self._hosts and not (self._takes_addresses and parse_address(name) is not None):
            raise Forbidden(
                f"This server does not answer to the host name {name!r}. Start it with --allowed_host {name or 'NAME'}"
                " if that name is yours.",
                where="Host",
            )
        if origin is None:
            return
        scheme, _, authority = origin.partition("://")
        default = DEFAULT_PORTS.get(scheme)
        origin_name, origin_port = split_host(authority)
        same_port = (origin_port or default) == (port or default)
        if default is None or not ((origin_name == name and same_port) or origin_name in self._allowed):
            raise Forbidden(
                f"The page at {origin} may not use this server; only the server's own page at {host} may.",
                where="Origin",
            )

    def is_token(self, given: str | None) -> bool:
        if given is None:
            return False
        from hmac import compare_digest

        return compare_digest(given.encode(errors="replace"), self._token)

    def take_token(self, path: str) -> str | None:
        """The rest of a path such as /~TOKEN/api/runs; None if it has no token or a wrong one.

        A page inside a frame of a foreign page has no cookies. All its addresses are relative, so they all start with the token.
        """
        token, slash, rest = path.removeprefix("/~").partition("/")
        has_token = self._token and path.startswith("/~") and slash and self.is_token(token)
        return f"/{rest}" if has_token else None

    def check_token(self, authorization: str | None, cookies: Mapping[str, str]) -> None:
        if not self._token:
            return
        scheme, _, bearer = (authorization or "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(bearer.strip()):
            return
        if not self.is_token(cookies.get(self.cookie)):
            raise Forbidden(
                "This server needs a token. Open the address that it printed when it started, add ?token=… to this one,"
                " or send the header Authorization: Bearer ….",
                where="token",
            )

    def cookie_header(self) -> tuple[str, str]:
        value = self._token.decode()
        return "set-cookie", f"{self.cookie}={value}; Path={self._cookie_path}; HttpOnly; SameSite=Strict"
