"""Talks to ClickHouse: a server through `clickhouse-connect`, or the engine in this process through `chdb`.

SQL is fixed text. What users named goes in as parameters, never into the text; rows go in and out as blocks of columns.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from runglass.clickhouse.address import Address
from runglass.clickhouse.native_format import Block, Column, decode_blocks, encode_block, to_bytes
from runglass.errors import BadRequest, RunglassError

CONNECT_TIMEOUT_S = 5
ANSWER_TIMEOUT_S = 60
# Where an error quotes an answer of the database.
ANSWERED = re.compile(r"\bcode: \d+", re.IGNORECASE)
# Codes of ClickHouse for a missing database and a missing table.
MISSING = ("Code: 81.", "Code: 60.", "UNKNOWN_DATABASE", "UNKNOWN_TABLE")


class EngineDown(RunglassError):
    """A database that does not answer."""

    code = "engine_down"
    http_status = 503


class EngineError(RunglassError):
    """A database that refuses a query."""

    code = "engine_error"
    http_status = 502

    @property
    def is_missing(self) -> bool:
        return any(each in self.message for each in MISSING)


class Client(Protocol):
    """Every call may be made from any thread. Raises EngineDown or EngineError."""

    address: Address

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> Block: ...

    def select(self, sql: str, fmt: str) -> bytes:
        """The answer to a query whose tables are those of the database, in a format by name."""
        ...

    def command(self, sql: str) -> None:
        """Run a statement without an answer. Not for text of users."""
        ...

    def insert(
        self, table: str, names: Sequence[str], types: Sequence[str], columns: Sequence[Column]
    ) -> None: ...

    def close(self) -> None: ...


def connect(address: Address) -> Client:
    return _Embedded(address) if address.is_embedded else _Server(address)


def escape_parameter(value: Any) -> str:
    """A parameter as ClickHouse reads it: text with escapes, arrays in brackets with quoted text."""
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_quoted(each) for each in value)}]"
    return _escaped(value) if isinstance(value, (str, bytes)) else str(value)


def _quoted(value: Any) -> str:
    return f"'{_escaped(value)}'" if isinstance(value, (str, bytes)) else str(value)


ESCAPES = {
    0: r"\0",
    8: r"\b",
    9: r"\t",
    10: r"\n",
    12: r"\f",
    13: r"\r",
    39: r"\'",
    92: r"\\",
}


def _escaped(value: str | bytes) -> str:
    """In ASCII, so that bytes that are not UTF-8 pass through every layer."""
    data = value if isinstance(value, bytes) else to_bytes(value)
    return "".join(
        ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in data
    )


class _Server:
    def __init__(self, address: Address) -> None:
        try:
            from clickhouse_connect import get_client
            from clickhouse_connect.driver import exceptions
        except ImportError:
            raise BadRequest(
                f"{address.shown}: reading ClickHouse needs the package clickhouse-connect. Install it: "
                "pip install 'runglass[clickhouse]'.",
                where="clickhouse",
            ) from None
        self.address = address
        self._errors = exceptions
        self._make = get_client
        self._client: Any = None
        self._lock = threading.Lock()

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                # Without a database: it may not exist yet. No session: queries run side by side.
                self._client = self._make(
                    interface="https" if self.address.scheme == "clickhouses" else "http",
                    host=self.address.host,
                    port=self.address.port,
                    username=self.address.user or "default",
                    password=self.address.password,
                    database="__default__",
                    connect_timeout=CONNECT_TIMEOUT_S,
                    send_receive_timeout=ANSWER_TIMEOUT_S,
                    query_retries=1,
                    autogenerate_session_id=False,
                    client_name="runglass",
                )
            return self._client

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> Block:
        bound = dict(parameters) if parameters else None
        return decode_blocks(self._ask(lambda client: client.raw_query(sql, bound, fmt="Native")))

    def select(self, sql: str, fmt: str) -> bytes:
        found: bytes = self._ask(
            lambda client: client.raw_query(
                f"{sql}\nFORMAT {fmt}", settings={"database": self.address.database}
            )
        )
        return found

    def command(self, sql: str) -> None:
        self._ask(lambda client: client.raw_query(sql))

    def insert(
        self, table: str, names: Sequence[str], types: Sequence[str], columns: Sequence[Column]
    ) -> None:
        block = encode_block(names, types, columns)
        self._ask(lambda client: client.raw_insert(table, list(names), block, fmt="Native"))

    def _ask(self, ask: Any) -> Any:
        errors = self._errors
        try:
            return ask(self._connected())
        except (errors.Error, OSError, ValueError) as error:
            if ANSWERED.search(str(error)):
                raise _refusal(self.address, self._reason(error)) from None
            raise EngineDown(
                f"{self.address.shown} does not answer: {self._reason(error)}. What was shown stays; Runglass tries again.",
                where=self.address.shown,
            ) from None

    def _reason(self, error: Exception) -> str:
        text = " ".join(str(error).split())
        if self.address.password:
            text = text.replace(self.address.password, "***")
        return text[:400].rstrip(". ")

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def _refusal(address: Address, reason: str) -> RunglassError:
    if any(
        each in reason for each in ("AUTHENTICATION_FAILED", "Code: 516", "REQUIRED_PASSWORD", "Code: 194")
    ):
        return EngineError(
            f"{address.shown} refuses the user or the password. Set CLICKHOUSE_PASSWORD, or put the password into the address.",
            where=address.shown,
        )
    return EngineError(f"{address.shown}: {reason}.", where=address.shown)


# The engine is one for a process: every client of a folder shares its session.
_sessions: dict[str, tuple[Any, threading.RLock, int]] = {}
_sessions_lock = threading.Lock()


class _Embedded:
    def __init__(self, address: Address) -> None:
        try:
            from chdb.session import Session
        except ImportError:
            raise BadRequest(
                f"{address.shown}: an embedded database needs the package chdb. Install it: pip install 'runglass[chdb]'.",
                where="chdb",
            ) from None
        self.address = address
        folder = address.folder
        with _sessions_lock:
            others = [each for each in _sessions if each != folder]
            if others:
                raise BadRequest(
                    f"{address.shown}: this process has {others[0]} open, and an embedded database is one for a process.",
                    where="chdb",
                )
            if folder in _sessions:
                session, lock, users = _sessions[folder]
            else:
                try:
                    os.makedirs(folder, exist_ok=True)
                    session, lock, users = Session(folder), threading.RLock(), 0
                except (OSError, RuntimeError) as error:
                    raise _refusal_of_folder(address, error) from None
            _sessions[folder] = session, lock, users + 1
        self._session, self._lock = session, lock
        self._is_open = True

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> Block:
        bound = {name: escape_parameter(each) for name, each in (parameters or {}).items()}
        return decode_blocks(self._ask(lambda: self._session.query(sql, "Native", params=bound).bytes()))

    def select(self, sql: str, fmt: str) -> bytes:
        def ask() -> bytes:
            self._session.query(f"USE {self.address.database}")
            answer: bytes = self._session.query(sql, fmt).bytes()
            return answer

        found: bytes = self._ask(ask)
        return found

    def command(self, sql: str) -> None:
        self._ask(lambda: self._session.query(sql))

    def insert(
        self, table: str, names: Sequence[str], types: Sequence[str], columns: Sequence[Column]
    ) -> None:
        block = encode_block(names, types, columns)

        def send() -> None:
            with self._session.send_insert(
                f"INSERT INTO {table} ({', '.join(names)})", "Native"
            ) as inserting:
                inserting.append(block)
                inserting.finish()

        self._ask(send)

    def _ask(self, ask: Any) -> Any:
        with self._lock:
            if not self._is_open:
                raise EngineDown(f"{self.address.shown} was closed.", where=self.address.shown)
            try:
                return ask()
            except RuntimeError as error:
                reason = " ".join(str(error).split())[:400].rstrip(". ")
                raise EngineError(f"{self.address.shown}: {reason}.", where=self.address.shown) from None

    def close(self) -> None:
        with _sessions_lock, self._lock:
            if not self._is_open:
                return
            self._is_open = False
            session, lock, users = _sessions[self.address.folder]
            if users > 1:
                _sessions[self.address.folder] = session, lock, users - 1
            else:
                del _sessions[self.address.folder]
                session.close()


def _refusal_of_folder(address: Address, error: Exception) -> EngineError:
    reason = " ".join(str(error).split())[:300].rstrip(". ")
    return EngineError(
        f"{address.shown} cannot be opened: {reason}. An embedded database belongs to one process at a time: end the other one, or "
        "use a ClickHouse server.",
        where=address.shown,
    )
