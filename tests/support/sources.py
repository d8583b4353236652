"""Every DataSource over a folder of logs, for the contract tests: a new one is a function here and a line in FOLDER_SOURCES."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import settings

from runglass.machine import cache_folder
from runglass.query.locations import parse_locations
from runglass.query.open import open_logs
from runglass.query.source import DataSource

Opened = tuple[DataSource, Callable[[], None]]
"""A source, and a call that brings it up to date with its folder."""
OpenFolder = Callable[[Path], AbstractContextManager[Opened]]


@contextmanager
def open_local(folder: Path) -> Iterator[Opened]:
    logs = open_logs(parse_locations([str(folder)]))
    yield logs.source, logs.load


@contextmanager
def open_indexed(folder: Path) -> Iterator[Opened]:
    """Opened when an index is there, and written to it after every change: all rows come from packs."""
    from tests.support.indexed import IndexedLog

    with TemporaryDirectory(prefix="runglass-") as cache:
        IndexedLog(folder, Path(cache)).write()
        log = IndexedLog(folder, Path(cache))

        def load() -> None:
            log.watch.load()
            log.write()

        yield log.source, load


_databases = itertools.count()


@contextmanager
def open_chdb(folder: Path) -> Iterator[Opened]:
    """In the one engine of this process, each time in a database of its own."""
    from tests.support.clickhouse import chdb_address

    from runglass.clickhouse.open import OpenStore
    from runglass.ingest.roots import parse_root

    address = chdb_address(f"contract_{next(_databases)}")
    logs = OpenStore(address, [parse_root(str(folder))])
    yield logs.source, logs.load
    logs.drop()
    logs.stop()


@contextmanager
def open_remote(folder: Path) -> Iterator[Opened]:
    """The same files as objects of fsspec's store in this process, read through a mirror."""
    import fsspec

    store = fsspec.filesystem("memory")
    bucket = f"/contract-{uuid4().hex}"
    sent: dict[str, bytes] = {}

    def load() -> None:
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        for name in sent.keys() - found.keys():
            store.rm_file(f"{bucket}/{name}")
            del sent[name]
        for name, data in found.items():
            if sent.get(name) != data:
                store.pipe_file(f"{bucket}/{name}", data)
                sent[name] = data
        if not found and not store.exists(bucket):
            store.mkdir(bucket)
        logs.load()

    before = cache_folder.path()
    cache_folder.choose(None)
    try:
        logs = open_logs(parse_locations([f"memory:/{bucket}"]))
        yield logs.source, load
        logs.stop()
    finally:
        cache_folder.choose(before)
        if store.exists(bucket):
            store.rm(bucket, recursive=True)


@contextmanager
def open_clickhouse(folder: Path) -> Iterator[Opened]:
    """Through the real client and the HTTP interface."""
    from urllib.parse import quote

    from tests.support.clickhouse_bridge import PASSWORD, USER, bridge

    from runglass.clickhouse.address import parse_address
    from runglass.clickhouse.open import OpenStore
    from runglass.ingest.roots import parse_root

    with bridge() as server:
        where = f"127.0.0.1:{server.server_port}/contract_{next(_databases)}"
        address = parse_address(f"clickhouse://{USER}:{quote(PASSWORD)}@{where}")
        logs = OpenStore(address, [parse_root(str(folder))])
        yield logs.source, logs.load
        logs.drop()
        logs.stop()


# By name: how a folder is opened, and the marker of those that need more than the ordinary tests have.
FOLDER_SOURCES: dict[str, tuple[OpenFolder, str | None]] = {
    "local": (open_local, None),
    "indexed": (open_indexed, None),
    "chdb": (open_chdb, "scale"),
    "remote": (open_remote, None),
    "clickhouse": (open_clickhouse, "scale"),
}


def over_folder_sources(
    make: Callable[..., Any], *, suffix: str = "", without: Collection[str] = ()
) -> list[Any]:
    """Parameters of a test: `make` with each way to open a folder as its first argument."""
    return [
        pytest.param(
            partial(make, open_folder),
            id=name + suffix,
            marks=[getattr(pytest.mark, marker)] if marker else [],
        )
        for name, (open_folder, marker) in FOLDER_SOURCES.items()
        if name not in without
    ]


def examples(count: int) -> settings:
    """How many examples a property is tried with; a tenth of them where each one talks to an engine (`make scale-test`)."""
    is_slow = bool(os.environ.get("RUNGLASS_SCALE_TEST"))
    return settings(max_examples=max(3, count // 10) if is_slow else count, deadline=None)
