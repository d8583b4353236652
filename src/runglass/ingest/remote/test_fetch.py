"""Sparse event files read as whole ones, and ranges come when they are asked for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support import event_bytes as eb
from tests.support.same_logs import read_facts
from tests.support.shelf import Shelf

from runglass.ingest.remote import fetch
from runglass.ingest.remote.fetch import Fetcher
from runglass.ingest.remote.mirror import Mirror
from runglass.ingest.remote.model import ObjectChanged
from runglass.native.records import frame
from runglass.query.locations import parse_locations
from runglass.query.open import open_logs
from runglass.store import files

FILE = "run/events.out.tfevents.1"
LARGE = 150_000


@pytest.fixture
def small_blocks(monkeypatch):
    """So that files of a megabyte are large."""
    monkeypatch.setattr(fetch, "SMALL_BYTES", 1000)
    monkeypatch.setattr(fetch, "FIRST_BLOCK_BYTES", 8000)
    monkeypatch.setattr(fetch, "MAX_BLOCK_BYTES", 32_000)
    monkeypatch.setattr(fetch, "PIECE_BYTES", 5000)
    monkeypatch.setattr(fetch, "HOP_OVER_BYTES", 20_000)
    monkeypatch.setattr(fetch, "WHOLE_ASSET_BYTES", 10_000)
    monkeypatch.setattr(fetch, "ASSET_BLOCK_BYTES", 4096)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as pool:
        yield pool


def image(tag: str, padding: int) -> bytes:
    return eb.image_value(tag, eb.png(2, 2, padding=padding), 2, 2)


def large_tensor(tag: str, size: int) -> bytes:
    return eb.tensor_value(tag, eb.strings([b"x" * size]), plugin="text")


def at(step: int, *values: bytes) -> bytes:
    return eb.event(eb.summary(*values), wall_time=1.7e9 + step, step=step)


def record_of(choice: int, step: int) -> bytes:
    return [
        lambda: eb.scalar("loss", 1.0, step=step, wall_time=1.7e9),
        lambda: at(step, image("a", LARGE)),
        # Several blobs in one record, one of them behind another.
        lambda: at(step, image("a", LARGE), large_tensor("b", 70_000), image("c", 20_000)),
        # A point beside a blob: the record is read whole.
        lambda: at(step, image("a", LARGE), eb.simple("loss", 2.0)),
        lambda: at(step, eb.value("big", eb.chunk(7, b"node"), eb.chunk(8, eb.strings([b"y" * LARGE])))),
        lambda: eb.graph(eb.graph_def([f"n{'x' * 900}{number}" for number in range(90)]), step=step),
        lambda: eb.run_metadata(f"step{step}", eb.graph_def(["z" * 80_000]), step=step),
        lambda: eb.meta_graph(eb.graph_def(["m" * 80_000]), step=step),
        # Not an event, and one of a field that nobody knows.
        lambda: b"\xff" * LARGE,
        lambda: eb.chunk(77, b"q" * LARGE),
        lambda: at(step, image("t" * 5000, LARGE)),
    ][choice]()


def load_facts(tree: str) -> dict:
    logs = open_logs(parse_locations([tree]))
    logs.load()
    return read_facts(logs.source)


class Mirrored:
    """A mirror with its fetcher, as a provider."""

    def __init__(self, shelf: Shelf, folder: Path, pool: ThreadPoolExecutor) -> None:
        folder.mkdir(parents=True)
        self.shelf = shelf
        self.mirror = Mirror(folder, location="shelf")
        self.fetcher = Fetcher(self.mirror, pool, lambda: shelf)

    def make_present(self, path: str, ranges) -> None:
        relative = self.mirror.relative(path)
        self.fetcher.make_present(relative, ranges, is_asset="tfevents" not in relative)

    def reveal(self, folder: str) -> None: ...

    def stat(self, path):
        import os

        return os.stat(path)

    def fetch(self) -> None:
        self.fetcher.fetch_events(FILE, self.shelf.objects[FILE][1])

    def __enter__(self):
        files.provide(self.mirror.tree, self)
        return self

    def __exit__(self, *_: object) -> None:
        files.withdraw(self.mirror.tree)


@pytest.mark.usefixtures("small_blocks")
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    choices=st.lists(st.integers(0, 10), min_size=1, max_size=7),
    cuts=st.lists(st.floats(0, 1), max_size=2),
    damage=st.none() | st.floats(0, 1),
)
def test_sparse_files_read_as_whole_ones(tmp_path_factory, pool, choices, cuts, damage):
    """However the file is made up, arrives and is damaged, the mirror gives what the file gives."""
    data = bytearray(b"".join(frame(record_of(choice, step)) for step, choice in enumerate(choices)))
    if damage is not None:
        data[int(damage * (len(data) - 1))] ^= 0x55
    folder = tmp_path_factory.mktemp("mirror")
    shelf = Shelf()
    with Mirrored(shelf, folder / "mirror", pool) as mirrored:
        for cut in (*sorted(cuts), 1.0):
            part = bytes(data[: int(cut * len(data))])
            shelf.put(FILE, part)
            mirrored.fetch()
            whole = folder / "whole" / FILE
            whole.parent.mkdir(parents=True, exist_ok=True)
            whole.write_bytes(part)
            assert load_facts(mirrored.mirror.tree) == load_facts(str(folder / "whole"))


@pytest.mark.usefixtures("small_blocks")
def test_blobs_are_fetched_when_somebody_looks(tmp_path, pool):
    shelf = Shelf()
    shelf.put(FILE, b"".join(frame(record_of(choice, step)) for step, choice in enumerate([0, 1, 0, 2, 0])))
    with Mirrored(shelf, tmp_path / "mirror", pool) as mirrored:
        mirrored.fetch()
        size = shelf.objects[FILE][1].size_bytes
        assert shelf.traffic.read_bytes < size * 0.4
        logs = open_logs(parse_locations([mirrored.mirror.tree]))
        logs.load()
        (info,) = [each for each in logs.source.list_series() if each.key.tag == "a"]
        before = shelf.traffic.read_bytes
        values = logs.source.read_values(info.key)
        logs.source.load_value(values, 0)
        assert LARGE * 0.9 < shelf.traffic.read_bytes - before < LARGE * 1.3
        again = shelf.traffic.read_bytes
        logs.source.load_value(values, 0)
        assert shelf.traffic.read_bytes == again


@pytest.mark.usefixtures("small_blocks")
def test_a_blob_that_cannot_be_fetched_is_an_error_of_its_own(tmp_path, pool):
    shelf = Shelf()
    shelf.put(FILE, b"".join(frame(record_of(choice, step)) for step, choice in enumerate([0, 1, 0])))
    with Mirrored(shelf, tmp_path / "mirror", pool) as mirrored:
        mirrored.fetch()
        tree = mirrored.mirror.tree
        shelf.on_read = _fail
        values = load_facts(tree)["series"]["run", "a"][3][3]
        assert values == ["damaged"]
        shelf.on_read = lambda path: None
        assert load_facts(tree)["series"]["run", "a"][3][3] != ["damaged"]


def _fail(path: str) -> None:
    from runglass.ingest.remote.model import Trouble

    raise Trouble("lost", "the connection is lost", "")


@pytest.mark.usefixtures("small_blocks")
def test_parts_of_an_asset_are_of_one_state(tmp_path, pool):
    shelf = Shelf()
    shelf.put("run/x.trace.json", b"a" * 50_000)
    with Mirrored(shelf, tmp_path / "mirror", pool) as mirrored:
        mirrored.mirror.place("run/x.trace.json", shelf.objects["run/x.trace.json"][1])
        path = mirrored.mirror.path("run/x.trace.json")
        mirrored.make_present(path, [(10_000, 10_010)])
        assert shelf.traffic.read_bytes == 4096
        shelf.put("run/x.trace.json", b"b" * 50_000)
        with pytest.raises(OSError, match="replaced in the store"):
            mirrored.make_present(path, [(0, 50_000)])
        # Nothing of the mixture is left.
        assert Path(path).read_bytes() == bytes(50_000)


def test_an_object_that_lost_its_end(tmp_path, pool):
    shelf = Shelf()
    shelf.put(FILE, frame(b"x" * 100))
    entry = shelf.objects[FILE][1]
    shelf.objects[FILE] = b"short", entry
    with Mirrored(shelf, tmp_path / "mirror", pool) as mirrored, pytest.raises(ObjectChanged):
        mirrored.fetch()
