"""Tokens with names, in a file: made, listed and revoked by `runglass token`, looked up by servers. The file has no token, only digests.

A change of the file counts from the next request on. A file that cannot be read opens nothing.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from runglass.api.person import Person, Right
from runglass.errors import BadRequest, Forbidden, NameUnknown, RunglassError
from runglass.visible import make_one_line
from runglass.whole_file import Identity, identify, locked, replace

FORMAT = "runglass-tokens"
VERSION = 1
PREFIX = "rgt"
MAX_FILE_BYTES = 16 * 2**20
MAX_NAME = 100

logger = logging.getLogger("runglass")


class TokenEnded(Forbidden):
    """A token that was revoked or has expired."""

    code = "token_ended"


class TokensUnreadable(RunglassError):
    """A file of tokens that is damaged, gone, or open to others: nobody gets in by one of its tokens."""

    code = "tokens_unreadable"
    http_status = 503


class TokenUnknown(NameUnknown):
    code = "token_unknown"


class Token(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    name: str
    # SHA-256 of the token, in hex. It is random, so nothing slower is needed.
    digest: str
    right: Right = "read"
    # None: all projects, those to come included.
    projects: list[str] | None = None
    # Seconds since 1970.
    created: float
    expires: float | None = None
    revoked: float | None = None

    def state(self, now: float) -> Literal["valid", "expired", "revoked"]:
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and now >= self.expires else "valid"


class _File(Struct, frozen=True):
    format: str
    version: int
    tokens: list[Token]


class TokenFile:
    """The tokens of one file, as it is now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._identity: Identity | None = None
        self._tokens: dict[str, Token] = {}
        self._problem: TokensUnreadable | None = None

    def list_tokens(self) -> list[Token]:
        """In the order they were made. Raises TokensUnreadable."""
        now = identify(self.path)
        if now is None or now != self._identity:
            self._problem = None
            try:
                self._tokens = {token.id: token for token in _read(self.path)}
            except TokensUnreadable as error:
                if self._identity != now or not self._tokens:
                    logger.error("%s Nobody gets in by one of its tokens.", error.message)
                self._tokens, self._problem = {}, error
            self._identity = now
        if self._problem is not None:
            raise self._problem
        return list(self._tokens.values())

    def find(self, text: str | None) -> Person | None:
        """Whose token this is; None if it is none of these. Raises TokenEnded, and TokensUnreadable for what looks like one."""
        prefix, _, rest = (text or "").partition("_")
        if prefix != PREFIX or text is None:
            return None
        self.list_tokens()
        token = self._tokens.get(rest.partition("_")[0])
        from hmac import compare_digest

        if token is None or not compare_digest(token.digest, _digest(text)):
            return None
        state = token.state(time.time())
        if state != "valid":
            raise TokenEnded(
                f"The token “{make_one_line(token.name)}” {'has expired' if state == 'expired' else 'was revoked'}."
                " Ask who runs this server for another one.",
                where="token",
            )
        projects = None if token.projects is None else frozenset(token.projects)
        return Person(name=token.name, right=token.right, projects=projects, credential=f"token {token.id}")

    def is_valid(self, credential: str) -> bool:
        """Whether what `find` called so would still be let in."""
        try:
            self.list_tokens()
        except TokensUnreadable:
            return False
        token = self._tokens.get(credential.removeprefix("token "))
        return token is not None and token.state(time.time()) == "valid"


def create_token(
    path: Path,
    name: str,
    *,
    right: Right = "read",
    projects: Sequence[str] = (),
    expires_s: float | None = None,
) -> str:
    """A new token, which only the caller ever sees. Makes the file if there is none. Raises RunglassError."""
    import secrets

    if not name.strip() or len(name) > MAX_NAME or make_one_line(name) != name:
        raise BadRequest(
            f"The name of a token has 1 to {MAX_NAME} characters that can be printed; it is {make_one_line(name)!r}.",
            where="name",
        )
    now = time.time()
    with _changing(path) as tokens:
        if any(token.name == name and token.state(now) == "valid" for token in tokens):
            raise BadRequest(
                f"There is a token named {name!r} already. Choose another name, or revoke that one first.",
                where="name",
            )
        taken = {token.id for token in tokens}
        id = next(each for each in iter(lambda: secrets.token_hex(4), "") if each not in taken)
        text = f"{PREFIX}_{id}_{secrets.token_urlsafe(24)}"
        tokens.append(
            Token(
                id=id,
                name=name,
                digest=_digest(text),
                right=right,
                projects=list(projects) or None,
                created=now,
                expires=None if expires_s is None else now + expires_s,
            )
        )
    return text


def revoke_token(path: Path, name: str) -> Token:
    """By name or id. It stays listed. Raises TokenUnknown."""
    now = time.time()
    with _changing(path) as tokens:
        for at, token in enumerate(tokens):
            if name in (token.name, token.id) and token.revoked is None:
                tokens[at] = msgspec.structs.replace(token, revoked=now)
                return tokens[at]
    raise TokenUnknown(
        f"{path} has no token {make_one_line(name)!r} that could be revoked. runglass token list shows all.",
        where="name",
    )


class _changing:
    """The tokens of a file as a list; what the body made of it is written at its end. One process at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = locked(path)

    def __enter__(self) -> list[Token]:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock.__enter__()
        except OSError as error:
            raise _cannot_write(self._path, error) from error
        try:
            self._tokens = _read(self._path) if self._path.exists() else []
        except BaseException as error:
            self._lock.__exit__(type(error), error, None)
            raise
        return self._tokens

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            if kind is None:
                data = msgspec.json.encode(_File(FORMAT, VERSION, self._tokens))
                replace(self._path, msgspec.json.format(data, indent=1) + b"\n")
        except OSError as error:
            raise _cannot_write(self._path, error) from error
        finally:
            self._lock.__exit__(None, None, None)


def _cannot_write(path: Path, error: OSError) -> RunglassError:
    return RunglassError(
        f"{path} cannot be written: {error.strerror or error}. No token was changed.", where=str(path)
    )


def _read(path: Path) -> list[Token]:
    def unreadable(why: str) -> TokensUnreadable:
        return TokensUnreadable(f"{path} cannot be used as a file of tokens: {why}.", where=str(path))

    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise unreadable("it is not a file")
            if sys.platform != "win32" and status.st_mode & 0o022:
                raise unreadable("others may change it. Close it to them: chmod 600")
            if sys.platform != "win32" and status.st_uid not in (os.getuid(), 0):
                raise unreadable("it belongs to another user")
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise unreadable(f"it has more than {MAX_FILE_BYTES:,} bytes")
        read = msgspec.json.decode(data, type=_File)
    except OSError as error:
        raise unreadable(str(error.strerror)) from error
    except msgspec.DecodeError as error:
        raise unreadable(f"it is damaged ({error})") from None
    if read.format != FORMAT or read.version != VERSION:
        raise unreadable(f"it is {read.format!r} {read.version}, and this version reads {FORMAT!r} {VERSION}")
    return read.tokens


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode(errors="replace")).hexdigest()
