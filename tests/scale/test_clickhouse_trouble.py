"""What goes wrong with a database: it is down, slow, restarted or newer, refuses a password, or is asked by hostile names."""

from __future__ import annotations

import itertools
import os
import pty
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from tests.support.clickhouse import chdb_address
from tests.support.clickhouse_bridge import PASSWORD, USER, Bridge, bridge
from tests.support.same_answers import differences, list_everything, read_everything
from tests.support.sources import open_local

from runglass import SummaryWriter
from runglass.clickhouse import client as client_module
from runglass.clickhouse.address import Address, parse_address
from runglass.clickhouse.catalog import Catalog
from runglass.clickhouse.client import EngineDown, EngineError, connect
from runglass.clickhouse.command import ingest
from runglass.clickhouse.generations import OF_ALL, OF_RUNS
from runglass.clickhouse.open import Following, OpenDatabase, OpenStore
from runglass.clickhouse.retention import find_old, remove_runs
from runglass.clickhouse.schema import SchemaNewer, bring_up_to_date
from runglass.errors import BadRequest, RunglassError, SqlError
from runglass.ingest.roots import LogRoot, parse_root
from runglass.sql.needs import parse_needs
from runglass.sql.tables import read_tables
from runglass.store.model import FileState, SeriesKey

pytestmark = pytest.mark.scale
_databases = itertools.count()
DAY_US = 86_400_000_000


@pytest.fixture
def server() -> Iterator[Bridge]:
    with bridge() as made:
        yield made


def address_of(server: Bridge, password: str = PASSWORD) -> Address:
    place = f"127.0.0.1:{server.server_port}/trouble_{next(_databases)}"
    return parse_address(f"clickhouse://{USER}:{quote(password)}@{place}")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    with SummaryWriter(str(tmp_path / "logs/run")) as writer:
        for step in range(5):
            writer.add_scalar("loss", step / 3, step)
    return tmp_path / "logs"


def test_down_and_up_again(server, logs):
    opened = OpenStore(address_of(server), [parse_root(str(logs))])
    opened.load()
    server.fault = "refuse"
    with pytest.raises(EngineDown, match="does not answer") as caught:
        opened.source.read_columns([SeriesKey("run", "loss")])
    assert PASSWORD not in caught.value.message
    opened._catalog.fail(caught.value.message)
    assert [run.name for run in opened.source.list_runs()] == ["run"]
    (trouble,) = [file for file in opened.source.list_files() if file.state is FileState.UNREADABLE]
    assert "does not answer" in trouble.reason
    server.fault = ""
    before = opened.source.generation
    opened._catalog.poll()
    assert opened.source.generation > before
    assert len(opened.source.list_files()) == 1
    (columns,) = opened.source.read_columns([SeriesKey("run", "loss")])
    np.testing.assert_array_equal(columns.value, np.float32([step / 3 for step in range(5)]))
    opened.drop()
    opened.stop()


def test_what_is_known_of_a_series_is_not_asked_again(server, logs):
    opened = OpenStore(address_of(server), [parse_root(str(logs))])
    opened.load()
    keys = [SeriesKey("run", "loss")]
    for count in (5, 6):
        (first,) = opened.source.read_columns(keys)
        server.queries.clear()
        (again,) = opened.source.read_columns(keys)
        assert len(server.queries) == 1
        assert "point_rows" in server.queries[0]
        assert first.step.tolist() == again.step.tolist() == list(range(count))
        with SummaryWriter(str(logs / "run")) as writer:
            writer.add_scalar("loss", 1.0, count)
        opened.load()
    opened.drop()
    opened.stop()


def test_an_answer_that_was_lost(server, logs):
    client = connect(address_of(server))
    bring_up_to_date(client)
    following = Following(client, [parse_root(str(logs))])
    following.watch.load()
    server.fault = "lose"
    with pytest.raises(EngineDown):
        following.commit()
    server.fault = ""
    following.commit()
    shown = OpenDatabase(client.address)
    shown.load()
    with open_local(logs) as (expected, load):
        load()
        assert differences(list_everything(expected), list_everything(shown.source)) == []
    shown.drop()
    shown.stop()


def test_a_slow_database_is_waited_for_and_one_that_is_too_slow_is_down(server, logs, monkeypatch):
    opened = OpenStore(address_of(server), [parse_root(str(logs))])
    opened.load()
    server.fault = "slow"
    (columns,) = opened.source.read_columns([SeriesKey("run", "loss")])
    assert columns.step.tolist() == list(range(5))
    # A training that goes on meanwhile comes late, and whole.
    with SummaryWriter(str(logs / "run")) as writer:
        writer.add_scalar("loss", 1.0, 5)
    opened._following.load()
    monkeypatch.setattr(client_module, "ANSWER_TIMEOUT_S", 0.1)
    hasty = OpenDatabase(opened._client.address)
    with pytest.raises(EngineDown, match="does not answer"):
        hasty.load()
    hasty.stop()
    server.fault = ""
    opened._catalog.poll()
    (columns,) = opened.source.read_columns([SeriesKey("run", "loss")])
    assert columns.step.tolist() == list(range(6))
    opened.drop()
    opened.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals of this kind")
def test_the_password_is_asked_for_on_a_terminal(server, logs):
    """A real terminal, because that is what is asked; the password is not printed there."""
    to = f"clickhouse://{USER}@127.0.0.1:{server.server_port}/trouble_{next(_databases)}"
    process, terminal = pty.fork()
    if process == 0:
        os.environ.pop("CLICKHOUSE_PASSWORD", None)
        os.execv(sys.executable, [sys.executable, "-m", "runglass", "ingest", str(logs), "--to", to])
    shown = b""
    while b"(empty for none): " not in shown:
        shown += os.read(terminal, 1000)
    os.write(terminal, f"{PASSWORD}\n".encode())
    with suppress(OSError):
        while piece := os.read(terminal, 1000):
            shown += piece
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    assert b"5 points and 0 other values of 1 run are new" in shown
    assert PASSWORD.encode() not in shown
    client = connect(parse_address(to.replace("@", f":{quote(PASSWORD)}@")))
    client.command(f"DROP DATABASE {client.address.database} SYNC")
    client.close()


def test_a_wrong_password_is_told_and_not_repeated(server):
    with pytest.raises(EngineError, match="refuses the user or the password") as caught:
        bring_up_to_date(connect(address_of(server, "wrong-secret")))
    assert "wrong-secret" not in caught.value.message
    assert "wrong-secret" not in repr(address_of(server, "wrong-secret"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("clickhouse://u:hidden@host/a-b", "letters, digits"),
        ("clickhouse://u:hidden@host:x/db", "(?i)port"),
        ("clickhouse://u:hidden@/db", "no host"),
        ("mysql://u:hidden@host/db", "not a database"),
        ("chdb://relative/path", "absolute"),
        ("clickhouse://u:hidden@host/db;drop", "letters, digits"),
        ("clickhouse://u:hidden@host/db?x=1", "more than a database"),
    ],
)
def test_addresses_that_cannot_be(text, reason):
    with pytest.raises(BadRequest, match=reason) as caught:
        parse_address(text)
    assert "hidden" not in caught.value.message


def test_tables_of_a_newer_program(logs):
    client = connect(chdb_address(f"newer_{next(_databases)}"))
    bring_up_to_date(client)
    db = client.address.database
    client.insert(f"{db}.schema_versions", ["version"], ["UInt32"], [[999]])
    for refused in (lambda: bring_up_to_date(client), OpenDatabase(client.address).load):
        with pytest.raises(SchemaNewer, match="version 999"):
            refused()
    client.command(f"DROP DATABASE {db} SYNC")


def test_a_database_without_runs():
    with pytest.raises(RunglassError, match="runglass ingest"):
        OpenDatabase(chdb_address(f"none_{next(_databases)}")).load()


def test_names_that_are_sql(tmp_path):
    names = ["a'; DROP DATABASE x; --", 'b"`\\', "c{x:String}", "ünïcode 🙂", "%s", "d\n"]
    for name in names:
        with SummaryWriter(str(tmp_path / name.replace("/", ""))) as writer:
            for tag in names:
                writer.add_scalar(tag, 0.1, 2**53)
                writer.add_scalar(tag, np.float32(0.1), -(2**62))
    opened = OpenStore(chdb_address(f"names_{next(_databases)}"), [parse_root(str(tmp_path))])
    opened.load()
    with open_local(tmp_path) as (expected, load):
        load()
        assert differences(list_everything(expected), list_everything(opened.source)) == []
        assert differences(read_everything(expected), read_everything(opened.source)) == []
    opened.drop()
    opened.stop()


def test_retention(logs):
    client = connect(chdb_address(f"kept_{next(_databases)}"))
    to = client.address
    bring_up_to_date(client)
    following = Following(client, [LogRoot(str(logs), str(logs), "a")])
    following.load()
    for project in ("b", "ab"):
        Following(client, [LogRoot(str(logs), str(logs), project)]).load()
    catalog = Catalog(client)
    catalog.poll()
    assert sorted(catalog.runs) == ["a/run", "ab/run", "b/run"]
    now = catalog.runs["a/run"].info.last_wall_time + 100
    assert find_old(client, keep_s=101, now=now) == []
    assert find_old(client, keep_s=99, project="a", now=now) == ["a/run"]
    seen = catalog.generation
    remove_runs(client, ["a/run"])
    catalog.poll()
    assert sorted(catalog.runs) == ["ab/run", "b/run"]
    assert catalog.removed_at > seen
    left = client.query(f"SELECT count() AS n FROM {to.database}.point_rows")["n"][0]
    assert left == 10
    # One that goes on comes in again as a whole, also by an ingest that knew it before.
    with SummaryWriter(str(logs / "run")) as writer:
        writer.add_scalar("loss", 1.0, 5)
    following.load()
    catalog.poll()
    assert catalog.runs["a/run"].info.points == 6
    client.command(f"DROP DATABASE {to.database} SYNC")


def test_a_clock_that_was_a_day_ahead_and_was_put_right(logs):
    opened = OpenStore(chdb_address(f"clock_{next(_databases)}"), [parse_root(str(logs))])
    opened.load()
    client = opened._client
    db = client.address.database
    for table in (*OF_ALL, *OF_RUNS):
        client.command(
            f"INSERT INTO {db}.{table} SELECT * REPLACE (generation + {DAY_US} AS generation) FROM {db}.{table}"
        )
    opened._catalog.poll()
    ahead = opened.source.generation
    # The training begins again at an earlier step, and logs something else besides.
    with SummaryWriter(str(logs / "run")) as writer:
        for step in range(3, 8):
            writer.add_scalar("loss", step / 7, step)
        writer.add_text("note", "again", 7)
        writer.add_hparams({"lr": 0.1}, {"best": 1.0}, run_name=".")
    opened.load()
    assert opened.source.generation > ahead
    another = OpenDatabase(client.address)
    another.load()
    with open_local(logs) as (expected, load):
        load()
        assert sum(run.restarts for run in expected.list_runs()) == 1
        for source in (opened.source, another.source):
            assert differences(list_everything(expected), list_everything(source)) == []
            assert differences(read_everything(expected), read_everything(source)) == []
    remove_runs(client, ["run"])
    for catalog in (opened._catalog, another._catalog):
        catalog.poll()
        assert catalog.runs == {}
    another.stop()
    opened.drop()
    opened.stop()


def test_ingest_of_what_is_not_there(tmp_path):
    root = parse_root(str(tmp_path / "gone"))
    with pytest.raises(RunglassError, match="does not exist"):
        ingest([root], "chdb:///nowhere", follow=False, keep_s=None, project="", on_note=print)


@pytest.mark.parametrize("kind", ["chdb", "server"])
def test_sql_reads_the_views_and_nothing_else(kind, server, logs):
    where = chdb_address(f"sql_{next(_databases)}") if kind == "chdb" else address_of(server)
    opened = OpenStore(where, [parse_root(str(logs))])
    opened.load()
    found = opened.source.read_sql(
        "select run, tag, max(value) as best, count() as n from points where not overwritten group by run, tag",
        limit=10,
    )
    assert found.names == ["run", "tag", "best", "n"]
    assert [each.tolist() for each in found.columns] == [["run"], ["loss"], [float(np.float32(4 / 3))], [5]]
    cut = opened.source.read_sql("select step from points order by step", limit=3)
    assert (cut.columns[0].tolist(), cut.is_cut) == ([0, 1, 2], True)
    for table in ("runs", "series", "files", "hparams"):
        opened.source.read_sql(f"select * from {table}", limit=10)
    for refused in (
        "drop table points",
        "select * from file('/etc/passwd')",
        "select * from system.users",
        "select nothing from points",
        f"select * from {where.database}.point_rows",
    ):
        with pytest.raises(SqlError):
            opened.source.read_sql(refused, limit=10)
    opened.drop()
    opened.stop()


def test_hparams_in_sql():
    folder = Path(__file__).parents[1] / "golden/logs/tf_hparams_grid/logdir"
    opened = OpenStore(chdb_address(f"hparams_{next(_databases)}"), [parse_root(str(folder))])
    opened.load()
    found = opened.source.read_sql(
        "select run, name, value, number from hparams order by run, name", limit=1000
    )
    with open_local(folder) as (local, load):
        load()
        needs = parse_needs("select run, name, value, number from hparams")
        (expected,) = read_tables(local, needs)
    rows = sorted(
        zip(*(each.tolist() for _, each in expected.columns.values()), strict=True), key=lambda r: r[:2]
    )
    assert rows
    assert list(zip(*(each.tolist() for each in found.columns), strict=True)) == rows
    opened.drop()
    opened.stop()
