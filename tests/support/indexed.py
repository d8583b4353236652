"""Logs opened with an index, where every file is worth one, and written when a test says so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runglass.ingest import indexing
from runglass.ingest.indexing import Indexing
from runglass.ingest.roots import LogRoot
from runglass.ingest.watch import LogdirWatch
from runglass.query.local import LocalSource
from runglass.store.index.folder import folder_of
from runglass.store.index.layout import SUFFIX
from runglass.store.stage import Store


@contextmanager
def everything_is_worth_it() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexing, "FILE_BYTES", 0)
        patch.setattr(indexing, "PACK_BYTES", 0)
        # Even files with times in the future.
        patch.setattr(indexing, "LONG_STILL_S", -1e18)
        patch.setattr(indexing, "TRY_AGAIN_S", 0.0)
        yield


class IndexedLog:
    """A log directory as a server has it, but for the threads."""

    def __init__(self, logdir: Path, cache_dir: Path | None) -> None:
        store = Store([str(logdir)])
        self.watch = LogdirWatch(store, [LogRoot(str(logdir), str(logdir))], threads=1, cache_dir=cache_dir)
        self.source = LocalSource(store)
        self.watch.load()

    @property
    def indexing(self) -> Indexing:
        assert self.watch.indexing is not None
        return self.watch.indexing

    def write(self) -> int:
        with everything_is_worth_it():
            return self.indexing.write(threading.Event())

    def prove(self) -> None:
        self.indexing.prove(threading.Event())

    @property
    def filled(self) -> int:
        return self.indexing.filled_files


def packs_of(cache_dir: Path, logdir: Path) -> list[Path]:
    return sorted(folder_of(cache_dir, str(logdir.resolve())).glob(f"*{SUFFIX}"))
