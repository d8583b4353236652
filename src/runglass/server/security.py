"""Access control: checks of Host and Origin, who asks (by token or by a trusted proxy), and the security headers of every answer.

Sees header values only, no routes and no data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from runglass.api.person import NOBODY, Person
from runglass.errors import Forbidden
from runglass.server.hosts import LOOPBACK_NAMES, WILDCARDS, parse_address, parse_network, split_host
from runglass.server.settings import Settings
from runglass.server.tokens import TokenFile
from runglass.visible import make_one_line

DEFAULT_PORTS = {"http": "80", "https": "443"}
MAX_USER = 200
# Whoever has the token of the command line may do everything.
OWNER = Person(name="owner", credential="owner")


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
        self._asks_who = settings.asks_who
        self._token = (settings.token or "").encode()
        self._tokens = None if settings.tokens is None else TokenFile(settings.tokens)
        self._auth_header = settings.auth_header.lower()
        self._proxies = [parse_network(each) for each in settings.trusted_proxies]
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
        """Whether the server asks who somebody is: by a token, or by what a proxy says."""
        return self._asks_who

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

    def find_token(self, given: str | None) -> Person | None:
        """Whose token this is. Raises TokenEnded if it was one once."""
        if not given:
            return None
        from hmac import compare_digest

        if self._token and compare_digest(given.encode(errors="replace"), self._token):
            return OWNER
        return None if self._tokens is None else self._tokens.find(given)

    def take_token(self, path: str) -> tuple[str, Person] | None:
        """The rest of a path such as /~TOKEN/api/runs, and whose token it has; None if it has none or a wrong one.

        A page inside a frame of a foreign page has no cookies. All its addresses are relative, so they all start with the token.
        """
        token, slash, rest = path.removeprefix("/~").partition("/")
        person = self.find_token(token) if path.startswith("/~") and slash else None
        return None if person is None else (f"/{rest}", person)

    def identify(
        self, client: str | None, header: Sequence[str], authorization: str | None, cookies: Mapping[str, str]
    ) -> Person:
        """Who sends a request: its address, what it has of the proxy's header, and where a token may be. Raises Forbidden."""
        if not self.token_required:
            return msgspec.structs.replace(NOBODY, credential=f"address {client}")
        user = self._user_of_proxy(client, header)
        if user is not None:
            return user
        scheme, _, bearer = (authorization or "").partition(" ")
        given = bearer.strip() if scheme.lower() == "bearer" else None
        person = self.find_token(given) or self.find_token(cookies.get(self.cookie))
        if person is not None:
            return person
        if not self._token and self._tokens is None:
            raise Forbidden(
                "This server lets in only those whom its proxy has signed in. Open the proxy's address.",
                where=self._auth_header,
            )
        raise Forbidden(
            "This server needs a token. Open the address that it printed when it started, add ?token=… to this one,"
            " or send the header Authorization: Bearer ….",
            where="token",
        )

    def is_still_let_in(self, person: Person) -> bool:
        """Whether a connection that this person has open may stay open."""
        is_named = person.credential.startswith("token ")
        return not is_named or (self._tokens is not None and self._tokens.is_valid(person.credential))

    @property
    def auth_header(self) -> str:
        """In small letters; "" for none."""
        return self._auth_header

    def _user_of_proxy(self, client: str | None, header: Sequence[str]) -> Person | None:
        """Whom the proxy has signed in. What anybody else sends under this name is as if it were not there."""
        if not self._auth_header or not header or not self._is_trusted(client):
            return None
        try:
            user = header[0].encode("latin-1").decode().strip()
        except UnicodeDecodeError:
            user = ""
        # A proxy that passes on what the client sent, beside its own, must not let the client choose.
        if len(header) > 1 or not user or len(user) > MAX_USER or make_one_line(user) != user:
            raise Forbidden(
                f"The proxy sent no usable name: {self._auth_header} must come once, with 1 to {MAX_USER} characters"
                " that can be printed.",
                where=self._auth_header,
            )
        return Person(name=user, credential=f"user {user}")

    def _is_trusted(self, client: str | None) -> bool:
        address = parse_address(client or "")
        # A dual-stack socket reports an IPv4 client as ::ffff:10.0.0.1.
        address = getattr(address, "ipv4_mapped", None) or address
        return address is not None and any(address in network for network in self._proxies)

    def cookie_header(self, token: str) -> tuple[str, str]:
        return "set-cookie", f"{self.cookie}={token}; Path={self._cookie_path}; HttpOnly; SameSite=Strict"
