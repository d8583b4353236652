"""Where a database is: `clickhouse://user@host:port/database`, `clickhouses://` for TLS, `chdb:///folder`. Opens nothing."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from runglass.errors import BadRequest

SCHEMES = ("clickhouse", "clickhouses", "chdb")
PASSWORD_VARIABLE = "CLICKHOUSE_PASSWORD"
DEFAULT_DATABASE = "runglass"
DEFAULT_PORTS = {"clickhouse": 8123, "clickhouses": 8443}
# What a database may be called without quoting.
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
EXPECTED = "expected clickhouse://user@host:port/database, clickhouses:// for TLS, or chdb:///folder"


class Address(Struct, frozen=True):
    scheme: str
    host: str
    port: int
    user: str
    # Never shown: __repr__ leaves it out.
    password: str
    database: str
    # The folder of an embedded database; "" for a server.
    folder: str

    @property
    def is_embedded(self) -> bool:
        return self.scheme == "chdb"

    @property
    def shown(self) -> str:
        """Without the password."""
        if self.is_embedded:
            return f"chdb://{self.folder}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{f'{self.user}@' if self.user else ''}{host}{port}/{self.database}"

    def __repr__(self) -> str:
        return f"<Address {self.shown}>"


def is_database(text: str) -> bool:
    return text.partition("://")[0].lower() in SCHEMES and "://" in text


def parse_address(text: str) -> Address:
    """Raises BadRequest, which never repeats a password."""
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower()
    if scheme not in SCHEMES:
        raise BadRequest(f"{_without_password(text)!r} is not a database: {EXPECTED}.", where="to")
    if scheme == "chdb":
        if not rest.startswith("/"):
            raise BadRequest(
                f"{text!r}: the folder of an embedded database is an absolute path, as in chdb:///home/me/runs.",
                where="to",
            )
        return Address(scheme, "", 0, "", "", DEFAULT_DATABASE, os.path.normpath(unquote(rest)))
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadRequest(f"{_without_password(text)!r}: {error}; {EXPECTED}.", where="to") from None
    if not host:
        raise BadRequest(f"{_without_password(text)!r} has no host; {EXPECTED}.", where="to")
    database = unquote(parts.path.strip("/")) or DEFAULT_DATABASE
    if not PLAIN_NAME.fullmatch(database):
        raise BadRequest(
            f"Database {database!r}: expected letters, digits and underscores, 63 at most, not beginning with a digit.",
            where="to",
        )
    if parts.query or parts.fragment:
        raise BadRequest(
            f"{_without_password(text)!r} has more than a database at its end; {EXPECTED}.", where="to"
        )
    password = unquote(parts.password) if parts.password is not None else ""
    return Address(
        scheme,
        host,
        port or DEFAULT_PORTS[scheme],
        unquote(parts.username or ""),
        password or os.environ.get(PASSWORD_VARIABLE, ""),
        database,
        "",
    )


def _without_password(text: str) -> str:
    return re.sub(r"(://[^:@/]*):[^@]*@", r"\1@", text)
