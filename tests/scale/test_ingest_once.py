"""Every point is in the database once, wherever ingest was ended, however often it was started, and by how many at once."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.clickhouse import chdb_address
from tests.support.clickhouse_bridge import PASSWORD, USER, bridge
from tests.support.same_answers import differences, list_everything, read_everything
from tests.support.sources import examples, open_local
from tests.support.waiting import until

from runglass import SummaryWriter
from runglass.clickhouse import ingest
from runglass.clickhouse.client import Client, connect
from runglass.clickhouse.open import Following, OpenDatabase
from runglass.clickhouse.schema import bring_up_to_date
from runglass.ingest.roots import parse_root

pytestmark = pytest.mark.scale
_databases = itertools.count()


class Killed(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


class Mortal:
    """A client that ends the program at one of its calls: before the database has it, or after."""

    def __init__(self, client: Client, *, dies_at: int, is_done: bool) -> None:
        self._client = client
        self.address = client.address
        self._left = dies_at
        self._is_done = is_done

    def _call(self, name: str, *args: Any) -> Any:
        self._left -= 1
        if self._left == 0 and not self._is_done:
            raise Killed
        answer = getattr(self._client, name)(*args)
        if self._left == 0:
            raise Killed
        return answer

    def query(self, *args: Any) -> Any:
        return self._call("query", *args)

    def command(self, *args: Any) -> Any:
        return self._call("command", *args)

    def insert(self, *args: Any) -> Any:
        return self._call("insert", *args)

    def close(self) -> None: ...


@contextmanager
def database() -> Iterator[Client]:
    client = connect(chdb_address(f"once_{next(_databases)}"))
    bring_up_to_date(client)
    yield client
    client.command(f"DROP DATABASE {client.address.database} SYNC")
    client.close()


def write(folder: Path, count: int, *, first: int = 0, run: str = "a") -> None:
    with SummaryWriter(str(folder / run)) as writer:
        for step in range(first, first + count):
            writer.add_scalar("loss", float(np.float32(1 / (1 + step))), step)
            writer.add_scalar("wide", 1 / 3 + step if step % 3 else float("nan"), step)
            if step % 4 == 0:
                writer.add_text("note", f"step {step}", step)


def assert_same(folder: Path, client: Client) -> None:
    logs = OpenDatabase(client.address)
    logs.load()
    with open_local(folder) as (expected, load):
        load()
        assert differences(list_everything(expected), list_everything(logs.source)) == []
        assert differences(read_everything(expected), read_everything(logs.source)) == []
        total = client.query(f"SELECT count() AS n FROM {client.address.database}.points")["n"][0]
        scalars = [info for info in expected.list_series() if info.meta.kind == "scalar"]
        assert total == sum(info.count for info in scalars)
    logs.stop()


@given(
    kills=st.lists(st.tuples(st.integers(1, 16), st.booleans()), min_size=1, max_size=3),
    block_rows=st.sampled_from([3, 7, 1 << 20]),
)
@examples(80)
def test_killed_at_any_call(kills: list[tuple[int, bool]], block_rows: int) -> None:
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as name,
        database() as client,
    ):
        patch.setattr(ingest, "BLOCK_ROWS", block_rows)
        folder = Path(name)
        write(folder, 9)
        for number, (dies_at, is_done) in enumerate(kills):
            mortal = Mortal(client, dies_at=dies_at, is_done=is_done)
            following = Following(mortal, [parse_root(name)])
            with suppress(Killed):
                following.load()
            # The training goes on meanwhile, in a file of its own and from a step that was written before.
            write(folder, 5, first=6 + 3 * number)
        Following(client, [parse_root(name)]).load()
        assert_same(folder, client)


def run_ingest(folder: Path, to: str, kill_when: Callable[[], bool] | None = None) -> bool:
    """The command itself, in a process of its own, which SIGKILL ends where `kill_when` says. Returns whether it came so far."""
    command = [sys.executable, "-m", "runglass", "ingest", str(folder), "--to", to]
    with subprocess.Popen(
        command, env={**os.environ, "CLICKHOUSE_PASSWORD": PASSWORD}, stdout=subprocess.DEVNULL
    ) as process:
        if kill_when is not None:
            until(lambda: kill_when() or process.poll() is not None, "ingest to come so far")
            process.send_signal(signal.SIGKILL)
        ended = process.wait(timeout=60)
        assert ended in ((0,) if kill_when is None else (0, -signal.SIGKILL))
        return ended != 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_the_command_is_killed_between_two_requests(tmp_path: Path) -> None:
    """The engine survives; whatever it was doing for a client that is gone, it finishes or not."""
    database_name = f"once_{next(_databases)}"
    with bridge() as server:
        to = f"clickhouse://{USER}@127.0.0.1:{server.server_port}/{database_name}"
        killed = 0
        for number, requests in enumerate((1, 3, 6, 9, 12, 15)):
            write(tmp_path, 400, first=300 * number, run="ab"[number % 2])
            before = len(server.queries)
            killed += run_ingest(tmp_path, to, lambda upto=before + requests: len(server.queries) >= upto)
        assert killed >= 4
        run_ingest(tmp_path, to)
        client = connect(chdb_address(database_name))
        assert_same(tmp_path, client)
        before = client.query(f"SELECT count() AS n FROM {database_name}.point_rows")["n"][0]
        run_ingest(tmp_path, to)
        assert client.query(f"SELECT count() AS n FROM {database_name}.point_rows")["n"][0] == before
        client.command(f"DROP DATABASE {database_name} SYNC")
        client.close()


def count_files(folder: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(folder))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_the_command_is_killed_with_the_engine_inside(tmp_path: Path) -> None:
    """Whatever the engine was writing is cut off, too."""
    logs, engine = tmp_path / "logs", tmp_path / "engine"
    to = f"chdb://{engine}"
    killed = 0
    for number, files in enumerate((1, 5, 15, 30)):
        write(logs, 2000, first=1500 * number, run="ab"[number % 2])

        upto = count_files(engine) + files
        killed += run_ingest(logs, to, lambda upto=upto: count_files(engine) >= upto)
    assert killed >= 2
    run_ingest(logs, to)
    # One process has one engine: the answers are read by another one.
    script = (
        "import sys; from pathlib import Path; from runglass.clickhouse.address import parse_address;"
        "from runglass.clickhouse.client import connect; import tests.scale.test_ingest_once as it;"
        "c = connect(parse_address(sys.argv[2])); it.assert_same(Path(sys.argv[1]), c); c.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(logs), to], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_two_at_once(tmp_path: Path) -> None:
    for run in ("a", "b", "c"):
        write(tmp_path, 40, run=run)
    with database() as client:
        both = [Following(client, [parse_root(str(tmp_path))]) for _ in range(2)]
        threads = [threading.Thread(target=each.load) for each in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert_same(tmp_path, client)
        write(tmp_path, 10, first=35, run="b")
        both[1].load()
        write(tmp_path, 10, first=45, run="b")
        both[0].load()
        both[1].load()
        assert_same(tmp_path, client)


def test_nothing_new_is_nothing_written(tmp_path: Path) -> None:
    write(tmp_path, 8)
    with database() as client:
        Following(client, [parse_root(str(tmp_path))]).load()
        again = Following(client, [parse_root(str(tmp_path))])
        again.load()
        assert (again.ingester.written.points, again.ingester.written.ranges) == (0, 0)


def test_a_file_that_was_replaced(tmp_path: Path) -> None:
    write(tmp_path, 8)
    with database() as client:
        following = Following(client, [parse_root(str(tmp_path))])
        following.load()
        (file,) = (tmp_path / "a").iterdir()
        file.unlink()
        write(tmp_path, 3, first=100)
        (other,) = (tmp_path / "a").iterdir()
        other.rename(file)
        following.load()
        assert_same(tmp_path, client)
        Following(client, [parse_root(str(tmp_path))]).load()
        assert_same(tmp_path, client)


def test_files_that_were_deleted_stay_in_the_database(tmp_path: Path) -> None:
    write(tmp_path, 8)
    with database() as client:
        Following(client, [parse_root(str(tmp_path))]).load()
        (file,) = (tmp_path / "a").iterdir()
        file.rename(tmp_path / "elsewhere")
        write(tmp_path, 8, first=8)
        Following(client, [parse_root(str(tmp_path))]).load()
        logs = OpenDatabase(client.address)
        logs.load()
        (info,) = logs.source.list_runs()
        assert (info.files, info.series) == (2, 3)
        assert sum(each.count for each in logs.source.list_series()) == info.points == 2 * (8 + 8 + 2)
        logs.stop()
