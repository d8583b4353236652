"""Databases for tests: one embedded engine for the whole process, in a folder that goes with it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from runglass.clickhouse.address import Address, parse_address
from runglass.clickhouse.client import Client, connect


@cache
def _engine() -> tuple[Address, Client]:
    # In memory where that is possible: making and dropping tables waits for a disk, and does so for each example.
    memory = Path("/dev/shm")
    folder = tempfile.mkdtemp(prefix="runglass-chdb-", dir=memory if os.access(memory, os.W_OK) else None)
    address = parse_address(f"chdb://{folder}")
    # Kept open: opening an engine takes longer than most tests.
    client = connect(address)
    atexit.register(lambda: (client.close(), shutil.rmtree(folder, ignore_errors=True)))
    return address, client


def chdb_address(database: str) -> Address:
    """The address of a database in the engine of this process."""
    return replace(_engine()[0], database=database)


def engine_session() -> tuple[Any, threading.RLock]:
    """The session of the engine itself, and its lock."""
    client = _engine()[1]
    return client._session, client._lock  # type: ignore[attr-defined]
