"""The contract of assets in query/source.py, checked on every DataSource, and on one that has only ranges of bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, Self

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sources import Opened, OpenFolder, examples, over_folder_sources

from runglass.errors import AssetChanged, AssetGone, AssetRefused, BadArgument, RunglassError, RunUnknown
from runglass.query.memory import MemorySource
from runglass.query.source import AssetReader, DataSource
from runglass.store.model import Asset, Family

CONFIG = b"""
embeddings { tensor_path: "sub/vectors.tsv" metadata_path: "sub/labels.tsv" sprite { image_path: "gone.png" } }
embeddings { tensor_name: "v" metadata_path: "../../secret.tsv" }
"""
STATE = b'model_checkpoint_path: "model.ckpt-7"\nall_model_checkpoint_timestamps: 1.5e9\n'
FILES: dict[tuple[str, str], tuple[Family | None, bytes]] = {
    ("a", "projector_config.pbtxt"): (Family.PROJECTOR, CONFIG),
    ("a", "plugins/profile/today/host.xplane.pb"): (Family.PROFILE, bytes(range(256)) * 5),
    ("a", "config.json"): (Family.CONFIG, b"{}"),
    ("b", "model.onnx"): (Family.GRAPH, b""),
    # Files without a family of their own. The config names some of them.
    ("a", "sub/vectors.tsv"): (None, b"1\t2\n3\t4\n"),
    ("a", "sub/labels.tsv"): (None, b"one\ntwo\n"),
    ("a", "sub/others.tsv"): (None, b"not named"),
    ("a", "checkpoint"): (Family.CHECKPOINT, STATE),
    ("a", "model.ckpt-7.index"): (Family.CHECKPOINT, b"index"),
    ("a", "model.ckpt-7.data-00000-of-00002"): (None, b"first"),
    ("a", "model.ckpt-7.data-00001-of-00002"): (None, b"second"),
    ("a", "model.ckpt-70.index"): (Family.CHECKPOINT, b"another checkpoint"),
}


class Logs(Protocol):
    """A source, and changes of its files."""

    source: DataSource

    def put(self, run: str, name: str, data: bytes) -> None: ...
    def remove(self, run: str, name: str) -> None: ...


class MemoryLogs:
    def __init__(self) -> None:
        self._memory = MemorySource()
        self.source: DataSource = self._memory

    def put(self, run: str, name: str, data: bytes) -> None:
        family, _ = FILES[run, name]
        # Files without a family are named by others.
        self._memory.add_asset(run, family or Family.VECTORS, name, data)

    def remove(self, run: str, name: str) -> None:
        self._memory.remove_asset(run, name)


class FolderLogs:
    def __init__(self, top: Path, opened: Opened, *, in_place: bool) -> None:
        """`opened`: a source over the folder `top`."""
        self.source, self._refresh = opened
        self._top = top
        self._in_place = in_place
        self._clock_ns = 1_700_000_000_000_000_000

    def put(self, run: str, name: str, data: bytes) -> None:
        path = self._top / run / name
        path.parent.mkdir(parents=True, exist_ok=True)
        at = path if self._in_place else path.with_name("unfinished")
        at.write_bytes(data)
        # The clocks of file systems are coarse, and a test must not wait for them.
        self._clock_ns += 1_000_000
        os.utime(at, ns=(self._clock_ns, self._clock_ns))
        at.rename(path)
        self._refresh()

    def remove(self, run: str, name: str) -> None:
        (self._top / run / name).unlink()
        self._refresh()


class Wire:
    """The far side of a connection: answers bytes with a status and bytes, as a server does."""

    def __init__(self, source: DataSource) -> None:
        self._source = source

    def ask(self, what: str, body: bytes) -> tuple[int, bytes]:
        try:
            return 200, getattr(self, what)(body)
        except RunglassError as error:
            return error.http_status, error.message.encode()

    def list(self, body: bytes) -> bytes:
        run, family = msgspec.json.decode(body, type=tuple[str | None, Family | None])
        return msgspec.json.encode(self._source.list_assets(run=run, family=family))

    def find(self, body: bytes) -> bytes:
        asset, path, family = msgspec.json.decode(body, type=tuple[Asset, str, Family])
        return msgspec.json.encode(self._source.find_assets(asset, path, family=family))

    def read(self, body: bytes) -> bytes:
        asset, offset, size = msgspec.json.decode(body, type=tuple[Asset, int, int])
        with self._source.open_asset(asset) as reader:
            return reader.read(offset, size)


ERRORS: dict[int, type[RunglassError]] = {
    error.http_status: error for error in (AssetGone, AssetChanged, AssetRefused)
}


class RangeReader:
    """Joins small ranges from a wire; keeps nothing open."""

    RANGE_BYTES = 7

    def __init__(self, ask: Callable[..., bytes], asset: Asset) -> None:
        self._ask = ask
        self._asset: Asset | None = asset
        self.size_bytes = asset.size_bytes
        ask("read", asset, 0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._asset = None

    def read(self, offset: int, size: int) -> bytes:
        if self._asset is None or offset < 0 or size < 0:
            raise BadArgument("closed, or below zero")
        end = min(offset + size, self.size_bytes)
        ranges = [(at, min(self.RANGE_BYTES, end - at)) for at in range(offset, end, self.RANGE_BYTES)]
        return b"".join(self._ask("read", self._asset, *each) for each in ranges or [(offset, 0)])

    def map(self) -> memoryview | None:
        return None


class WireSource(MemorySource):
    """Has assets from the far side of a wire, and nothing else."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire

    def _ask(self, what: str, *body: object) -> bytes:
        status, answer = self._wire.ask(what, msgspec.json.encode(body))
        if status in ERRORS:
            # Unknown runs and missing assets share a status.
            raise (RunUnknown if what == "list" else ERRORS[status])(answer.decode())
        return answer

    def list_assets(self, *, run: str | None = None, family: Family | None = None) -> list[Asset]:
        return msgspec.json.decode(self._ask("list", run, family), type=list[Asset])

    def find_assets(self, asset: Asset, path: str, *, family: Family) -> list[Asset]:
        return msgspec.json.decode(self._ask("find", asset, path, family), type=list[Asset])

    def open_asset(self, asset: Asset) -> AssetReader:
        return RangeReader(self._ask, asset)


class WireLogs(MemoryLogs):
    def __init__(self) -> None:
        super().__init__()
        self.source = WireSource(Wire(self._memory))


@contextmanager
def memory_logs() -> Iterator[Logs]:
    yield MemoryLogs()


@contextmanager
def wire_logs() -> Iterator[Logs]:
    yield WireLogs()


@contextmanager
def folder_logs(open_folder: OpenFolder, *, in_place: bool = False) -> Iterator[Logs]:
    with TemporaryDirectory() as folder:
        top = Path(folder) / "logs"
        top.mkdir()
        (Path(folder) / "secret.tsv").write_text("secret")
        with open_folder(top) as opened:
            yield FolderLogs(top, opened, in_place=in_place)


Make = Callable[[], AbstractContextManager[Logs]]
in_memory = pytest.param(memory_logs, id="memory")
replaced = over_folder_sources(folder_logs)
rewritten = over_folder_sources(partial(folder_logs, in_place=True), suffix="-in-place")
sources = pytest.mark.parametrize(
    "make", [in_memory, pytest.param(wire_logs, id="wire"), *replaced, *rewritten]
)
sources_with_runs = pytest.mark.parametrize("make", [in_memory, *replaced])


@contextmanager
def full(make: Make) -> Iterator[Logs]:
    with make() as logs:
        for (run, name), (_, data) in FILES.items():
            logs.put(run, name, data)
        yield logs


def names(assets: list[Asset]) -> list[tuple[str, str]]:
    return [(asset.run, asset.name) for asset in assets]


def only(source: DataSource, run: str, name: str, family: Family) -> Asset:
    (asset,) = [asset for asset in source.list_assets(run=run, family=family) if asset.name == name]
    return asset


def read(source: DataSource, asset: Asset) -> bytes:
    with source.open_asset(asset) as reader:
        return reader.read(0, reader.size_bytes)


@sources
def test_listing(make: Make) -> None:
    with full(make) as logs:
        by_name = sorted(
            (run, name)
            for (run, name), (family, _) in FILES.items()
            if family not in (None, Family.CHECKPOINT)
        )
        found = [each for each in logs.source.list_assets() if each.family is not Family.VECTORS]
        assert names(found) == by_name
        for asset in found:
            family, data = FILES[asset.run, asset.name]
            assert (asset.family, asset.size_bytes) == (family, len(data))
            assert names(logs.source.list_assets(run=asset.run, family=asset.family)) == [
                (asset.run, asset.name)
            ]
        assert logs.source.list_assets(run="b", family=Family.PROFILE) == []
        with pytest.raises(RunUnknown):
            logs.source.list_assets(run="other")


@sources
def test_every_asset_reads_as_it_was_written(make: Make) -> None:
    with full(make) as logs:
        for asset in logs.source.list_assets():
            assert read(logs.source, asset) == FILES[asset.run, asset.name][1]


@sources
@given(offset=st.integers(0, 1500), size=st.integers(0, 1500))
@examples(25)
def test_ranges_are_slices(make: Make, offset: int, size: int) -> None:
    run, name = "a", "plugins/profile/today/host.xplane.pb"
    data = FILES[run, name][1]
    with make() as logs:
        logs.put(run, name, data)
        with logs.source.open_asset(only(logs.source, run, name, Family.PROFILE)) as reader:
            assert reader.size_bytes == len(data)
            assert reader.read(offset, size) == data[offset : offset + size]
            mapped = reader.map()
        assert mapped is None or bytes(mapped) == data


@sources
def test_what_is_no_range(make: Make) -> None:
    with full(make) as logs:
        reader = logs.source.open_asset(only(logs.source, "b", "model.onnx", Family.GRAPH))
        for offset, size in ((-1, 1), (0, -1)):
            with pytest.raises(BadArgument):
                reader.read(offset, size)
        assert reader.read(5, 5) == b""
        reader.close()
        reader.close()
        with pytest.raises(BadArgument):
            reader.read(0, 0)


@sources
def test_files_that_a_config_names(make: Make) -> None:
    with full(make) as logs:
        config = only(logs.source, "a", "projector_config.pbtxt", Family.PROJECTOR)
        (vectors,) = logs.source.find_assets(config, "sub/vectors.tsv", family=Family.VECTORS)
        assert (vectors.run, vectors.name, vectors.family) == ("a", "sub/vectors.tsv", Family.VECTORS)
        assert read(logs.source, vectors) == b"1\t2\n3\t4\n"
        (same,) = logs.source.find_assets(config, "./sub/x/../vectors.tsv", family=Family.VECTORS)
        assert same == vectors
        shards = logs.source.find_assets(config, "model.ckpt-7", family=Family.CHECKPOINT)
        assert [each.name for each in shards] == [
            "model.ckpt-7.data-00000-of-00002",
            "model.ckpt-7.data-00001-of-00002",
            "model.ckpt-7.index",
        ]
        assert read(logs.source, shards[1]) == b"second"
        # Without a step, all of them are meant.
        numbered = logs.source.find_assets(config, "model.ckpt", family=Family.CHECKPOINT)
        assert [each.name for each in numbered] == [*(each.name for each in shards), "model.ckpt-70.index"]
        # Names in a profile are relative to its folder.
        (profile,) = logs.source.list_assets(family=Family.PROFILE)
        (labels,) = logs.source.find_assets(profile, "../../../sub/labels.tsv", family=Family.VECTORS)
        assert labels.name == "sub/labels.tsv"


@sources
def test_names_that_lead_nowhere(make: Make) -> None:
    with full(make) as logs:
        config = only(logs.source, "a", "projector_config.pbtxt", Family.PROJECTOR)
        for path, error in [
            ("gone.tsv", AssetGone),
            ("sub/gone.tsv", AssetGone),
            ("gone/labels.tsv", AssetGone),
            ("../b/model.onnx", AssetRefused),
            ("../../secret.tsv", AssetRefused),
            ("..", AssetRefused),
            ("/etc/passwd", AssetRefused),
        ]:
            with pytest.raises(error) as caught:
                logs.source.find_assets(config, path, family=Family.VECTORS)
            assert "projector_config.pbtxt" in caught.value.message
        with pytest.raises(AssetGone):
            logs.source.find_assets(config, "model.ckpt-9", family=Family.CHECKPOINT)


@sources
def test_named_families_are_found_when_they_are_asked_for(make: Make) -> None:
    with full(make) as logs:
        found = logs.source.list_assets(run="a", family=Family.CHECKPOINT)
        assert [each.name for each in found] == [
            "checkpoint",
            "model.ckpt-7.data-00000-of-00002",
            "model.ckpt-7.data-00001-of-00002",
            "model.ckpt-7.index",
            "model.ckpt-70.index",
        ]
        vectors = {each.name: each for each in logs.source.list_assets(family=Family.VECTORS)}
        assert {"sub/vectors.tsv", "sub/labels.tsv"} <= set(vectors)
        assert read(logs.source, vectors["sub/labels.tsv"]) == b"one\ntwo\n"
        logs.put("a", "projector_config.pbtxt", b'embeddings { "not a config"')
        # What stands in the run's directory is there without a config too.
        assert names(logs.source.list_assets(family=Family.CHECKPOINT)) == [
            *(("a", name) for name in ("checkpoint", "model.ckpt-7.index", "model.ckpt-70.index"))
        ]


@sources
def test_an_asset_that_changes(make: Make) -> None:
    with full(make) as logs:
        before = only(logs.source, "a", "config.json", Family.CONFIG)
        reader = logs.source.open_asset(before)
        logs.put("a", "config.json", b"[]")
        with pytest.raises(AssetChanged):
            reader.read(0, 2)
        with suppress(AssetChanged):
            assert reader.map() is None
        reader.close()
        with pytest.raises(AssetChanged) as caught:
            logs.source.open_asset(before)
        assert "a/config.json" in caught.value.message
        now = only(logs.source, "a", "config.json", Family.CONFIG)
        assert now.generation > before.generation
        assert read(logs.source, now) == b"[]"
        logs.put("b", "model.onnx", b"more")
        assert only(logs.source, "a", "config.json", Family.CONFIG) == now


@sources
def test_an_asset_that_shrinks_or_goes(make: Make) -> None:
    run, name = "a", "plugins/profile/today/host.xplane.pb"
    with full(make) as logs:
        reader = logs.source.open_asset(only(logs.source, run, name, Family.PROFILE))
        assert reader.read(0, 4) == b"\0\1\2\3"
        logs.put(run, name, b"\0\1")
        with pytest.raises(AssetChanged):
            reader.read(0, 4)
        reader.close()
        asset = only(logs.source, run, name, Family.PROFILE)
        reader = logs.source.open_asset(asset)
        logs.remove(run, name)
        with pytest.raises(AssetGone):
            reader.read(0, 2)
        reader.close()
        with pytest.raises(AssetGone):
            logs.source.open_asset(asset)
        with pytest.raises(AssetGone):
            logs.source.find_assets(asset, "x", family=Family.VECTORS)
        assert logs.source.list_assets(family=Family.PROFILE) == []


@sources_with_runs
def test_runs_count_their_assets_and_tell_of_changes(make: Make) -> None:
    with make() as logs:
        for (run, name), (family, data) in FILES.items():
            if family is not None:
                logs.put(run, name, data)
        infos = {info.name: info for info in logs.source.list_runs()}
        sizes = [len(data) for (run, _), (family, data) in FILES.items() if run == "a" and family]
        assert (infos["a"].assets, infos["a"].asset_bytes) == (6, sum(sizes))
        assert (infos["b"].assets, infos["b"].asset_bytes) == (1, 0)
        assert infos["a"].families == {*(Family.PROJECTOR, Family.PROFILE, Family.CONFIG, Family.CHECKPOINT)}
        # Event files are counted separately.
        assert (infos["a"].files, infos["a"].size_bytes, infos["a"].series) == (0, 0, 0)
        before = logs.source.generation
        logs.put("b", "model.onnx", b"12345")
        assert logs.source.wait_for_change(before, timeout_s=10) != before
        assert logs.source.list_changes(since=before)[1] == ["b"]
        assert {info.name: info.asset_bytes for info in logs.source.list_runs()}["b"] == 5
